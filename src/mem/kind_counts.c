/* SPDX-License-Identifier: MIT */
#include "mem/kind_counts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static char *statistic_name(const char *kind, const char *what)
{
    char *name = format_string("%s_%s", kind, what);

    for (char *at = name; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return name;
}

static void add_kind(struct kind_counts *kinds, const struct message_kind *kind)
{
    uint32_t offset = kinds->count * (uint32_t)sizeof *kinds->counts;
    struct statistic *statistics = &kinds->statistics[2 * kinds->count++];

    statistics[0] = (struct statistic){statistic_name(kind->name, "messages"), "messages",
                                       "messages of this kind", STATISTIC_COUNTER, offset};
    statistics[1] =
        (struct statistic){statistic_name(kind->name, "bytes"), "bytes", "bytes of their payload",
                           STATISTIC_COUNTER, offset + (uint32_t)sizeof(uint64_t)};
}

void kind_counts_init(struct kind_counts *kinds, const struct protocol *protocol)
{
    memset(kinds, 0, sizeof *kinds);
    kinds->statistics = allocate((size_t)2 * MESSAGE_KINDS, sizeof *kinds->statistics);
    for (unsigned kind = MESSAGE_NONE + 1; kind < MESSAGE_KINDS; kind++) {
        const struct message_kind *known = protocol_find_kind(protocol, kind);

        if (known == NULL)
            continue;
        kinds->place[kind] = (uint8_t)kinds->count;
        kinds->has_data[kind] = known->has_data;
        add_kind(kinds, known);
    }
    for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++)
        if (protocol_find_kind(protocol, kind) == NULL)
            kinds->place[kind] = (uint8_t)kinds->count; /* of transactions: counted by those */
    kinds->counts = allocate(kinds->count + 1, sizeof *kinds->counts);
}

void kind_counts_finish(struct kind_counts *kinds)
{
    for (uint32_t i = 0; i < 2 * kinds->count; i++)
        free((char *)kinds->statistics[i].name);
    free(kinds->statistics);
    free(kinds->counts);
}

void kind_counts_register(struct kind_counts *kinds, struct registry *registry, const char *path)
{
    char *place = format_string("%s.kinds", path);

    registry_add(registry, place, "message_kinds", kinds->statistics, 2 * kinds->count,
                 kinds->counts, (uint32_t)(kinds->count * sizeof *kinds->counts));
    free(place);
}
