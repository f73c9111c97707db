/* SPDX-License-Identifier: MIT */
/* Statements. */
#include "emit.h"

static void emit_indent(struct emit *emit)
{
    for (unsigned i = 0; i < emit->indent; i++)
        text_print(&emit->text, "    ");
}

static void emit_plain(struct emit *emit, const char *text)
{
    emit_indent(emit);
    text_print(&emit->text, "%s\n", text);
}

/* A statement below another, such as a loop's body. */
static void emit_below(struct emit *emit, struct node *node)
{
    if (node->kind == NODE_BLOCK && !node->text) {
        emit_statement(emit, node);
        return;
    }
    emit->indent++;
    emit_statement(emit, node);
    emit->indent--;
}

/* One variable, without a semicolon. */
static void emit_variable(struct emit *emit, struct node *node)
{
    struct symbol *symbol = node->symbol;
    enum space space = instance_space(emit->instance, symbol);
    text_print(&emit->text, "%s",
               emit_declaration(emit, symbol->type, space, emit_symbol(symbol), node));
    if (symbol->initial) {
        text_print(&emit->text, " = ");
        emit_converted(emit, symbol->type, symbol->initial);
    }
}

static void emit_declarations(struct emit *emit, struct node *node)
{
    for (unsigned i = 0; i < node->children; i++) {
        if (node->child[i]->kind != NODE_DECLARATION)
            continue;
        struct symbol *symbol = node->child[i]->symbol;
        if (symbol->type->kind == TYPE_POINTER && symbol->type->has_lengths)
            kernel_error(
                emit->kernel, node->child[i], NULL,
                "a pointer to rows of variable length is declared in the loop: declare it before");
        emit_indent(emit);
        emit_variable(emit, node->child[i]);
        text_print(&emit->text, ";\n");
    }
}

static void emit_for(struct emit *emit, struct node *node)
{
    struct node *start = node->child[0];
    bool is_declaration = start && start->kind == NODE_BLOCK;
    bool is_long = is_declaration && start->children > 1;
    if (is_long) { /* several variables need a block of their own */
        emit_indent(emit);
        text_print(&emit->text, "{\n");
        emit->indent++;
        emit_declarations(emit, start);
    }
    emit_indent(emit);
    text_print(&emit->text, "for (");
    if (is_declaration && !is_long)
        emit_variable(emit, start->child[0]);
    else if (start && !is_declaration)
        emit_expression(emit, start);
    text_print(&emit->text, "; ");
    if (node->child[1])
        emit_expression(emit, node->child[1]);
    text_print(&emit->text, "; ");
    if (node->child[2])
        emit_expression(emit, node->child[2]);
    text_print(&emit->text, ")\n");
    emit->loops++;
    emit_below(emit, node->child[3]);
    emit->loops--;
    if (is_long) {
        emit->indent--;
        emit_indent(emit);
        text_print(&emit->text, "}\n");
    }
}

static void emit_condition(struct emit *emit, const char *word, struct node *node, const char *end)
{
    emit_indent(emit);
    text_print(&emit->text, "%s (", word);
    emit_expression(emit, node);
    text_print(&emit->text, ")%s\n", end);
}

static void emit_if(struct emit *emit, struct node *node)
{
    emit_condition(emit, "if", node->child[0], "");
    emit_below(emit, node->child[1]);
    if (node->child[2]) {
        emit_plain(emit, "else");
        emit_below(emit, node->child[2]);
    }
}

static void emit_while(struct emit *emit, struct node *node)
{
    emit->loops++;
    if (node->kind == NODE_WHILE) {
        emit_condition(emit, "while", node->child[0], "");
        emit_below(emit, node->child[1]);
    } else {
        emit_indent(emit);
        text_print(&emit->text, "do\n");
        emit_below(emit, node->child[0]);
        emit_condition(emit, "while", node->child[1], ";");
    }
    emit->loops--;
}

static void emit_switch(struct emit *emit, struct node *node)
{
    if (node->kind == NODE_SWITCH) {
        emit_condition(emit, "switch", node->child[0], "");
        emit_below(emit, node->child[1]);
        return;
    }
    emit_indent(emit);
    text_print(&emit->text, node->kind == NODE_CASE ? "case " : "default");
    if (node->kind == NODE_CASE)
        emit_expression(emit, node->child[0]);
    if (node->kind == NODE_CASE && node->children != 2)
        kernel_error(emit->kernel, node, NULL, "a range of cases: write them one by one");
    text_print(&emit->text, ":\n");
    emit_below(emit, node->child[node->children - 1]);
}

static void emit_return(struct emit *emit, struct node *node)
{
    emit_indent(emit);
    text_print(&emit->text, "return");
    if (node->children) {
        text_print(&emit->text, " ");
        if (emit->instance->function)
            emit_converted(emit, emit->instance->function->type, node->child[0]);
    }
    text_print(&emit->text, ";\n");
}

static void emit_block(struct emit *emit, struct node *node)
{
    if (node->text) {
        emit_declarations(emit, node);
        return;
    }
    emit_indent(emit);
    text_print(&emit->text, "{\n");
    emit->indent++;
    for (unsigned i = 0; i < node->children; i++)
        emit_statement(emit, node->child[i]);
    emit->indent--;
    emit_indent(emit);
    text_print(&emit->text, "}\n");
}

void emit_statement(struct emit *emit, struct node *node)
{
    switch (node->kind) {
    case NODE_BLOCK:
        emit_block(emit, node);
        break;
    case NODE_IF:
        emit_if(emit, node);
        break;
    case NODE_FOR:
        emit_for(emit, node);
        break;
    case NODE_WHILE:
    case NODE_DO:
        emit_while(emit, node);
        break;
    case NODE_SWITCH:
    case NODE_CASE:
    case NODE_DEFAULT:
        emit_switch(emit, node);
        break;
    case NODE_RETURN:
        emit_return(emit, node);
        break;
    case NODE_BREAK:
        emit_plain(emit, "break;");
        break;
    case NODE_CONTINUE: /* that of the parallel loop ends the work-item */
        emit_plain(emit, emit->loops || emit->instance->function ? "continue;" : "return;");
        break;
    case NODE_LABEL: /* goto is refused: it is not used */
        emit_statement(emit, node->child[0]);
        break;
    case NODE_EMPTY:
        emit_plain(emit, ";");
        break;
    case NODE_TYPES:
        break;
    default:
        emit_indent(emit);
        emit_expression(emit, node);
        text_print(&emit->text, ";\n");
    }
}
