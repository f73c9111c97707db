/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <string.h>

enum { HOST_OVERWRITE = 6 }; /* nuda.h's NUDA_OVERWRITE */

const char *host_declarations(void)
{
    return "# 1 \"nuda.h\" 3\n"
           "struct nuda_parameter { int kind; int use; unsigned long size; const char *name; }; "
           "struct nuda_loop { const char *file; int line; const char *function; const char "
           "*kernel; "
           "const char *source; const char *options; unsigned dimensions; unsigned long block[3]; "
           "unsigned parameters; const struct nuda_parameter *parameter; void *state; }; "
           "extern _Bool nuda_run(struct nuda_loop *, const unsigned long *, void *const *, "
           "const unsigned long *);\n";
}

/* A text as C's string literal. */
static void host_string(struct text *text, const char *string)
{
    text_print(text, "\"");
    for (; *string; string++) {
        if (*string == '\n')
            text_print(text, "\\n");
        else if (*string == '"' || *string == '\\')
            text_print(text, "\\%c", *string);
        else
            text_print(text, "%c", *string);
    }
    text_print(text, "\"");
}

static void host_descriptor(struct text *text, const struct emit *emit, const char *source)
{
    const struct kernel *kernel = emit->kernel;
    struct place place = source_place(kernel->tree->source, kernel->pragma->begin);
    text_print(text, "static const struct nuda_parameter nuda_parameters[] = {");
    for (size_t i = 0; i < emit->parameters.count; i++) {
        const struct parameter *parameter = LIST_AT(&emit->parameters, struct parameter, i);
        bool is_whole = (parameter->uses & USE_WHOLE) && !(parameter->uses & USE_READ);
        unsigned use = parameter->uses & (USE_READ | USE_WRITE);
        use = is_whole ? HOST_OVERWRITE : use;
        text_print(text, "{%d, %u, %zu, ", parameter->is_array, use ? use : USE_READ,
                   parameter->size);
        host_string(text, parameter->name);
        text_print(text, "}, ");
    }
    text_print(text, "{0, 0, 0, 0}}; static struct nuda_loop nuda_this = {");
    host_string(text, place.file);
    text_print(text, ", %d, ", place.line);
    host_string(text, kernel->function->name);
    text_print(text, ", ");
    host_string(text, emit_name(kernel));
    text_print(text, ", ");
    host_string(text, source);
    text_print(text, ", \"-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt\", %u, {",
               kernel->dimensions);
    for (unsigned d = 0; d < 3; d++)
        text_print(
            text, "%zu%s",
            d < kernel->pragma->blocks ? kernel->pragma->block[kernel->pragma->blocks - 1 - d] : 0,
            d < 2 ? ", " : "");
    text_print(text, "}, %zu, nuda_parameters, 0}; ", emit->parameters.count);
}

/* Start, step and count of loop d, as variables. An inner loop's are computed when the outer ones
 * run at all. */
static void host_count(struct text *text, const struct kernel *kernel, unsigned d)
{
    const struct loop *loop = &kernel->loop[d];
    struct source *source = kernel->tree->source;
    const char *type = loop->counter->type->name;
    const char *limit =
        loop->limit ? source_flat(source, loop->limit->begin, loop->limit->end) : "0";
    bool is_equal = loop->relation[0] != '!' && loop->relation[1] == '=';
    bool is_unequal = *loop->relation == '!';
    long step;
    bool is_fixed = nest_step(loop, &step);
    text_print(text,
               "%s nuda_first%u = 0; long nuda_step%u = %ld; unsigned long nuda_count%u = 0; ",
               type, d, d, is_fixed ? (step < 0 ? -step : step) : 1, d);
    if (d > 0)
        text_print(text, "if (nuda_count%u) ", d - 1);
    text_print(text, "{ nuda_first%u = (%s); ", d,
               source_flat(source, loop->start->begin, loop->start->end));
    text_print(text, "__typeof__((%s) + 0) nuda_limit = (%s); ", limit, limit);
    if (!is_fixed) {
        const char *given = source_flat(source, loop->step->begin, loop->step->end);
        text_print(
            text,
            "nuda_step%u = (long)(%s); if (nuda_step%u <= 0) { nuda_step%u = 1; nuda_can = 0; } ",
            d, given, d, d);
    }
    const char *low =
        loop->is_down ? memory_format("nuda_limit") : memory_format("nuda_first%u", d);
    const char *high =
        loop->is_down ? memory_format("nuda_first%u", d) : memory_format("nuda_limit");
    if (is_unequal)
        text_print(text, "if (%s > %s) nuda_can = 0; ", low, high);
    text_print(text,
               "if (%s %s %s) nuda_count%u = ((unsigned long)(__typeof__(%s + %s))%s - (unsigned "
               "long)(__typeof__(%s + "
               "%s))%s + %s) / (unsigned long)nuda_step%u%s; } ",
               low, is_equal ? "<=" : "<", high, d, low, high, high, low, high, low,
               is_equal ? "0" : memory_format("(unsigned long)nuda_step%u - 1", d), d,
               is_equal ? " + 1" : "");
}

/* Copies of what the kernel takes, and the call. */
static void host_values(struct text *text, const struct emit *emit)
{
    const struct kernel *kernel = emit->kernel;
    for (size_t i = 0; i < emit->parameters.count; i++) {
        const struct parameter *parameter = LIST_AT(&emit->parameters, struct parameter, i);
        if (parameter->is_array)
            text_print(text, "const void *nuda_value%zu = (const void *)(%s); ", i,
                       parameter->value);
        else
            text_print(text, "%s nuda_value%zu = %s; ", parameter->type, i, parameter->value);
    }
    text_print(text, "if (nuda_can && nuda_run(&nuda_this, (const unsigned long[]){");
    for (unsigned d = kernel->dimensions; d-- > 0;)
        text_print(text, "nuda_count%u, ", d);
    text_print(text, "0}, (void *const[]){");
    for (size_t i = 0; i < emit->parameters.count; i++)
        text_print(text, "(void *)&nuda_value%zu, ", i);
    text_print(text, "(void *)0}, (const unsigned long[]){");
    for (size_t i = 0; i < emit->parameters.count; i++)
        text_print(text, "%s, ", LIST_AT(&emit->parameters, struct parameter, i)->bytes);
    text_print(text, "0})) { ");
}

/* Counters that outlive their loop get the value that they have after it. */
static void host_finals(struct text *text, const struct kernel *kernel)
{
    for (unsigned d = 0; d < kernel->dimensions; d++) {
        const struct loop *loop = &kernel->loop[d];
        if (loop->is_declared)
            continue;
        if (d > 0)
            text_print(text, "if (nuda_count%u) ", d - 1);
        text_print(text, "%s = (%s)((long)nuda_first%u %c (long)nuda_count%u * nuda_step%u%s); ",
                   loop->counter->name, loop->counter->type->name, d, loop->is_down ? '-' : '+', d,
                   d, loop->is_early ? " - 1" : "");
    }
}

char *host_call(const struct emit *emit, const char *source)
{
    struct text text = {0};
    text_print(&text, "{ ");
    host_descriptor(&text, emit, source);
    text_print(&text, "_Bool nuda_can = 1; ");
    for (unsigned d = 0; d < emit->kernel->dimensions; d++)
        host_count(&text, emit->kernel, d);
    host_values(&text, emit);
    host_finals(&text, emit->kernel);
    text_print(&text, "} else");
    return text.characters;
}
