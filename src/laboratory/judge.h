/* SPDX-License-Identifier: MIT */
/* Claims of plans, judged by results. */
#ifndef LABORATORY_JUDGE_H
#define LABORATORY_JUDGE_H

#include "laboratory/results.h"

enum verdict { CLAIM_HOLDS, CLAIM_HOLDS_PARTLY, CLAIM_DOES_NOT_HOLD, CLAIM_CANNOT_BE_JUDGED };

struct judgement {
    enum verdict verdict;
    struct named_value *values; /* of the claim, in its order; the names are the claim's */
    unsigned value_count;
    char *reason; /* why it cannot be judged; NULL: it can */
};

/* "holds", "holds partly", "does not hold", "cannot be judged". */
const char *verdict_words(enum verdict verdict);

/* False and a diagnosis: a formula is wrong. The caller ends it with judgement_finish. */
bool claim_judge(struct results *results, const struct plan_claim *claim,
                 struct judgement *judgement, struct diagnosis *diagnosis) MUST_USE;
void judgement_finish(struct judgement *judgement);

/* Whether the claims stood in the database, word for word, with their quantities, before the first
 * of the plan's runs began. */
bool claims_came_first(struct results *results, bool *came_first,
                       struct diagnosis *diagnosis) MUST_USE;

#endif
