/* SPDX-License-Identifier: MIT */
#include "translate.h"

#include <stdio.h>
#include <string.h>

#include "host.h"

/* A pragma's loop, where it is found. */
struct found {
    size_t begin;
    struct node *statement;
    unsigned depth; /* of pragmas round it */
};

/* What replaces a part of the text. */
struct edit {
    size_t begin, end;
    const char *text;
};

static bool translate_find(struct node *node, void *context)
{
    struct found *found = context;
    bool is_statement = node->kind >= NODE_BLOCK;
    if (is_statement && node->begin == found->begin && !(node->kind == NODE_BLOCK && node->text))
        found->statement = node;
    return !found->statement;
}

static void translate_add(struct list *edits, size_t begin, size_t end, const char *text)
{
    *(struct edit *)list_add(edits, sizeof(struct edit)) = (struct edit){begin, end, text};
}

/* One loop: its kernel, and the edits to the host's text. */
static void translate_loop(struct tree *tree, struct pragma *pragma, struct symbol *function,
                           struct node *statement, struct list *edits, struct text *kernels)
{
    struct source *source = tree->source;
    struct kernel *kernel = memory_take(sizeof(*kernel));
    struct emit *emit = memory_take(sizeof(*emit));
    if (!kernel_analyse(kernel, tree, pragma, function, statement))
        return;
    const char *text = emit_kernel(emit, kernel);
    if (emit->parameters.count > KERNEL_PARAMETERS)
        kernel_error(kernel, statement, NULL,
                     "more than %d parameters in one kernel: split the loop", KERNEL_PARAMETERS);
    if (source->errors)
        return;
    struct place place = source_place(source, pragma->begin),
                 after = source_place(source, pragma->next);
    if (kernels) {
        text_print(kernels, "/* %s:%d: a kernel of %u dimension%s */\n%s\n", place.file, place.line,
                   kernel->dimensions, kernel->dimensions > 1 ? "s" : "", text);
    } else {
        const char *file = place.file;
        size_t end =
            source_skip(source, statement->end); /* libclang leaves the last semicolon out */
        end = source->text[end] == ';' ? end + 1 : statement->end;
        const char *call = host_call(emit, text);
        translate_add(edits, pragma->begin, pragma->next,
                      memory_format("\n# %d \"%s\" 3\n%s\n# %d \"%s\"\n", place.line, file, call,
                                    after.line, file));
        translate_add(edits, end, end, " }");
    }
}

static void translate_pragma(struct tree *tree, size_t index, struct list *edits,
                             struct text *kernels)
{
    struct source *source = tree->source;
    struct pragma *pragma = LIST_AT(&source->pragmas, struct pragma, index);
    struct found found = {.begin = pragma->next};
    for (size_t f = 0; f < tree->functions.count && !found.statement; f++) {
        struct symbol *function = *LIST_AT(&tree->functions, struct symbol *, f);
        tree_walk(function->body, translate_find, &found);
        if (!found.statement)
            continue;
        if (found.statement->kind != NODE_FOR) {
            source_error(source, pragma->next, "a for loop must follow the pragma");
            return;
        }
        for (size_t other = 0; other < index; other++) {
            struct pragma *outer = LIST_AT(&source->pragmas, struct pragma, other);
            if (outer->is_taken && outer->end > found.begin) {
                source_error(source, pragma->begin,
                             "this loop is inside of one that has a pragma: take one away");
                return;
            }
        }
        translate_loop(tree, pragma, function, found.statement, edits, kernels);
        pragma->is_taken = true;
        pragma->end = found.statement->end;
    }
    if (!found.statement)
        source_error(source, pragma->begin, "a for loop must follow the pragma");
}

static void translate_apply(const struct source *source, const struct list *edits,
                            struct text *output)
{
    size_t at = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const struct edit *edit = LIST_AT(edits, struct edit, i);
        text_add(output, source->text + at, edit->begin - at);
        text_add(output, edit->text, strlen(edit->text));
        at = edit->end;
    }
    text_add(output, source->text + at, source->length - at);
}

enum translate_result translate_text(const char *text, size_t length, const char *const *options,
                                     int count, struct text *output, struct text *kernels)
{
    struct source *source = memory_take(sizeof(*source));
    struct tree *tree = memory_take(sizeof(*tree));
    struct list edits = {0};
    source_read(source, text, length);
    if (!tree_read(tree, source, options, count)) {
        tree_finish(tree);
        return TRANSLATE_NOT_C;
    }
    for (size_t i = 0; i < source->pragmas.count; i++)
        translate_pragma(tree, i, &edits, kernels);
    if (!source->errors && !kernels) {
        if (!tree->defines_loop)
            text_print(output, "%s", host_declarations());
        translate_apply(source, &edits, output);
    }
    tree_finish(tree);
    return source->errors ? TRANSLATE_REFUSED : TRANSLATE_DONE;
}
