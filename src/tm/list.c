/* SPDX-License-Identifier: MIT */
#include "tm/systems.h"

#include <string.h>

#include "base/check.h"
#include "tm/parameters.h"

const struct tm_system *const tm_systems[] = {
    &tm_none,         &tm_serial,  &tm_serial_global, &tm_ideal,
    &tm_ideal_global, &tm_localtm, &tm_kilotm,        NULL};

PARAMETER_LIST(struct tm_system, tm, tm_systems)

static bool add_system(const char *name, struct tm_set *set, struct diagnosis *diagnosis)
{
    const struct tm_system *system = tm_find(name);

    check(system != NULL, "a known system, not '%s'", name);
    for (uint32_t i = 0; i < set->count; i++)
        if (system == set->systems[i] || (system->spaces & set->systems[i]->spaces) != 0)
            return diagnose(diagnosis,
                            "gpu.transactional_memory: %s and %s are for the same memory",
                            set->systems[i]->name, name);
    if (set->count == TM_MAX_SYSTEMS)
        return diagnose(diagnosis, "gpu.transactional_memory: more than %u systems",
                        (unsigned)TM_MAX_SYSTEMS);
    set->systems[set->count++] = system;
    set->spaces |= system->spaces;
    return true;
}

bool tm_parse(const char *names, struct tm_set *set, struct diagnosis *diagnosis)
{
    char name[PARAMETER_TEXT_BYTES];

    memset(set, 0, sizeof *set);
    do {
        size_t length = strcspn(names, ",");

        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (!add_system(name, set, diagnosis))
            return false;
        names += length;
    } while (*names++ == ',');
    if (set->count == 2 && (set->systems[0]->spaces & TM_SPACE_GLOBAL) != 0) {
        const struct tm_system *global = set->systems[0];

        set->systems[0] = set->systems[1];
        set->systems[1] = global;
    }
    if (set->count == 2 && set->systems[0]->never_aborts && !set->systems[1]->never_aborts)
        return diagnose(
            diagnosis,
            "gpu.transactional_memory: %s cannot undo what a lane has stored, and %s may "
            "abort it",
            set->systems[0]->name, set->systems[1]->name);
    return true;
}

enum tm_promise tm_promise_of(const struct tm_set *set, enum tm_space space)
{
    for (uint32_t i = 0; i < set->count; i++)
        if ((set->systems[i]->spaces & space) != 0)
            return set->systems[i]->promise;
    return TM_PROMISES_NOTHING;
}

uint64_t tm_doomed_max_of(const struct tm_set *set, const struct tm_parameters *parameters,
                          enum tm_space space)
{
    for (uint32_t i = 0; i < set->count; i++)
        if ((set->systems[i]->spaces & space) != 0 && set->systems[i]->doomed_max != NULL)
            return set->systems[i]->doomed_max(parameters);
    return UINT64_MAX;
}

bool tm_check(const struct tm_set *set, const struct tm_parameters *parameters,
              const struct tm_facts *facts, struct diagnosis *diagnosis)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->systems[i]->accepts != NULL &&
            !set->systems[i]->accepts(parameters, facts, diagnosis))
            return false;
    return true;
}

void tm_add_resources(const struct tm_set *set, const struct tm_parameters *parameters,
                      const struct tm_facts *facts, struct tm_resources *resources)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->systems[i]->resources != NULL)
            set->systems[i]->resources(parameters, facts, resources);
}

void tm_defaults(struct tm_parameters *parameters)
{
#define SET_DEFAULTS(name, help)                                                                   \
    parameters_set_initial(name##_parameters, name##_parameter_count, &parameters->name);
    TM_PARAMETER_GROUPS(SET_DEFAULTS)
#undef SET_DEFAULTS
}
