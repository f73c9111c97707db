/* SPDX-License-Identifier: MIT */
/* How a tiny program comes to a fault, in words. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "verify/axioms.h"
#include "verify/litmus_run.h"

/* ---- Columns ---- */

enum { COLUMN_CHARS = 34, COLUMN_GAP = 3 };

/* The first L1's, those of L2, those of the other L1s. */
static uint32_t column_of(const struct run *run, uint32_t who)
{
    if (who >= run->l1s)
        return who - run->l1s + 1;
    return who == 0 ? 0 : who + run->slices;
}

static void column_print(uint32_t column, const char *words, struct text *text)
{
    while (*words != '\0') {
        size_t length = strlen(words), end = length;

        if (length > COLUMN_CHARS)
            for (end = COLUMN_CHARS; end > 1 && words[end] != ' ';)
                end--;
        text_add(text, "%*s%.*s\n", (int)(column * (COLUMN_CHARS + COLUMN_GAP)), "", (int)end,
                 words);
        words += end;
        while (*words == ' ')
            words++;
    }
}

static void columns_begin(const struct run *run, struct text *text)
{
    uint32_t caches = run->l1s + run->slices;

    for (uint32_t column = 0; column < caches; column++)
        for (uint32_t who = 0; who < caches; who++)
            if (column_of(run, who) == column)
                text_add(text, "%-*s", COLUMN_CHARS + COLUMN_GAP,
                         run->traffic.world->controllers[who].name);
    text_add(text, "\n");
}

/* A move's words without the name of the cache, which its column has. */
static void column_tell(const struct run *run, const struct told_move *told, struct text *text)
{
    const char *name = run->traffic.world->controllers[told->move.who].name, *words = told->words;
    size_t length = strlen(name);
    char *numbered;

    if (strncmp(words, name, length) == 0)
        words += length + 1;
    numbered = format_string("%u. %s%s", told->number, words, told->is_last ? "  <== wrong" : "");
    column_print(column_of(run, told->move.who), numbered, text);
    free(numbered);
}

/* ---- Moves ---- */

static void fold_begin(struct litmus_fold *fold, uint32_t first)
{
    text_finish(&fold->lines);
    *fold = (struct litmus_fold){.first = first, .is_whole = true};
}

static void fold_note(struct run *run, const struct told_move *told)
{
    struct litmus_fold *fold = &run->fold;
    const struct move *move = &told->move;
    const struct litmus_operation *operation;

    fold->count++;
    if (move->kind == MOVE_PROBE || move->kind == MOVE_WALK || move->kind == MOVE_EVICT)
        fold->is_whole = false;
    if (move->kind != MOVE_OFFER)
        return;
    operation = run_next(run, move->what);
    fold->requests++;
    fold->thread = move->what;
    fold->operation = run->state.at[move->what];
    if (operation == NULL || operation->reach == REACH_REMOTE)
        fold->is_whole = false;
}

static void fold_print(const struct run *run, struct text *text)
{
    const struct litmus_fold *fold = &run->fold;
    const struct litmus *litmus = run->litmus;
    uint8_t value = run->state.returned[fold->thread][fold->operation];

    struct text words = {0};

    text_add(&words,
             run->has_columns ? "%u. to %u. thread %u: " : "%4u. to %u. thread %u: ", fold->first,
             fold->first + fold->count - 1, fold->thread);
    litmus_print_operation(litmus, fold->thread, &litmus->threads[fold->thread][fold->operation],
                           &words);
    text_add(&words, ": L1 %u and L2 do it alone", litmus_l1(litmus, fold->thread));
    if (value != LITMUS_NO_VALUE)
        text_add(&words, "; answers (%u)", value);
    if (run->has_columns)
        column_print(column_of(run, litmus_l1(litmus, fold->thread)), text_chars(&words), text);
    else
        text_add(text, "%s\n", text_chars(&words));
    text_finish(&words);
}

void litmus_tell_move(void *context, const struct told_move *told, struct text *text)
{
    struct run *run = context;
    struct litmus_fold *fold = &run->fold;

    if (told->number == 1)
        fold_begin(fold, 1);
    fold_note(run, told);
    if (run->has_columns)
        column_tell(run, told, &fold->lines);
    else
        text_add(&fold->lines, "%4u. %s%s\n", told->number, told->words,
                 told->is_last ? "  <== wrong" : "");
    if (told->is_last)
        run->at_fault = run->state;
    if (!told->is_at_rest && !told->is_last)
        return;
    if (fold->is_whole && fold->requests == 1 && fold->count > 1 && !told->is_last)
        fold_print(run, text);
    else
        text_add(text, "%s", text_chars(&fold->lines));
    fold_begin(fold, told->number + 1);
}

/* ---- The outcome ---- */

static void print_outcome(const struct run *run, struct text *story)
{
    const struct litmus *litmus = run->litmus;
    const char *between = "The outcome: ";

    for (uint32_t i = 0; i < run->threads; i++)
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++) {
            if (run->at_fault.returned[i][j] == LITMUS_NO_VALUE)
                continue;
            text_add(story, "%sthread %u: ", between, i);
            litmus_print_operation(litmus, i, &litmus->threads[i][j], story);
            text_add(story, ": %u", run->at_fault.returned[i][j]);
            between = "; ";
        }
    text_add(story, "\n");
}

void litmus_tell_fault(struct run *run, const struct explore_options *options,
                       const struct explore_result *result, struct text *story)
{
    const struct litmus *litmus = run->litmus;

    text_add(story, "The program %s: %s\n", litmus->name, litmus->help);
    litmus_print(litmus, story);
    text_add(story, "The shortest path:\n");
    if (run->has_columns)
        columns_begin(run, story);
    explore_tell(options, result, story);
    text_finish(&run->fold.lines);
    if (result->fault.check == VERIFY_READ || result->fault.check == VERIFY_DIRTY) {
        print_outcome(run, story);
        axioms_explain(litmus, run->at_fault.returned, story);
    }
    text_add(story, "%s: %s\n", verify_check_name(result->fault.check), result->fault.text);
}
