/* SPDX-License-Identifier: MIT */
#include "gpu/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/launch.h"
#include "mem/msg.h"

static bool parse_number(const char **cursor, int64_t *number)
{
    char *end;
    unsigned long long value;

    if (**cursor < '0' || **cursor > '9')
        return false;
    errno = 0;
    value = strtoull(*cursor, &end, 10);
    if (errno != 0 || value > UINT32_MAX)
        return false;
    *cursor = end;
    *number = (int64_t)value;
    return true;
}

static bool parse_group(const char *value, int64_t group[3])
{
    for (unsigned i = 0; i < 3; i++) {
        if (!parse_number(&value, &group[i]))
            return false;
        if (*value == '\0')
            return true;
        if (*value++ != ':')
            return false;
    }
    return false;
}

static bool parse_whole(const char *value, int64_t *number)
{
    return parse_number(&value, number) && *value == '\0';
}

static bool parse_range(const char *value, uint64_t *first, uint64_t *last)
{
    char *end;

    errno = 0;
    *first = strtoull(value, &end, 0);
    if (errno != 0 || end == value || *end != '-')
        return false;
    value = end + 1;
    *last = strtoull(value, &end, 0);
    return errno == 0 && end != value && *end == '\0' && *first <= *last;
}

/* What of a launch is chosen: each has a few words more than the one before. */
enum chosen { CHOSEN_INSTRUCTIONS, CHOSEN_ACCESSES, CHOSEN_SLICES };

static bool parse_word(struct trace_choice *choice, const char *word, enum chosen chosen)
{
    bool is_access = chosen != CHOSEN_INSTRUCTIONS;

    const char *value = strchr(word, '=');

    if (strcmp(word, "all") == 0)
        return true;
    if (value == NULL || *++value == '\0')
        return false;
    if (strncmp(word, "kernel=", 7) == 0) {
        if (strlen(value) >= sizeof choice->kernel)
            return false;
        memcpy(choice->kernel, value, strlen(value) + 1);
        return true;
    }
    if (strncmp(word, "group=", 6) == 0)
        return parse_group(value, choice->group);
    if (strncmp(word, "wave=", 5) == 0)
        return parse_whole(value, &choice->wavefront);
    if (chosen == CHOSEN_SLICES && strncmp(word, "launch=", 7) == 0)
        return parse_whole(value, &choice->launch) && choice->launch > 0;
    if (is_access && strncmp(word, "cu=", 3) == 0)
        return parse_whole(value, &choice->unit);
    return is_access && strncmp(word, "address=", 8) == 0 &&
           parse_range(value, &choice->first, &choice->last);
}

static bool parse_choice(struct trace_choice *choice, const char *selection, enum chosen chosen,
                         struct diagnosis *diagnosis)
{
    static const char *const names[] = {"instructions to trace", "accesses to trace",
                                        "part of a launch"};
    static const char *const more[] = {"", ",cu=N,address=FIRST-LAST",
                                       ",cu=N,launch=N,address=FIRST-LAST"};
    const char *start = selection;

    *choice = (struct trace_choice){.is_on = true,
                                    .group = {-1, -1, -1},
                                    .wavefront = -1,
                                    .unit = -1,
                                    .launch = -1,
                                    .last = UINT64_MAX};
    for (;;) {
        size_t length = strcspn(start, ",");
        char word[300];

        snprintf(word, sizeof word, "%.*s", (int)length, start);
        if (length >= sizeof word || !parse_word(choice, word, chosen)) {
            diagnose(diagnosis, "'%s' selects no %s", word, names[chosen]);
            return diagnose_hint(diagnosis,
                                 "write kernel=NAME,group=X:Y:Z,wave=N%s (any of them), or all",
                                 more[chosen]);
        }
        if (start[length] == '\0')
            return true;
        start += length + 1;
    }
}

bool trace_parse(struct trace *trace, const char *selection, FILE *stream,
                 struct diagnosis *diagnosis)
{
    *trace = (struct trace){.stream = stream};
    return parse_choice(&trace->instructions, selection, CHOSEN_INSTRUCTIONS, diagnosis);
}

bool trace_parse_accesses(struct trace *trace, const char *selection, struct diagnosis *diagnosis)
{
    return parse_choice(&trace->accesses, selection, CHOSEN_ACCESSES, diagnosis);
}

bool trace_choice_parse(struct trace_choice *choice, const char *selection,
                        struct diagnosis *diagnosis)
{
    return parse_choice(choice, selection, CHOSEN_SLICES, diagnosis);
}

static bool range_selects(const struct trace_choice *choice, const char *kernel,
                          const uint32_t group[3], uint32_t wavefront)
{
    if (!choice->is_on || (choice->wavefront >= 0 && choice->wavefront != wavefront))
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (choice->group[i] >= 0 && choice->group[i] != group[i])
            return false;
    return choice->kernel[0] == '\0' || strcmp(choice->kernel, kernel) == 0;
}

bool trace_selects(const struct launch *launch, const uint32_t group[3], uint32_t wavefront)
{
    return launch->trace != NULL &&
           range_selects(&launch->trace->instructions, launch->kernel, group, wavefront);
}

bool trace_selects_accesses(const struct launch *launch, uint32_t unit, const uint32_t group[3],
                            uint32_t wavefront)
{
    return trace_choice_selects(&launch->trace->accesses, launch->kernel, unit, group, wavefront);
}

bool trace_choice_selects(const struct trace_choice *choice, const char *kernel, uint32_t unit,
                          const uint32_t group[3], uint32_t wavefront)
{
    return range_selects(choice, kernel, group, wavefront) &&
           (choice->unit < 0 || choice->unit == unit);
}

bool trace_choice_holds(const struct trace_choice *choice, uint64_t line)
{
    return line + LINE_BYTES - 1 >= choice->first && line <= choice->last;
}

void trace_write(const struct launch *launch, const struct isa *isa, const uint32_t group[3],
                 uint32_t wavefront, uint32_t sequence, const struct isa_wave *wave,
                 const struct isa_instruction *instruction, uint64_t cycle)
{
    struct text text = {0};

    text_add(&text, "%s %u:%u:%u %u %u 0x%06x ", launch->kernel, group[0], group[1], group[2],
             wavefront, sequence, instruction->offset);
    isa->disassemble(launch->isa->kernel->code, instruction, &text);
    text_add(&text, " ;");
    isa->trace(wave, instruction, &text);
    if (cycle != TRACE_NO_CYCLE)
        text_add(&text, " @%llu", (unsigned long long)cycle);
    fprintf(launch->trace->stream, "%s\n", text_chars(&text));
    launch->trace->lines++;
    text_finish(&text);
}
