/* SPDX-License-Identifier: MIT */
/*
 * A model of a memory channel's time: when each queued request's data are on the bus. Queues, what
 * a request does and its reply are the channel's (mem/dram.c); a model says when.
 *
 *     accepted ──► queue ──► schedule, once a cycle while something is queued ──► dram_complete
 *
 * To add one: a file in mem/dram/ and its line in mem/dram/list.c.
 */
#ifndef MEM_DRAM_MODEL_H
#define MEM_DRAM_MODEL_H

#include "mem/dram.h"

#define DRAM_NO_ROW UINT32_MAX

struct dram_entry {
    struct message reply; /* as it will be sent; READ: with the data of the moment of acceptance */
    uint64_t accepted_at;
    uint64_t ready_at; /* may be scheduled from this cycle on */
    uint64_t begun_at; /* first command for it; 0: none yet */
    uint64_t sequence; /* order of acceptance */
    uint32_t bank, row;
    uint8_t bursts;  /* left to send */
    bool is_counted; /* as a row hit, miss or conflict */
};

struct dram_bank {
    uint64_t queued[2];   /* entries of this bank: [is_write] */
    uint64_t hits[2];     /* of these, those of the open row */
    uint64_t activate_at; /* earliest command of each kind */
    uint64_t precharge_at;
    uint64_t column_at[2]; /* [is_write] */
    uint32_t row;          /* open row, DRAM_NO_ROW */
    uint32_t oldest[2];    /* slot of the oldest entry, where there is one */
};

static inline struct dram_entry *dram_entry(struct dram_channel *channel, bool is_write,
                                            uint32_t slot)
{
    return &channel->entries[(is_write ? DRAM_MAX_QUEUE : 0) + slot];
}

/* The slot of the set whose entry was accepted first. The set is not empty. */
static inline uint32_t dram_oldest(struct dram_channel *channel, bool is_write, uint64_t set)
{
    const struct dram_entry *entries = dram_entry(channel, is_write, 0);
    uint32_t best = (uint32_t)__builtin_ctzll(set);

    for (set &= set - 1; set != 0; set &= set - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(set);

        if (entries[slot].sequence < entries[best].sequence)
            best = slot;
    }
    return best;
}

/* One request a cycle is accepted. True: one was. */
bool dram_take_request(struct dram_channel *channel, uint64_t cycle);

/* Counts the cycles since the queue last changed. */
void dram_note_queue(struct dram_channel *channel, bool is_write);

/* A command is given for the entry: it is no longer queued, for its journey. */
static inline void dram_begin(struct dram_entry *entry, uint64_t cycle)
{
    if (entry->begun_at == 0)
        entry->begun_at = cycle;
}

/* The entry is done: its data ends at `end`. Sends the reply, frees the slot. */
void dram_complete(struct dram_channel *channel, bool is_write, uint32_t slot, uint64_t end);

/* Whether the entry's reply could be sent now. */
bool dram_can_reply(struct dram_channel *channel, const struct dram_entry *entry);

/* Cycles of the bus for a line. */
static inline uint64_t dram_line_cycles(const struct dram_parameters *parameters)
{
    return LINE_BYTES / parameters->burst_bytes * parameters->burst_cycles;
}

struct dram_model {
    const char *name; /* "gddr5" */
    const char *help; /* one line */
    /* One cycle. Returns the next cycle at which there may be something to do; UINT64_MAX: none
     * before something arrives. */
    uint64_t (*schedule)(struct dram_channel *channel, uint64_t cycle);
    /* Brings what happens by itself, such as refreshes, up to the cycle; NULL: nothing does. */
    void (*settle)(struct dram_channel *channel, uint64_t cycle);
    /* False and a diagnosis for parameters that contradict each other; NULL: none can. */
    bool (*is_sound)(const char *path, const struct dram_parameters *parameters,
                     struct diagnosis *diagnosis);
    /* Cycles from the command that moves data to the data, for the number of replies on the way. */
    uint64_t (*data_cycles)(const struct dram_parameters *parameters);
    bool has_controller; /* request_cycles and reply_cycles count */
};

/* All models, NULL-terminated. */
extern const struct dram_model *const dram_models[];
/* NULL: there is none of that name. */
const struct dram_model *dram_model_find(const char *name);

#endif
