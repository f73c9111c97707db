/* SPDX-License-Identifier: MIT */
/* Which rows of a protocol's tables verification has used. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/verify.h"

struct verify_coverage {
    const struct protocol *protocol;
    uint64_t *counts[ROLE_COUNT]; /* by row */
};

struct verify_coverage *verify_coverage_create(const struct protocol *protocol)
{
    struct verify_coverage *coverage = allocate(1, sizeof *coverage);

    coverage->protocol = protocol;
    for (unsigned role = 0; role < ROLE_COUNT; role++)
        if (protocol->roles[role] != NULL)
            coverage->counts[role] =
                allocate(protocol->roles[role]->row_count, sizeof *coverage->counts[role]);
    return coverage;
}

void verify_coverage_destroy(struct verify_coverage *coverage)
{
    for (unsigned role = 0; role < ROLE_COUNT && coverage != NULL; role++)
        free(coverage->counts[role]);
    free(coverage);
}

void verify_coverage_add(struct verify_coverage *coverage, const struct controller *controller)
{
    const struct protocol_role *role = controller->role;

    for (uint32_t i = 0; i < role->row_count && controller->coverage != NULL; i++)
        coverage->counts[controller->kind][i] +=
            controller
                ->coverage[(uint32_t)role->rows[i].state * role->event_count + role->rows[i].event];
}

/* A step that stalls changes nothing and is not counted. */
static bool only_stalls(const struct protocol_row *row)
{
    for (unsigned i = 0; i < PROTOCOL_MAX_ACTIONS && row->actions[i] != NULL; i++)
        if (row->actions[i] == &verb_stall_resource || row->actions[i] == &verb_stall_order)
            return true;
    return false;
}

uint32_t verify_coverage_print(const struct verify_coverage *coverage, bool all)
{
    uint32_t unused = 0, rows = 0;

    for (unsigned kind = 0; kind < ROLE_COUNT; kind++) {
        const struct protocol_role *role = coverage->protocol->roles[kind];

        for (uint32_t i = 0; role != NULL && i < role->row_count; i++) {
            uint64_t count = coverage->counts[kind][i];

            if (only_stalls(&role->rows[i]))
                continue;
            rows++;
            unused += count == 0;
            if (all || count == 0)
                printf("  %-8s %-8s %-20s %llu\n", role->name,
                       role->states[role->rows[i].state].name,
                       role->events[role->rows[i].event].name, (unsigned long long)count);
        }
    }
    printf("%u of %u rows used (rows that only stall are not counted)\n", rows - unused, rows);
    return unused;
}
