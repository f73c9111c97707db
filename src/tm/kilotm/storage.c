/* SPDX-License-Identifier: MIT */
/*
 * What KILO TM stores beside what the machine has anyhow, by structure, as the paper's 6.4.3 counts
 * it. A history's entry is an address of 4 bytes and an ID of 2; a bucket is an ID. An entry of the
 * ring has 10 bytes; a word of a set is an address and a value.
 */
#include <string.h>

#include "base/text.h"
#include "tm/kilotm/core.h"

enum { ID_BYTES = 2, ADDRESS_BYTES = 4, ENTRY_BYTES = 10, WORD_BYTES = 8, SIGNATURES = 2 };

static void row_print(struct text *text, const char *name, uint64_t count, const char *unit,
                      uint64_t bytes)
{
    text_add(text, "  %-36s %8llu %-10s %8llu bytes\n", name, (unsigned long long)count, unit,
             (unsigned long long)bytes);
}

/* Entries of a ring: as many as there may be transactions, where nothing else bounds them. */
static uint64_t ring_entries(const struct kilotm_parameters *parameters,
                             const struct tm_facts *facts)
{
    uint64_t lanes = (uint64_t)facts->wavefronts * facts->wave_lanes;

    if (parameters->ring_entries != 0)
        return parameters->ring_entries;
    if (parameters->credits != 0)
        return parameters->credits * facts->units;
    if (parameters->lanes_per_core != 0)
        lanes = parameters->lanes_per_core;
    else if (parameters->warps_per_core != 0)
        lanes = parameters->warps_per_core * facts->wave_lanes;
    return lanes * facts->units;
}

static uint64_t add_history(const struct kilotm_parameters *parameters, uint64_t entries,
                            struct text *text)
{
    uint64_t table = parameters->history_entries * (ADDRESS_BYTES + ID_BYTES),
             filter = parameters->bloom_buckets * ID_BYTES,
             signatures = entries * SIGNATURES * parameters->signature_bits / 8;

    if (strcmp(parameters->history, "bloom_array") == 0) {
        row_print(text, "signatures of reads and of writes", SIGNATURES * entries, "signatures",
                  signatures);
        return signatures;
    }
    if (strcmp(parameters->history, "perfect") == 0) {
        text_add(text, "  a perfect history is no hardware\n");
        return 0;
    }
    row_print(text, "last writer history: table", parameters->history_entries, "words", table);
    row_print(text, "last writer history: recency filter", parameters->bloom_buckets, "buckets",
              filter);
    return table + filter;
}

static uint64_t add_buffers(const struct kilotm_parameters *parameters, uint64_t entries,
                            struct text *text)
{
    bool is_all = strcmp(parameters->set_scheme, "all") == 0;
    uint64_t buffers = parameters->set_buffers != 0 ? parameters->set_buffers
                       : is_all                     ? 2 * entries
                                                    : 0;
    uint64_t bytes = buffers * parameters->set_words * WORD_BYTES;

    if (bytes == 0) {
        text_add(text, "  buffers of sets have no limit (kilotm.set_words, set_buffers)\n");
        return 0;
    }
    row_print(text, "buffers of read and write sets", buffers, "buffers", bytes);
    return bytes;
}

void kilotm_storage(const struct tm_parameters *all, const struct tm_facts *facts,
                    struct text *text)
{
    const struct kilotm_parameters *parameters = &all->kilotm;
    uint64_t entries = ring_entries(parameters, facts), unit = entries * ENTRY_BYTES;
    uint64_t logs = parameters->log_rows * LOG_COUNT * facts->wavefronts * log_row_bytes(facts);

    text_add(text, "Storage of a commit unit:\n");
    row_print(text, "ring", entries, "entries", unit);
    unit += add_history(parameters, entries, text);
    unit += add_buffers(parameters, entries, text);
    row_print(text, "in all", 1, "unit", unit);
    row_print(text, "all commit units", facts->channels, "units", unit * facts->channels);
    text_add(text, "Of a compute unit:\n");
    row_print(text, "log cache", parameters->log_kb, "KB", parameters->log_kb * 1024);
    row_print(text, "logs, in device memory", parameters->log_rows, "rows", logs);
}
