/* SPDX-License-Identifier: MIT */
/* Functions, and the kernel round them. */
#include "emit.h"

#include <string.h>

char *emit_name(const struct kernel *kernel)
{
    struct place place = source_place(kernel->tree->source, kernel->pragma->begin);
    return memory_format("nuda_%s_%d", kernel->function->name, place.line);
}

/* The declaration of a captured variable, as a function's parameter. */
static char *emit_captured(struct emit *emit, const struct capture *capture,
                           const struct node *node)
{
    const struct symbol *symbol = capture->symbol;
    struct type type = *symbol->type, truth = {.kind = TYPE_INTEGER, .size = 1};
    if (type.kind == TYPE_ARRAY) { /* a pointer to its first element */
        type.kind = TYPE_POINTER;
        type.has_lengths = type.element->has_lengths;
    }
    return emit_declaration(emit, type.kind == TYPE_BOOL ? &truth : &type, SPACE_GLOBAL,
                            emit_symbol(symbol), node);
}

/* The lengths of rows of parameters, which a function computes once. */
static void emit_row_lengths(struct emit *emit, const struct symbol *symbol)
{
    unsigned rows = emit_rows(symbol);
    for (unsigned level = 0; level < rows; level++) {
        text_print(&emit->text, "    const long nuda_row_%u_%u = ", symbol->number, level);
        for (size_t i = symbol->lengths.count - rows + level; i < symbol->lengths.count; i++) {
            text_print(&emit->text, "(long)(");
            emit_expression(emit, *LIST_AT(&symbol->lengths, struct node *, i));
            text_print(&emit->text, i + 1 < symbol->lengths.count ? ") * " : ");\n");
        }
    }
}

static void emit_function(struct emit *emit, const struct instance *instance)
{
    struct symbol *function = instance->function;
    const char *separator = "";
    emit->instance = instance;
    text_print(&emit->text, "%s(",
               emit_declaration(emit, function->type, instance->result,
                                memory_format("%s_%u", function->name, instance->number),
                                function->body));
    for (size_t i = 0; i < function->parameters.count; i++) {
        struct symbol *parameter = *LIST_AT(&function->parameters, struct symbol *, i);
        text_print(&emit->text, "%s%s", separator,
                   emit_declaration(emit, parameter->type, instance_space(instance, parameter),
                                    emit_symbol(parameter), function->body));
        separator = ", ";
    }
    for (size_t i = 0; i < instance->captures.count; i++) {
        unsigned index = *LIST_AT(&instance->captures, unsigned, i);
        const struct capture *capture = LIST_AT(&emit->kernel->captures, struct capture, index);
        text_print(&emit->text, "%s%s", separator, emit_captured(emit, capture, function->body));
        separator = ", ";
    }
    text_print(&emit->text, "%s)\n{\n", *separator ? "" : "void");
    for (size_t i = 0; i < function->parameters.count; i++) {
        struct symbol *parameter = *LIST_AT(&function->parameters, struct symbol *, i);
        if (parameter->type->kind == TYPE_POINTER && parameter->type->has_lengths)
            emit_row_lengths(emit, parameter);
    }
    emit->indent = 1;
    for (unsigned i = 0; i < function->body->children; i++)
        emit_statement(emit, function->body->child[i]);
    text_print(&emit->text, "}\n\n");
}

static struct parameter *emit_add(struct emit *emit, const char *name, const char *type,
                                  size_t size, const char *value)
{
    struct parameter *parameter = list_add(&emit->parameters, sizeof(*parameter));
    *parameter =
        (struct parameter){.name = name, .size = size, .type = type, .value = value, .bytes = "0"};
    return parameter;
}

/* How large an array is from the pointer on, where its type says so. */
static const char *emit_bytes(const struct symbol *symbol)
{
    if (symbol->type->kind == TYPE_ARRAY && (symbol->type->size || symbol->type->has_lengths))
        return memory_format("sizeof(%s)", symbol->name);
    return "0";
}

/* The kernel's parameters: arrays, values, lengths of rows, and where loops start and how they
 * step. */
static void emit_parameters(struct emit *emit)
{
    struct kernel *kernel = emit->kernel;
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < kernel->captures.count; i++) {
            struct capture *capture = LIST_AT(&kernel->captures, struct capture, i);
            struct symbol *symbol = capture->symbol;
            if (!capture->is_named || capture->is_array != (turn == 0))
                continue;
            size_t size = capture->is_array ? tree_scalar(symbol->type)->size : symbol->type->size;
            const char *type = memory_format("__typeof__(%s)", symbol->name);
            struct parameter *parameter = emit_add(emit, symbol->name, type, size, symbol->name);
            parameter->is_array = capture->is_array;
            parameter->uses = capture->uses;
            parameter->bytes = capture->is_array ? emit_bytes(symbol) : "0";
        }
    }
    for (size_t i = 0; i < kernel->captures.count; i++) {
        struct capture *capture = LIST_AT(&kernel->captures, struct capture, i);
        struct symbol *symbol = capture->symbol;
        const char *stars = "*";
        for (unsigned level = 0; capture->is_named && capture->is_array &&
                                 symbol->type->element->has_lengths && level < emit_rows(symbol);
             level++, stars = memory_format("*%s", stars))
            emit_add(emit, memory_format("a row of %s", symbol->name), "long", 8,
                     memory_format("(long)(sizeof(%s%s) / %zu)", stars, symbol->name,
                                   tree_scalar(symbol->type)->size));
    }
    for (unsigned d = 0; d < kernel->dimensions; d++) {
        const struct loop *loop = &kernel->loop[d];
        long step;
        if (tree_bare(loop->start)->kind != NODE_INTEGER)
            emit_add(emit, memory_format("the start of %s", loop->counter->name), "long", 8,
                     memory_format("(long)nuda_first%u", d));
        if (!nest_step(loop, &step))
            emit_add(emit, memory_format("the step of %s", loop->counter->name), "long", 8,
                     memory_format("nuda_step%u", d));
    }
}

static void emit_signature(struct emit *emit)
{
    struct kernel *kernel = emit->kernel;
    const struct node *node = kernel->loop[0].statement;
    const char *separator = "";
    text_print(&emit->text, "__kernel void %s(", emit_name(kernel));
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < kernel->captures.count; i++) {
            const struct capture *capture = LIST_AT(&kernel->captures, struct capture, i);
            if (!capture->is_named || capture->is_array != (turn == 0))
                continue;
            if (capture->is_array)
                text_print(&emit->text, "%s__global uchar *nuda_base_%u, ulong nuda_offset_%u",
                           separator, capture->root, capture->root);
            else
                text_print(&emit->text, "%s%s", separator, emit_captured(emit, capture, node));
            separator = ", ";
        }
    }
    for (size_t i = 0; i < kernel->captures.count; i++) {
        const struct capture *capture = LIST_AT(&kernel->captures, struct capture, i);
        if (capture->is_named && capture->is_array && capture->symbol->type->element->has_lengths)
            for (unsigned level = 0; level < emit_rows(capture->symbol); level++)
                text_print(&emit->text, ", long nuda_row_%u_%u", capture->symbol->number, level);
    }
    for (unsigned d = 0; d < kernel->dimensions; d++) {
        long step;
        if (tree_bare(kernel->loop[d].start)->kind != NODE_INTEGER) {
            text_print(&emit->text, "%slong nuda_start_%u", separator, d);
            separator = ", ";
        }
        if (!nest_step(&kernel->loop[d], &step)) {
            text_print(&emit->text, "%slong nuda_step_%u", separator, d);
            separator = ", ";
        }
    }
    for (unsigned d = 0; d < kernel->dimensions; d++) {
        text_print(&emit->text, "%sulong nuda_count_%u", separator, d);
        separator = ", ";
    }
    text_print(&emit->text, ")\n{\n");
}

static void emit_counters(struct emit *emit)
{
    struct kernel *kernel = emit->kernel;
    const struct node *node = kernel->loop[0].statement;
    text_print(&emit->text, "    if (");
    for (unsigned d = 0; d < kernel->dimensions; d++)
        text_print(&emit->text, "%sget_global_id(%u) >= nuda_count_%u", d ? " || " : "", d, d);
    text_print(&emit->text, ")\n        return;\n");
    for (size_t i = 0; i < kernel->captures.count; i++) {
        const struct capture *capture = LIST_AT(&kernel->captures, struct capture, i);
        struct type type = *capture->symbol->type;
        type.kind = TYPE_POINTER;
        if (capture->is_named && capture->is_array)
            text_print(&emit->text, "    %s = (%s)(nuda_base_%u + nuda_offset_%u);\n",
                       emit_captured(emit, capture, node),
                       emit_type(emit, &type, SPACE_GLOBAL, node), capture->root, capture->root);
    }
    for (unsigned d = 0; d < kernel->dimensions; d++) {
        const struct loop *loop = &kernel->loop[d];
        struct node *start = tree_bare(loop->start);
        long step;
        bool is_fixed = nest_step(loop, &step);
        const char *type = emit_type(emit, loop->counter->type, SPACE_PRIVATE, loop->statement);
        text_print(&emit->text, "    %s %s = (%s)(", type, emit_symbol(loop->counter), type);
        if (start->kind == NODE_INTEGER)
            text_print(&emit->text, "%lldL", (long long)start->value);
        else
            text_print(&emit->text, "nuda_start_%u", d);
        text_print(&emit->text, " %c (long)get_global_id(%u)", loop->is_down ? '-' : '+',
                   kernel->dimensions - 1 - d);
        if (!is_fixed)
            text_print(&emit->text, " * nuda_step_%u", d);
        else if (step != 1 && step != -1)
            text_print(&emit->text, " * %ldL", step < 0 ? -step : step);
        text_print(&emit->text, loop->is_early ? " - 1);\n" : ");\n");
    }
}

char *emit_kernel(struct emit *emit, struct kernel *kernel)
{
    struct text whole = {0};
    *emit = (struct emit){.kernel = kernel};
    emit_parameters(emit);
    for (size_t i = 0; i < kernel->instances.count; i++) {
        const struct instance *instance = *LIST_AT(&kernel->instances, struct instance *, i);
        if (instance->function) {
            emit_function(emit, instance);
            continue;
        }
        emit->instance = instance;
        emit_signature(emit);
        emit_counters(emit);
        emit->indent = 1;
        emit_statement(emit, kernel->loop[kernel->dimensions - 1].body);
        text_print(&emit->text, "}\n");
    }
    text_print(&whole, "#pragma OPENCL FP_CONTRACT OFF\n");
    if (emit->has_double)
        text_print(&whole, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    if (emit->has_atomics64)
        text_print(&whole, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                           "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n");
    text_print(&whole, "%s\n%s", text_string(&emit->types), text_string(&emit->text));
    return whole.characters;
}
