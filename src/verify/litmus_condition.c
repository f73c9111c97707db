/* SPDX-License-Identifier: MIT */
#include "verify/litmus_condition.h"

#include <stdlib.h>
#include <string.h>

/* ---- Values ---- */

int litmus_value_at_end(const struct litmus *litmus, const struct litmus_place *place,
                        const struct litmus_outcome *outcome)
{
    struct litmus_registers registers;

    if (place->is_word)
        return outcome->at_end[place->number];
    litmus_settle(litmus, place->thread, LITMUS_OPERATIONS, outcome->returned[place->thread],
                  &registers);
    return registers.of[place->number];
}

static bool node_holds(const struct litmus_condition *condition, uint8_t number,
                       const struct litmus *litmus, const struct litmus_outcome *outcome)
{
    const struct condition_node *node = &condition->nodes[number];

    switch (node->kind) {
    case CONDITION_EQUAL:
        return litmus_value_at_end(litmus, &node->place, outcome) == node->value;
    case CONDITION_AND:
        return node_holds(condition, node->left, litmus, outcome) &&
               node_holds(condition, node->right, litmus, outcome);
    case CONDITION_OR:
        return node_holds(condition, node->left, litmus, outcome) ||
               node_holds(condition, node->right, litmus, outcome);
    case CONDITION_NOT:
        return !node_holds(condition, node->left, litmus, outcome);
    default:
        return true;
    }
}

bool litmus_condition_holds(const struct litmus_condition *condition, const struct litmus *litmus,
                            const struct litmus_outcome *outcome)
{
    return node_holds(condition, condition->root, litmus, outcome);
}

/* ---- Places ---- */

const char *litmus_place_name(const struct litmus *litmus, const struct litmus_place *place)
{
    return place->is_word ? litmus->names->words[place->number]
                          : litmus->names->registers[place->thread][place->number];
}

static int place_order(const struct litmus *litmus, const struct litmus_place *one,
                       const struct litmus_place *other)
{
    if (one->is_word != other->is_word)
        return one->is_word ? 1 : -1;
    if (!one->is_word && one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return strcmp(litmus_place_name(litmus, one), litmus_place_name(litmus, other));
}

uint32_t litmus_condition_places(const struct litmus_condition *condition,
                                 const struct litmus *litmus,
                                 struct litmus_place places[CONDITION_PLACES])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < condition->count; i++) {
        const struct litmus_place *place = &condition->nodes[i].place;
        uint32_t at = 0;

        if (condition->nodes[i].kind != CONDITION_EQUAL)
            continue;
        while (at < count && place_order(litmus, &places[at], place) < 0)
            at++;
        if (count == CONDITION_PLACES ||
            (at < count && place_order(litmus, &places[at], place) == 0))
            continue;
        memmove(places + at + 1, places + at, (count - at) * sizeof *places);
        places[at] = *place;
        count++;
    }
    return count;
}

/* ---- Text ---- */

static void print_node(const struct litmus_condition *condition, uint8_t number, uint8_t around,
                       const struct litmus *litmus, struct text *text)
{
    const struct condition_node *node = &condition->nodes[number];
    bool is_apart = node->kind == CONDITION_OR && around == CONDITION_AND;

    switch (node->kind) {
    case CONDITION_EQUAL:
        if (!node->place.is_word)
            text_add(text, "%u:", node->place.thread);
        text_add(text, "%s=%d", litmus_place_name(litmus, &node->place), node->value);
        break;
    case CONDITION_AND:
    case CONDITION_OR:
        text_add(text, is_apart ? "(" : "");
        print_node(condition, node->left, node->kind, litmus, text);
        text_add(text, node->kind == CONDITION_AND ? " /\\ " : " \\/ ");
        print_node(condition, node->right, node->kind, litmus, text);
        text_add(text, is_apart ? ")" : "");
        break;
    case CONDITION_NOT:
        text_add(text, "not (");
        print_node(condition, node->left, CONDITION_NOT, litmus, text);
        text_add(text, ")");
        break;
    default:
        text_add(text, "true");
        break;
    }
}

void litmus_condition_print(const struct litmus_condition *condition, const struct litmus *litmus,
                            struct text *text)
{
    static const char *const quantifiers[] = {"exists", "~exists", "forall"};

    text_add(text, "%s (", quantifiers[condition->quantifier]);
    print_node(condition, condition->root, CONDITION_TRUE, litmus, text);
    text_add(text, ")");
}
