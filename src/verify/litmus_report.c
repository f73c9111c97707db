/* SPDX-License-Identifier: MIT */
#include "verify/litmus_report.h"

#include <stdlib.h>
#include <string.h>

/* Values of the condition's places. */
struct end_state {
    int values[CONDITION_PLACES];
};

struct end_states {
    uint32_t places, count;
    struct litmus_place place[CONDITION_PLACES];
    struct end_state *list;
};

static int state_order(const void *one, const void *other)
{
    const struct end_state *left = one, *right = other;

    for (uint32_t i = 0; i < CONDITION_PLACES; i++)
        if (left->values[i] != right->values[i])
            return left->values[i] < right->values[i] ? -1 : 1;
    return 0;
}

/* Each once, in order. The caller frees the list. */
static struct end_states states_of(const struct litmus_file *file,
                                   const struct litmus_outcomes *outcomes)
{
    struct end_states states = {0};
    uint32_t kept = 0;

    states.places = litmus_condition_places(&file->condition, &file->litmus, states.place);
    states.list = allocate(outcomes->count + 1, sizeof *states.list);
    for (uint32_t i = 0; i < outcomes->count; i++)
        for (uint32_t j = 0; j < states.places; j++)
            states.list[i].values[j] =
                litmus_value_at_end(&file->litmus, &states.place[j], &outcomes->list[i]);
    qsort(states.list, outcomes->count, sizeof *states.list, state_order);
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (i == 0 || state_order(&states.list[i], &states.list[kept - 1]) != 0)
            states.list[kept++] = states.list[i];
    states.count = kept;
    return states;
}

uint32_t litmus_count_states(const struct litmus_file *file, const struct litmus_outcomes *outcomes,
                             const struct litmus_outcomes *others, uint32_t *shared)
{
    struct end_states states = states_of(file, outcomes), other = states_of(file, others);

    *shared = 0;
    for (uint32_t i = 0; i < states.count; i++)
        *shared += bsearch(&states.list[i], other.list, other.count, sizeof *other.list,
                           state_order) != NULL;
    free(states.list);
    free(other.list);
    return states.count;
}

static void print_states(const struct litmus_file *file, const struct litmus_outcomes *outcomes,
                         struct text *text)
{
    struct end_states states = states_of(file, outcomes);

    text_add(text, "States %u\n", states.count);
    for (uint32_t i = 0; i < states.count; i++) {
        for (uint32_t j = 0; j < states.places; j++) {
            text_add(text, j > 0 ? " " : "");
            if (!states.place[j].is_word)
                text_add(text, "%u:", states.place[j].thread);
            text_add(text, "%s=%d;", litmus_place_name(&file->litmus, &states.place[j]),
                     states.list[i].values[j]);
        }
        text_add(text, "\n");
    }
    free(states.list);
}

static void print_race(const struct litmus_file *file, const struct axioms_found *found,
                       struct text *text)
{
    if (found->undefined == 0)
        return;
    if (found->has_diverged) {
        text_add(text, "Undefined: a barrier that some of its work-group does not meet\n");
        return;
    }
    text_add(text, "Racy:");
    for (unsigned i = 0; i < 2; i++) {
        const struct litmus_term *term = &found->race[i];

        text_add(text, " %sthread %u: ", i > 0 ? "and " : "", term->thread);
        litmus_print_operation(&file->litmus, term->thread,
                               &file->litmus.threads[term->thread][term->operation], text);
    }
    text_add(text, "\n");
}

void litmus_report(const struct litmus_file *file, const struct axioms_found *found,
                   struct text *text)
{
    static const char *const expectations[] = {"Allowed", "Forbidden", "Required"};
    const struct litmus_condition *condition = &file->condition;
    uint64_t positive = 0, negative;
    bool is_ok;

    for (uint32_t i = 0; i < found->outcomes.count; i++)
        if (litmus_condition_holds(condition, &file->litmus, &found->outcomes.list[i]))
            positive += found->outcomes.list[i].executions;
    negative = found->executions - positive;
    is_ok = condition->quantifier == QUANTIFIER_EXISTS       ? positive > 0
            : condition->quantifier == QUANTIFIER_NOT_EXISTS ? positive == 0
                                                             : negative == 0;
    text_add(text, "Test %s %s\n", file->name, expectations[condition->quantifier]);
    print_states(file, &found->outcomes, text);
    text_add(text, "%s\nWitnesses\nPositive: %llu Negative: %llu\n", is_ok ? "Ok" : "No",
             (unsigned long long)positive, (unsigned long long)negative);
    text_add(text, "Bad executions (%llu in total)\n", (unsigned long long)found->undefined);
    print_race(file, found, text);
    text_add(text, "Condition ");
    litmus_condition_print(condition, &file->litmus, text);
    text_add(text, "\nObservation %s %s %llu %llu\n", file->name,
             positive == 0   ? "Never"
             : negative == 0 ? "Always"
                             : "Sometimes",
             (unsigned long long)positive, (unsigned long long)negative);
}
