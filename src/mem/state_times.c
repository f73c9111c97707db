/* SPDX-License-Identifier: MIT */
#include "mem/state_times.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/text.h"

static char *statistic_name(const char *state, const char *what)
{
    char *name = format_string("%s_%s", state, what);

    for (char *at = name; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return name;
}

static void add_state(struct state_times *times, const struct protocol_state *state)
{
    struct statistic *statistics = &times->statistics[2 * times->count];
    uint32_t offset = 2 * times->count * (uint32_t)sizeof(uint64_t);

    statistics[0] = (struct statistic){statistic_name(state->name, "entries"), "lines",
                                       "times that a line came into this transient state",
                                       STATISTIC_COUNTER, offset};
    statistics[1] = (struct statistic){statistic_name(state->name, "cycles"), "cycles",
                                       "that lines stood in it, summed over lines",
                                       STATISTIC_COUNTER, offset + (uint32_t)sizeof(uint64_t)};
    times->count++;
}

void state_times_init(struct state_times *times, const struct protocol_role *role, uint32_t mshrs)
{
    *times = (struct state_times){.count = 0};
    times->since = allocate(mshrs, sizeof *times->since);
    times->statistics = allocate(2 * role->state_count, sizeof *times->statistics);
    times->counts = allocate(2 * role->state_count, sizeof *times->counts);
    for (uint32_t state = 0; state < role->state_count; state++) {
        if ((role->states[state].flags & STATE_TRANSIENT) == 0)
            continue;
        add_state(times, &role->states[state]);
        times->place[state] = (uint8_t)times->count;
    }
}

void state_times_finish(struct state_times *times)
{
    for (uint32_t i = 0; i < 2 * times->count; i++)
        free((char *)times->statistics[i].name);
    free(times->statistics);
    free(times->counts);
    free(times->since);
}

void state_times_register(const struct state_times *times, struct registry *registry,
                          const char *path)
{
    char *place;

    if (times->count == 0)
        return;
    place = format_string("%s.states", path);
    registry_add(registry, place, "line_states", times->statistics, 2 * times->count, times->counts,
                 2 * times->count * (uint32_t)sizeof *times->counts);
    free(place);
}
