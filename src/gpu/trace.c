/* SPDX-License-Identifier: MIT */
#include "gpu/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/launch.h"

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

static bool parse_wave(const char *value, int64_t *wavefront)
{
    return parse_number(&value, wavefront) && *value == '\0';
}

static bool parse_word(struct trace *trace, const char *word)
{
    if (strcmp(word, "all") == 0)
        return true;
    if (strncmp(word, "kernel=", 7) == 0 && word[7] != '\0') {
        if (strlen(word + 7) >= sizeof trace->kernel)
            return false;
        memcpy(trace->kernel, word + 7, strlen(word + 7) + 1);
        return true;
    }
    if (strncmp(word, "group=", 6) == 0)
        return parse_group(word + 6, trace->group);
    if (strncmp(word, "wave=", 5) == 0)
        return parse_wave(word + 5, &trace->wavefront);
    return false;
}

bool trace_parse(struct trace *trace, const char *selection, FILE *stream,
                 struct diagnosis *diagnosis)
{
    const char *start = selection;

    *trace = (struct trace){.group = {-1, -1, -1}, .wavefront = -1, .stream = stream};
    for (;;) {
        size_t length = strcspn(start, ",");
        char word[300];

        snprintf(word, sizeof word, "%.*s", (int)length, start);
        if (length >= sizeof word || !parse_word(trace, word)) {
            diagnose(diagnosis, "'%s' selects no instructions to trace", word);
            return diagnose_hint(diagnosis,
                                 "write kernel=NAME,group=X:Y:Z,wave=N (any of them), or all");
        }
        if (start[length] == '\0')
            return true;
        start += length + 1;
    }
}

bool trace_selects(const struct launch *launch, const uint32_t group[3], uint32_t wavefront)
{
    const struct trace *trace = launch->trace;

    if (trace == NULL || (trace->wavefront >= 0 && trace->wavefront != wavefront))
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (trace->group[i] >= 0 && trace->group[i] != group[i])
            return false;
    return trace->kernel[0] == '\0' || strcmp(trace->kernel, launch->kernel) == 0;
}

void trace_write(const struct launch *launch, const struct isa *isa, const uint32_t group[3],
                 uint32_t wavefront, uint32_t sequence, const struct isa_wave *wave,
                 const struct isa_instruction *instruction)
{
    struct text text = {0};

    text_add(&text, "%s %u:%u:%u %u %u 0x%06x ", launch->kernel, group[0], group[1], group[2],
             wavefront, sequence, instruction->offset);
    isa->disassemble(launch->isa->kernel->code, instruction, &text);
    text_add(&text, " ;");
    isa->trace(wave, instruction, &text);
    fprintf(launch->trace->stream, "%s\n", text_chars(&text));
    launch->trace->lines++;
    text_finish(&text);
}
