/* SPDX-License-Identifier: MIT */
/*
 * What passed a place, by kind of message: how many, and how many bytes of payload. The statistics
 * are named after the protocol's kinds, "load_messages" and "load_bytes". What a protocol's own
 * kinds count as in a cache's statistics is struct message_kind's counts_as.
 */
#ifndef MEM_KIND_COUNTS_H
#define MEM_KIND_COUNTS_H

#include "base/bits.h"
#include "mem/protocol.h"
#include "sim/registry.h"

struct kind_count {
    uint64_t messages, bytes;
};

struct kind_counts {
    struct kind_count *counts; /* of the protocol's kinds, in their order */
    struct statistic *statistics;
    uint32_t count;
    uint8_t place[MESSAGE_KINDS]; /* in counts */
    uint8_t has_data[MESSAGE_KINDS];
};

void kind_counts_init(struct kind_counts *kinds, const struct protocol *protocol);
void kind_counts_finish(struct kind_counts *kinds);

/* At "PATH.kinds". */
void kind_counts_register(struct kind_counts *kinds, struct registry *registry, const char *path);

static inline void kind_counts_add(struct kind_counts *kinds, const struct message *message)
{
    struct kind_count *count = &kinds->counts[kinds->place[message->kind]];

    count->messages++;
    if (message->entry_count > 0)
        count->bytes += message->entry_count * sizeof(struct message_entry);
    else if (kinds->has_data[message->kind])
        count->bytes += count_bits(message->mask);
}

#endif
