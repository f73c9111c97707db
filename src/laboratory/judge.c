/* SPDX-License-Identifier: MIT */
#include "laboratory/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *verdict_words(enum verdict verdict)
{
    static const char *const words[] = {"holds", "holds partly", "does not hold",
                                        "cannot be judged"};

    return words[verdict];
}

/* Evaluates one of the claim's formulas. False: it is wrong, or undefined with a reason. */
static bool claim_ask(struct results *results, struct judgement *judgement, const char *formula,
                      double *value, bool *is_good, struct diagnosis *diagnosis)
{
    struct diagnosis reason = {.line = 0};

    *is_good = true;
    *value = 0;
    if (!results_know(results, formula, &reason)) {
        if (judgement->reason == NULL)
            judgement->reason = copy_string(reason.message);
        return false;
    }
    switch (formula_try(formula, &results->names, value, &reason)) {
    case FORMULA_VALUE:
        return true;
    case FORMULA_UNDEFINED:
        if (judgement->reason == NULL)
            judgement->reason = copy_string(reason.message);
        return false;
    default:
        *diagnosis = reason;
        *is_good = false;
        return false;
    }
}

static bool compute_values(struct results *results, const struct plan_claim *claim,
                           struct judgement *judgement, struct diagnosis *diagnosis)
{
    judgement->values = allocate(claim->values.count + 1, sizeof *judgement->values);
    results->values = judgement->values;
    for (unsigned i = 0; i < claim->values.count; i++) {
        struct named_value *value = &judgement->values[i];
        bool is_good;

        value->is_defined = claim_ask(results, judgement, claim->values.list[i].text, &value->value,
                                      &is_good, diagnosis);
        if (!is_good)
            return false;
        value->name = claim->values.list[i].name;
        results->value_count = judgement->value_count = i + 1;
    }
    return true;
}

static bool find_verdict(struct results *results, const struct plan_claim *claim,
                         struct judgement *judgement, struct diagnosis *diagnosis)
{
    double holds = 0, partly = 0;
    bool is_good,
        is_known = claim_ask(results, judgement, claim->holds, &holds, &is_good, diagnosis);

    judgement->verdict = CLAIM_CANNOT_BE_JUDGED;
    if (is_good && is_known && holds == 0 && claim->partly != NULL)
        is_known = claim_ask(results, judgement, claim->partly, &partly, &is_good, diagnosis);
    if (!is_good || !is_known)
        return is_good;
    judgement->verdict = holds != 0    ? CLAIM_HOLDS
                         : partly != 0 ? CLAIM_HOLDS_PARTLY
                                       : CLAIM_DOES_NOT_HOLD;
    /* A value that is only printed may be undefined. */
    free(judgement->reason);
    judgement->reason = NULL;
    return true;
}

bool claim_judge(struct results *results, const struct plan_claim *claim,
                 struct judgement *judgement, struct diagnosis *diagnosis)
{
    bool is_good;

    memset(judgement, 0, sizeof *judgement);
    is_good = compute_values(results, claim, judgement, diagnosis) &&
              find_verdict(results, claim, judgement, diagnosis);
    results->values = NULL;
    results->value_count = 0;
    return is_good;
}

void judgement_finish(struct judgement *judgement)
{
    free(judgement->values);
    free(judgement->reason);
    memset(judgement, 0, sizeof *judgement);
}

/* ---- When the claims were made ---- */

static void add_words(struct text *text, const char *a, const char *b)
{
    text_add(text, "%s\n%s\n", a != NULL ? a : "", b != NULL ? b : "");
}

/* All that a verdict depends on. The caller frees. */
static char *claims_text(const struct plan *plan)
{
    struct text text = {0};
    char *result;

    for (unsigned i = 0; i < plan->derived_count; i++) {
        add_words(&text, plan->derived[i].name, plan->derived[i].formula);
        for (unsigned j = 0; j < plan->derived[i].baseline.count; j++)
            add_words(&text, plan->derived[i].baseline.list[j].key,
                      plan->derived[i].baseline.list[j].text);
    }
    for (unsigned i = 0; i < plan->claim_count; i++) {
        const struct plan_claim *claim = &plan->claims[i];

        add_words(&text, claim->name, claim->sentence);
        add_words(&text, claim->holds, claim->partly);
        for (unsigned j = 0; j < claim->values.count; j++)
            add_words(&text, claim->values.list[j].name, claim->values.list[j].text);
    }
    result = copy_string(text_chars(&text));
    text_finish(&text);
    return result;
}

static bool has_same_claims(const struct results *results, const char *text)
{
    struct plan plan = {.path = NULL};
    struct diagnosis ignored;
    bool is_same = false;

    if (plan_parse(&plan, results->plan.name, results->plan.folder, text, &ignored)) {
        char *mine = claims_text(&results->plan), *other = claims_text(&plan);

        is_same = strcmp(mine, other) == 0;
        free(mine);
        free(other);
    }
    plan_finish(&plan);
    return is_same;
}

bool claims_came_first(struct results *results, bool *came_first, struct diagnosis *diagnosis)
{
    sqlite3_stmt *row = database_prepare(
        results->database, diagnosis,
        "SELECT text, recorded <= coalesce((SELECT min(h.started) FROM plan_points p"
        "  JOIN hosts h ON h.run = p.run WHERE p.plan = ?2), '9')"
        " FROM plans WHERE name = ?1 ORDER BY plan");
    int code;

    *came_first = false;
    if (row == NULL)
        return false;
    sqlite3_bind_text(row, 1, results->plan.name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(row, 2, results->plan_number);
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        if (sqlite3_column_int64(row, 1) != 0 &&
            has_same_claims(results, (const char *)sqlite3_column_text(row, 0)))
            *came_first = true;
    sqlite3_finalize(row);
    return code == SQLITE_DONE || database_fail(results->database, diagnosis);
}
