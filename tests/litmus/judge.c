/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <stdio.h>
#include <string.h>

#define BLANKS " \t"

const char *judge_verdict_name(enum judge_verdict verdict)
{
    static const char *const names[] = {"allowed", "forbidden", "required"};

    return names[verdict];
}

static bool complain(const char *line, const char *why)
{
    fprintf(stderr, "litmus: verdicts: %s: %s\n", why, line);
    return false;
}

/* The next word of the line, cut off; NULL: none. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, BLANKS), *end = word + strcspn(word, BLANKS);

    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return *word == '\0' ? NULL : word;
}

static bool is_among(char *rest, const char *name)
{
    const char *word;

    while (name != NULL && (word = next_word(&rest)) != NULL)
        if (strcmp(word, name) == 0)
            return true;
    return false;
}

/* `rest` begins behind the test's name. */
static bool read_row(struct judge *judge, const char *line, char *rest, const char *protocol)
{
    struct judge_row *row = &judge->rows[judge->row_count];
    const char *word;

    if (judge->row_count == JUDGE_MAX_ROWS)
        return complain(line, "too many lines for the test");
    for (unsigned i = 0; i < JUDGE_REGISTERS; i++) {
        word = next_word(&rest);
        if (word == NULL || strlen(word) != 1)
            return complain(line, "an outcome has four registers");
        row->pattern[i] = *word;
    }
    word = next_word(&rest);
    if (word == NULL)
        return complain(line, "no verdict");
    row->verdict = strcmp(word, "forbidden") == 0  ? VERDICT_FORBIDDEN
                   : strcmp(word, "required") == 0 ? VERDICT_REQUIRED
                                                   : VERDICT_ALLOWED;
    if (row->verdict == VERDICT_ALLOWED && strcmp(word, "allowed") != 0)
        return complain(line, "an unknown verdict");
    if (row->verdict == VERDICT_REQUIRED && !is_among(rest, protocol))
        row->verdict = VERDICT_ALLOWED;
    row->seen = 0;
    judge->row_count++;
    return true;
}

bool judge_init(struct judge *judge, const char *table, const char *test, const char *protocol)
{
    memset(judge, 0, sizeof *judge);
    while (*table != '\0') {
        size_t length = strcspn(table, "\n");
        char line[256], words[256], *rest = words;
        const char *name;

        snprintf(line, sizeof line, "%.*s", (int)length, table);
        table += length + (table[length] == '\n');
        memcpy(words, line, sizeof words);
        name = next_word(&rest);
        if (name != NULL && strcmp(name, test) == 0 && !read_row(judge, line, rest, protocol))
            return false;
    }
    return judge->row_count > 0 || complain(test, "no line for the test");
}

static bool matches(const char *pattern, const uint32_t *registers)
{
    for (unsigned i = 0; i < JUDGE_REGISTERS; i++) {
        if (pattern[i] >= '0' && pattern[i] <= '9' && registers[i] != (uint32_t)(pattern[i] - '0'))
            return false;
        for (unsigned j = 0; j < i && pattern[i] >= 'a' && pattern[i] <= 'z'; j++)
            if (pattern[j] == pattern[i] && registers[j] != registers[i])
                return false;
    }
    return true;
}

/* The strictest of the rows that describe it. */
static enum judge_verdict verdict_on(struct judge *judge, const uint32_t *registers)
{
    enum judge_verdict verdict = VERDICT_ALLOWED;

    for (unsigned i = 0; i < judge->row_count; i++) {
        struct judge_row *row = &judge->rows[i];

        if (!matches(row->pattern, registers))
            continue;
        row->seen++;
        if (verdict != VERDICT_FORBIDDEN && row->verdict != VERDICT_ALLOWED)
            verdict = row->verdict;
    }
    return verdict;
}

void judge_add(struct judge *judge, const uint32_t registers[JUDGE_REGISTERS])
{
    enum judge_verdict verdict = verdict_on(judge, registers);
    unsigned i = 0;

    judge->runs++;
    judge->forbidden += verdict == VERDICT_FORBIDDEN;
    while (i < judge->outcome_count && memcmp(judge->outcomes[i].registers, registers,
                                              sizeof judge->outcomes[i].registers) != 0)
        i++;
    if (i == JUDGE_MAX_OUTCOMES)
        return;
    if (i == judge->outcome_count) {
        memcpy(judge->outcomes[i].registers, registers, sizeof judge->outcomes[i].registers);
        judge->outcomes[i].verdict = verdict;
        judge->outcome_count++;
    }
    judge->outcomes[i].count++;
}

bool judge_is_right(const struct judge *judge)
{
    for (unsigned i = 0; i < judge->row_count; i++)
        if (judge->rows[i].verdict == VERDICT_REQUIRED && judge->rows[i].seen == 0)
            return false;
    return judge->forbidden == 0;
}
