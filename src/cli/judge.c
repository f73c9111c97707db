/* SPDX-License-Identifier: MIT */
/* wavetank judge: whether the claims of plans hold. */
#include "laboratory/judge.h"

#include <stdlib.h>

#include "base/bits.h"
#include "cli/command.h"

static void print_judgement(const struct plan_claim *claim, const struct judgement *judgement)
{
    printf("%s %s:", claim->name, verdict_words(judgement->verdict));
    if (judgement->reason != NULL)
        printf(" %s;", judgement->reason);
    for (unsigned i = 0; i < judgement->value_count; i++) {
        const struct named_value *value = &judgement->values[i];

        if (value->is_defined)
            printf("%s %s = %.4g", i > 0 ? "," : "", value->name, value->value);
        else
            printf("%s %s is not defined", i > 0 ? "," : "", value->name);
    }
    printf("%s \"%s\"", judgement->value_count > 0 ? ";" : "", claim->sentence);
    if (claim->source != NULL)
        printf(" (%s)", claim->source);
    putchar('\n');
}

/* Gives how many claims cannot be judged; -1 and a diagnosis: something is wrong. */
static int judge_plan(struct results *results, bool is_one_of_several, struct diagnosis *diagnosis)
{
    int open = 0;
    bool came_first;

    if (is_one_of_several && results->plan.claim_count > 0)
        printf("plan %s: %s\n", results->plan.name,
               results->plan.title != NULL ? results->plan.title : "no title");
    for (unsigned i = 0; i < results->plan.claim_count; i++) {
        struct judgement judgement;
        bool is_good = claim_judge(results, &results->plan.claims[i], &judgement, diagnosis) ||
                       diagnose_at(diagnosis, results->plan.path, results->plan.claims[i].line);

        if (is_good) {
            print_judgement(&results->plan.claims[i], &judgement);
            open += judgement.verdict == CLAIM_CANNOT_BE_JUDGED;
        }
        judgement_finish(&judgement);
        if (!is_good)
            return -1;
    }
    if (!claims_came_first(results, &came_first, diagnosis))
        return -1;
    if (!came_first && results->plan.claim_count > 0)
        fprintf(stderr,
                "wavetank: plan %s: these claims, or what they are computed from, were "
                "recorded after its first run\n",
                results->plan.name);
    return open;
}

static int claims_judge(struct database *database, struct diagnosis *diagnosis)
{
    int64_t *numbers;
    unsigned count, claims = 0;
    int open = 0;

    if (!results_plans(database, &numbers, &count, diagnosis))
        return -1;
    for (unsigned i = 0; i < count && open >= 0; i++) {
        struct results results;
        int more = results_load(&results, database, numbers[i], diagnosis)
                       ? judge_plan(&results, count > 1, diagnosis)
                       : -1;

        claims += results.plan.claim_count;
        open = more < 0 ? more : open + more;
        results_finish(&results);
    }
    free(numbers);
    if (open == 0 && claims == 0) {
        diagnose(diagnosis, "%s: its plans have no claims", database->path);
        return -1;
    }
    return open;
}

static int judge_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    int index = option_next(&reader), open = -1;
    struct diagnosis diagnosis = {.line = 0};
    struct database database;

    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    if (argc - reader.at != 1) {
        diagnose(&diagnosis, "judge takes one database of results");
        return mistake_print(&diagnosis);
    }
    if (database_open(&database, argv[reader.at], DATABASE_READ, &diagnosis))
        open = claims_judge(&database, &diagnosis);
    database_close(&database);
    return open < 0 ? mistake_print(&diagnosis) : open > 0 ? EXIT_NOT_JUDGED : 0;
}

const struct command command_judge = {
    .name = "judge",
    .usage = "RESULTS.db",
    .summary = "Says which claims of the plans in a database hold",
    .details =
        "A line for each claim: its name, whether it holds, holds partly, does not hold or cannot\n"
        "be judged, its numbers, its sentence and source. Where there are several plans, each\n"
        "one's title stands before its claims. A plan that was swept in several versions counts "
        "as\n"
        "it was swept last.\n"
        "\n"
        "Exit status: 0 all were judged, whatever the verdict; 1 some cannot be judged; 2 "
        "something\n"
        "is wrong with the database or a formula.\n",
    .run = judge_main,
};
