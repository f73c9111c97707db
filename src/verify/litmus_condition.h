/* SPDX-License-Identifier: MIT */
/* The condition at the end of a litmus test: what of registers and memory it asks for. */
#ifndef VERIFY_LITMUS_CONDITION_H
#define VERIFY_LITMUS_CONDITION_H

#include "base/text.h"
#include "verify/outcomes.h"

enum { CONDITION_NODES = 64, CONDITION_PLACES = 32 };

enum condition_kind {
    CONDITION_TRUE,
    CONDITION_EQUAL, /* of the place and the value */
    CONDITION_AND,
    CONDITION_OR,
    CONDITION_NOT
};
enum condition_quantifier { QUANTIFIER_EXISTS, QUANTIFIER_NOT_EXISTS, QUANTIFIER_FORALL };

/* A register of a thread, or a word. */
struct litmus_place {
    bool is_word;
    uint8_t thread, number;
};

struct condition_node {
    uint8_t kind, left, right;
    struct litmus_place place;
    int16_t value;
};

struct litmus_condition {
    uint8_t quantifier, root, count;
    struct condition_node nodes[CONDITION_NODES];
};

/* What the place holds at the end of the program. */
int litmus_value_at_end(const struct litmus *litmus, const struct litmus_place *place,
                        const struct litmus_outcome *outcome);
bool litmus_condition_holds(const struct litmus_condition *condition, const struct litmus *litmus,
                            const struct litmus_outcome *outcome);

/* The places that it names, each once: registers by thread and name, then words by name. Gives how
 * many. */
uint32_t litmus_condition_places(const struct litmus_condition *condition,
                                 const struct litmus *litmus,
                                 struct litmus_place places[CONDITION_PLACES]);
const char *litmus_place_name(const struct litmus *litmus, const struct litmus_place *place);

/* As herd writes it. */
void litmus_condition_print(const struct litmus_condition *condition, const struct litmus *litmus,
                            struct text *text);

#endif
