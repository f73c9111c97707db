/* SPDX-License-Identifier: MIT */
/* Commands of a GDDR5 channel: what may be given when, and which goes first. */
#include "base/bits.h"
#include "base/check.h"
#include "mem/dram_model.h"

static uint64_t later_cycle(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void not_before(uint64_t *at, uint64_t cycle)
{
    if (*at < cycle)
        *at = cycle;
}

static uint32_t group_of(const struct dram_channel *channel, uint32_t bank)
{
    return bank % (uint32_t)channel->parameters.bank_groups;
}

static void command_tell(struct dram_channel *channel, enum dram_command command, uint32_t bank,
                         uint32_t row, uint64_t cycle)
{
    struct dram_event event = {
        .cycle = cycle, .command = (uint8_t)command, .bank = (uint8_t)bank, .row = row};

    if (channel->watch != NULL)
        channel->watch(channel->watch_context, &event);
}

/* ---- Commands ---- */

static void close_row(struct dram_bank *bank)
{
    bank->row = DRAM_NO_ROW;
    bank->hits[0] = bank->hits[1] = 0;
}

static void bank_precharge(struct dram_channel *channel, uint32_t number, uint64_t cycle)
{
    struct dram_bank *bank = &channel->banks[number];

    command_tell(channel, DRAM_PRECHARGE, number, bank->row, cycle);
    close_row(bank);
    not_before(&bank->activate_at, cycle + channel->parameters.trp);
}

static void bank_activate(struct dram_channel *channel, uint32_t number, uint32_t row,
                          uint64_t cycle)
{
    const struct dram_parameters *parameters = &channel->parameters;
    struct dram_bank *bank = &channel->banks[number];

    command_tell(channel, DRAM_ACTIVATE, number, row, cycle);
    bank->row = row;
    bank->column_at[0] = cycle + parameters->trcdr;
    bank->column_at[1] = cycle + parameters->trcdw;
    bank->precharge_at = cycle + parameters->tras;
    bank->activate_at = cycle + parameters->trc;
    channel->activate_at = cycle + parameters->trrd;
    channel->activates[channel->activate_next] = cycle + parameters->tfaw;
    channel->activate_next = (channel->activate_next + 1) % 4;
    for (unsigned is_write = 0; is_write < 2; is_write++)
        for (uint64_t set = bank->queued[is_write]; set != 0; set &= set - 1)
            if (dram_entry(channel, is_write, lowest_bit(set))->row == row)
                bank->hits[is_write] |= set & -set;
}

/* A burst of a line. The data follow the command by tcl or twl. */
static void send_column(struct dram_channel *channel, bool is_write, uint32_t slot, uint64_t cycle)
{
    const struct dram_parameters *parameters = &channel->parameters;
    struct dram_entry *entry = dram_entry(channel, is_write, slot);
    struct dram_bank *bank = &channel->banks[entry->bank];
    uint64_t end =
        cycle + (is_write ? parameters->twl : parameters->tcl) + parameters->burst_cycles;

    command_tell(channel, is_write ? DRAM_WRITE : DRAM_READ, entry->bank, entry->row, cycle);
    not_before(&channel->column_at[is_write], cycle + parameters->tccds);
    not_before(&channel->group_column_at[group_of(channel, entry->bank)],
               cycle + parameters->tccdl);
    if (is_write) {
        not_before(&channel->column_at[0], end + parameters->twtr);
        not_before(&bank->precharge_at, end + parameters->twr);
        channel->statistics.turnarounds += !channel->wrote_last;
    } else {
        not_before(&channel->column_at[1], cycle + parameters->trtw);
        not_before(&bank->precharge_at, cycle + parameters->trtp);
    }
    channel->wrote_last = is_write;
    channel->statistics.bus_busy_cycles += parameters->burst_cycles;
    channel->statistics.row_hits += !entry->is_counted;
    entry->is_counted = true;
    dram_begin(entry, cycle);
    if (--entry->bursts == 0)
        dram_complete(channel, is_write, slot, end);
}

/* ---- Refresh ---- */

static void refresh_once(struct dram_channel *channel)
{
    uint64_t start = later_cycle(channel->refresh_at, channel->blocked_until);
    bool is_open = false;

    for (uint32_t i = 0; i < channel->parameters.banks; i++) {
        const struct dram_bank *bank = &channel->banks[i];

        is_open |= bank->row != DRAM_NO_ROW;
        start =
            later_cycle(start, bank->row != DRAM_NO_ROW ? bank->precharge_at : bank->activate_at);
    }
    for (uint32_t i = 0; i < channel->parameters.banks; i++)
        if (channel->banks[i].row != DRAM_NO_ROW)
            bank_precharge(channel, i, start);
    if (is_open)
        start += channel->parameters.trp;
    command_tell(channel, DRAM_REFRESH, 0, 0, start);
    channel->blocked_until = start + channel->parameters.trfc;
    for (uint32_t i = 0; i < channel->parameters.banks; i++)
        not_before(&channel->banks[i].activate_at, channel->blocked_until);
    channel->refresh_at += channel->parameters.trefi;
    channel->statistics.refreshes++;
}

static void gddr5_refresh(struct dram_channel *channel, uint64_t cycle)
{
    uint64_t interval = channel->parameters.trefi;

    while (channel->refresh_at <= cycle) {
        uint64_t behind = (cycle - channel->refresh_at) / interval;

        refresh_once(channel);
        /* All rows are closed now. Of the others only the last can still matter. */
        if (behind > 2 && channel->blocked_until <= channel->refresh_at) {
            channel->refresh_at += (behind - 2) * interval;
            channel->statistics.refreshes += behind - 2;
        }
    }
}

/* ---- Which command ---- */

struct choice {
    uint64_t next;     /* earliest cycle of a command that is not legal yet */
    uint64_t sequence; /* of the request that the chosen command serves */
    enum dram_command command;
    uint32_t bank, slot;
    bool is_column, is_found;
};

static void choice_offer(struct choice *choice, enum dram_command command, uint32_t bank,
                         uint32_t slot, uint64_t sequence)
{
    bool is_column = command == DRAM_READ || command == DRAM_WRITE;

    if (choice->is_found && (choice->is_column > is_column ||
                             (choice->is_column == is_column && choice->sequence < sequence)))
        return;
    choice->is_found = true;
    choice->is_column = is_column;
    choice->command = command;
    choice->bank = bank;
    choice->slot = slot;
    choice->sequence = sequence;
}

/* Notes when a command becomes legal; true: it is now. */
static bool is_due(struct choice *choice, uint64_t at, uint64_t cycle)
{
    if (at <= cycle)
        return true;
    if (at < choice->next)
        choice->next = at;
    return false;
}

static void consider_column(struct dram_channel *channel, bool is_write, uint32_t number,
                            uint64_t cycle, struct choice *choice)
{
    const struct dram_bank *bank = &channel->banks[number];
    uint64_t at = later_cycle(bank->column_at[is_write], channel->column_at[is_write]);
    const struct dram_entry *entry;
    uint32_t slot;

    at = later_cycle(at, channel->group_column_at[group_of(channel, number)]);
    if (!is_due(choice, at, cycle))
        return;
    slot = dram_oldest(channel, is_write, bank->hits[is_write]);
    entry = dram_entry(channel, is_write, slot);
    if (is_due(choice, entry->ready_at, cycle) &&
        (entry->bursts > 1 || dram_can_reply(channel, entry)))
        choice_offer(choice, is_write ? DRAM_WRITE : DRAM_READ, number, slot, entry->sequence);
}

static void consider_row(struct dram_channel *channel, bool is_write, uint32_t number,
                         uint64_t cycle, struct choice *choice)
{
    const struct dram_bank *bank = &channel->banks[number];
    uint32_t slot = bank->oldest[is_write];
    const struct dram_entry *entry = dram_entry(channel, is_write, slot);
    bool is_open = bank->row != DRAM_NO_ROW;
    uint64_t at = bank->precharge_at;

    if (!is_open) {
        at = later_cycle(bank->activate_at, channel->activate_at);
        at = later_cycle(at, channel->activates[channel->activate_next]);
    }
    if (is_due(choice, later_cycle(at, entry->ready_at), cycle))
        choice_offer(choice, is_open ? DRAM_PRECHARGE : DRAM_ACTIVATE, number, slot,
                     entry->sequence);
}

/* Younger row hits may not hold up the bank's oldest request for ever. */
static bool is_too_old(struct dram_channel *channel, bool is_write, const struct dram_bank *bank,
                       uint64_t cycle)
{
    uint32_t slot = bank->oldest[is_write];

    return (bank->hits[is_write] >> slot & 1) == 0 &&
           cycle - dram_entry(channel, is_write, slot)->accepted_at >
               channel->parameters.age_cap_cycles;
}

/* The moment at which the oldest request becomes too old must not be slept through. */
static void wait_for_age(struct dram_channel *channel, bool is_write, const struct dram_bank *bank,
                         uint64_t cycle, struct choice *choice)
{
    uint32_t slot = bank->oldest[is_write];

    if ((bank->hits[is_write] >> slot & 1) == 0)
        (void)is_due(choice,
                     dram_entry(channel, is_write, slot)->accepted_at +
                         channel->parameters.age_cap_cycles + 1,
                     cycle);
}

static void command_give(struct dram_channel *channel, bool is_write, const struct choice *choice,
                         uint64_t cycle)
{
    struct dram_entry *entry = dram_entry(channel, is_write, choice->slot);

    if (choice->is_column) {
        send_column(channel, is_write, choice->slot, cycle);
        return;
    }
    if (choice->command == DRAM_PRECHARGE) {
        channel->statistics.row_conflicts += !entry->is_counted;
        bank_precharge(channel, choice->bank, cycle);
    } else {
        channel->statistics.row_misses += !entry->is_counted;
        bank_activate(channel, choice->bank, entry->row, cycle);
    }
    entry->is_counted = true;
    dram_begin(entry, cycle);
}

static uint64_t gddr5_schedule(struct dram_channel *channel, uint64_t cycle)
{
    struct choice choice = {.next = UINT64_MAX};
    uint32_t writes = count_bits(channel->used[1]);
    bool is_write;

    gddr5_refresh(channel, cycle);
    if (writes >= channel->parameters.drain_above)
        channel->is_draining = true;
    else if (writes <= channel->parameters.drain_below)
        channel->is_draining = false;
    is_write = channel->is_draining || channel->used[0] == 0;
    for (uint32_t i = 0; i < channel->parameters.banks; i++) {
        const struct dram_bank *bank = &channel->banks[i];

        if (bank->queued[is_write] == 0)
            continue;
        if (bank->hits[is_write] == 0 || is_too_old(channel, is_write, bank, cycle)) {
            consider_row(channel, is_write, i, cycle, &choice);
            continue;
        }
        consider_column(channel, is_write, i, cycle, &choice);
        wait_for_age(channel, is_write, bank, cycle, &choice);
    }
    if (!choice.is_found)
        return choice.next;
    command_give(channel, is_write, &choice, cycle);
    return cycle + 1;
}

/* ---- The model ---- */

static bool gddr5_is_sound(const char *path, const struct dram_parameters *parameters,
                           struct diagnosis *diagnosis)
{
    if (parameters->drain_below >= parameters->drain_above ||
        parameters->drain_above > parameters->write_entries)
        return diagnose(diagnosis, "%s: drain_below < drain_above <= write_entries does not hold",
                        path);
    if (parameters->banks % parameters->bank_groups != 0 ||
        parameters->row_bytes % ADDRESS_INTERLEAVE_BYTES != 0)
        return diagnose(diagnosis, "%s: banks do not divide into groups, or rows into 256 bytes",
                        path);
    if (parameters->trc < parameters->tras ||
        parameters->trefi <= parameters->trfc + parameters->trc)
        return diagnose(diagnosis, "%s: trc < tras, or no time is left between refreshes", path);
    if (parameters->tccds < parameters->burst_cycles)
        return diagnose(diagnosis, "%s: tccds < burst_cycles: bursts would meet on the bus", path);
    return true;
}

static uint64_t gddr5_data_cycles(const struct dram_parameters *parameters)
{
    return parameters->tcl;
}

extern const struct dram_model dram_model_gddr5;
const struct dram_model dram_model_gddr5 = {
    .name = "gddr5",
    .help = "banks, rows and bank groups; also other parts of the kind, by their timings",
    .schedule = gddr5_schedule,
    .settle = gddr5_refresh,
    .is_sound = gddr5_is_sound,
    .data_cycles = gddr5_data_cycles,
    .has_controller = true,
};
