/* SPDX-License-Identifier: MIT */
/* Logs once more: words that a commit unit wants again, since it had no buffer for them. They come
 * from the log cache, a row a cycle, as in the first walk. Source: the paper's 4.5.3. */
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "tm/kilotm/core.h"

void resend_asked(struct kilotm_core *core, const struct message *message, uint64_t lanes)
{
    if (core->resend_count == core->resend_capacity) {
        core->resend_capacity = 2 * core->resend_capacity + 16;
        core->resends = reallocate(core->resends, core->resend_capacity, sizeof *core->resends);
    }
    core->resends[core->resend_count++] =
        (struct log_resend){.lanes = lanes,
                            .slot = message->requester.wavefront,
                            .channel = message->source,
                            .log = message->rmw == KILOTM_CU_READS_AGAIN ? LOG_READS : LOG_WRITES};
}

/* Lanes that want a word of the row which goes to the channel. */
static uint64_t lanes_of(const struct kilotm_core *core, const struct log_resend *resend,
                         const struct kilotm_row *row)
{
    uint64_t lanes = row->lanes & resend->lanes, found = 0;

    for_each_bit(lane, lanes)
    {
        if (core_channel(core, row->words[lane]) == resend->channel)
            found |= UINT64_C(1) << lane;
    }
    return found;
}

static void resend_end(struct kilotm_core *core, const struct log_resend *resend)
{
    const struct kilotm_wave *wave = &core->waves[resend->slot];

    walk_message(core, resend->slot, resend->channel, KILOTM_AGAIN)->mask =
        walk_to_ranks(wave, resend->lanes);
    memmove(core->resends, core->resends + 1, --core->resend_count * sizeof *core->resends);
    core->resend_row = 0;
}

void resend_go_on(struct kilotm_core *core)
{
    const struct log_resend *resend = &core->resends[0];
    const struct kilotm_log *log = &core->waves[resend->slot].logs[resend->log];
    const struct kilotm_row *row;
    uint64_t lanes;

    while (core->resend_row < log->count &&
           lanes_of(core, resend, &log->rows[core->resend_row]) == 0)
        core->resend_row++;
    if (core->resend_row == log->count) {
        resend_end(core, resend);
        return;
    }
    if (!core->resend_row_is_here) {
        log_cache_row(core, resend->slot, resend->log, core->resend_row, false);
        core->resend_row_is_here = true;
        if (core->fetches > 0)
            return;
    }
    row = &log->rows[core->resend_row++];
    lanes = lanes_of(core, resend, row);
    while (lanes != 0)
        lanes &= ~walk_packet(core, resend->slot, row, lanes,
                              resend->log == LOG_READS ? KILOTM_READS_AGAIN : KILOTM_WRITES_AGAIN);
    core->resend_row_is_here = false;
}
