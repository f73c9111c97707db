/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include <string.h>

static const struct {
    enum CXCursorKind cursor;
    enum node_kind node;
} reader_kinds[] = {
    {CXCursor_ParenExpr, NODE_PARENTHESES},
    {CXCursor_ConditionalOperator, NODE_CONDITIONAL},
    {CXCursor_CStyleCastExpr, NODE_CAST},
    {CXCursor_CallExpr, NODE_CALL},
    {CXCursor_ArraySubscriptExpr, NODE_SUBSCRIPT},
    {CXCursor_InitListExpr, NODE_LIST},
    {CXCursor_CompoundLiteralExpr, NODE_LITERAL},
    {CXCursor_CompoundStmt, NODE_BLOCK},
    {CXCursor_WhileStmt, NODE_WHILE},
    {CXCursor_DoStmt, NODE_DO},
    {CXCursor_SwitchStmt, NODE_SWITCH},
    {CXCursor_CaseStmt, NODE_CASE},
    {CXCursor_DefaultStmt, NODE_DEFAULT},
    {CXCursor_ReturnStmt, NODE_RETURN},
    {CXCursor_BreakStmt, NODE_BREAK},
    {CXCursor_ContinueStmt, NODE_CONTINUE},
    {CXCursor_NullStmt, NODE_EMPTY},
    {CXCursor_IfStmt, NODE_IF},
    {CXCursor_ForStmt, NODE_FOR},
};

static void reader_add(struct node *node, struct node *child)
{
    struct node **children = memory_take((node->children + 1) * sizeof(child));
    if (node->children)
        memcpy(children, node->child, node->children * sizeof(child));
    children[node->children++] = child;
    node->child = children;
}

static void reader_other(struct node *node, CXCursor cursor)
{
    node->kind = NODE_OTHER;
    node->text = reader_string(clang_getCursorKindSpelling(clang_getCursorKind(cursor)));
}

/* An integer that the compiler knows; false: it does not. */
static bool reader_constant(CXCursor cursor, struct node *node)
{
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    bool is_known = result && clang_EvalResult_getKind(result) == CXEval_Int &&
                    (node->type->kind == TYPE_INTEGER || node->type->kind == TYPE_BOOL);
    if (is_known) {
        node->kind = NODE_INTEGER;
        node->value = clang_EvalResult_isUnsignedInt(result)
                          ? clang_EvalResult_getAsUnsigned(result)
                          : (unsigned long long)clang_EvalResult_getAsLongLong(result);
    }
    if (result)
        clang_EvalResult_dispose(result);
    return is_known;
}

static void reader_reference(struct tree *tree, CXCursor cursor, struct node *node)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(target);
    node->kind = NODE_REFERENCE;
    if (kind == CXCursor_EnumConstantDecl) {
        node->kind = NODE_INTEGER;
        node->value = (unsigned long long)clang_getEnumConstantDeclValue(target);
    } else if (kind == CXCursor_FunctionDecl || kind == CXCursor_VarDecl ||
               kind == CXCursor_ParmDecl) {
        node->symbol = reader_symbol(tree, target);
        if (kind == CXCursor_ParmDecl)
            node->type = node->symbol->type; /* a pointer, where libclang still says array */
    } else {
        reader_other(node, cursor);
    }
}

static void reader_operator(CXCursor cursor, struct node *node, enum CXCursorKind kind)
{
    if (kind == CXCursor_UnaryOperator) {
        node->kind = NODE_UNARY;
        enum CXUnaryOperatorKind which = clang_getCursorUnaryOperatorKind(cursor);
        node->text = reader_string(clang_getUnaryOperatorKindSpelling(which));
        if (which == CXUnaryOperator_PostInc || which == CXUnaryOperator_PostDec)
            node->text = memory_format("p%s", node->text);
        if (which == CXUnaryOperator_Extension)
            node->kind = NODE_PARENTHESES;
        if (which == CXUnaryOperator_Real || which == CXUnaryOperator_Imag)
            reader_other(node, cursor);
    } else {
        enum CXBinaryOperatorKind which = clang_getCursorBinaryOperatorKind(cursor);
        node->kind = which >= CXBinaryOperator_Assign && which <= CXBinaryOperator_OrAssign
                         ? NODE_ASSIGNMENT
                         : NODE_BINARY;
        node->text = reader_string(clang_getBinaryOperatorKindSpelling(which));
    }
}

/* A for statement's parts may be missing, which libclang does not say: semicolons tell. */
static void reader_for(const struct tree *tree, struct node *node)
{
    struct node *parts[4] = {0};
    size_t semicolon[2] = {0}, at = node->begin + 3;
    int depth = 0, found = 0;
    for (; found < 2 && at < node->end; at++) {
        char character = tree->source->text[at];
        if (character == '"' || character == '\'')
            for (size_t open = at++; tree->source->text[at] != tree->source->text[open]; at++)
                at += tree->source->text[at] == '\\';
        depth += (strchr("({[", character) != NULL) - (strchr(")}]", character) != NULL);
        if (character == ';' && depth == 1)
            semicolon[found++] = at;
    }
    for (unsigned i = 0; i + 1 < node->children; i++)
        parts[(node->child[i]->begin > semicolon[0]) + (node->child[i]->begin > semicolon[1])] =
            node->child[i];
    parts[3] = node->child[node->children - 1];
    node->children = 0;
    for (int i = 0; i < 4; i++)
        reader_add(node, parts[i]);
}

static void reader_declarations(struct tree *tree, CXCursor cursor, struct node *node)
{
    struct list children = reader_children(cursor);
    node->kind = NODE_BLOCK;
    node->text = "declarations";
    for (size_t i = 0; i < children.count; i++) {
        CXCursor child = *LIST_AT(&children, CXCursor, i);
        struct node *one = memory_take(sizeof(*one));
        reader_extent(child, &one->begin, &one->end);
        one->kind = NODE_TYPES;
        if (clang_getCursorKind(child) == CXCursor_VarDecl) {
            one->kind = NODE_DECLARATION;
            one->symbol = reader_symbol(tree, child);
            one->type = one->symbol->type;
        } else if (clang_getCursorKind(child) == CXCursor_FunctionDecl) {
            reader_other(one, child);
        }
        reader_add(node, one);
    }
}

/* What libclang has no name for. Casts that the compiler put in vanish. */
static struct node *reader_unexposed(struct tree *tree, CXCursor cursor, struct node *node)
{
    struct list children = reader_children(cursor);
    CXCursor *items = children.items;
    const char *text = tree->source->text + node->begin;
    if (string_begins(text, "__atomic_") || string_begins(text, "__scoped_atomic_") ||
        string_begins(text, "__c11_atomic_")) {
        node->kind = NODE_BUILTIN;
        node->text = memory_copy(text, strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789"));
        for (size_t i = 0; i < children.count; i++)
            reader_add(node, reader_node(tree, items[i]));
        return node;
    }
    if (children.count == 1) {
        size_t begin, end;
        reader_extent(items[0], &begin, &end);
        if (begin == node->begin && end == node->end)
            return reader_node(tree, items[0]);
    }
    if (children.count && (*text == '[' || *text == '.')) {
        size_t begin, end;
        reader_extent(items[children.count - 1], &begin, &end);
        node->kind = NODE_DESIGNATED;
        node->text = memory_copy(text, begin - node->begin);
        reader_add(node, reader_node(tree, items[children.count - 1]));
        return node;
    }
    reader_other(node, cursor);
    return node;
}

static void reader_plain_children(struct tree *tree, CXCursor cursor, struct node *node)
{
    struct list children = reader_children(cursor);
    for (size_t i = 0; i < children.count; i++) {
        CXCursor child = *LIST_AT(&children, CXCursor, i);
        enum CXCursorKind kind = clang_getCursorKind(child);
        if (clang_isExpression(kind) || clang_isStatement(kind))
            reader_add(node, reader_node(tree, child));
    }
}

static void reader_mark(struct node *node)
{
    if (node->kind == NODE_UNARY && string_is(node->text, "&")) {
        struct symbol *symbol = tree_target(node->child[0]);
        if (symbol)
            symbol->has_address = true;
    } else if (tree_is_assignment(node)) {
        struct symbol *symbol = tree_target(node->child[0]);
        if (symbol)
            symbol->assignments++;
    }
}

static void reader_leaf(struct tree *tree, CXCursor cursor, struct node *node,
                        enum CXCursorKind kind)
{
    if (kind == CXCursor_DeclRefExpr) {
        reader_reference(tree, cursor, node);
    } else if (kind == CXCursor_FloatingLiteral) {
        node->kind = NODE_FLOATING;
        node->text = memory_copy(tree->source->text + node->begin, node->end - node->begin);
    } else if (kind == CXCursor_LabelStmt || kind == CXCursor_GotoStmt) {
        struct list children = reader_children(cursor);
        bool is_goto = kind == CXCursor_GotoStmt;
        node->kind = is_goto ? NODE_GOTO : NODE_LABEL;
        node->text = reader_string(
            clang_getCursorSpelling(is_goto ? *LIST_AT(&children, CXCursor, 0) : cursor));
        if (!is_goto)
            reader_plain_children(tree, cursor, node);
    } else if (kind == CXCursor_MemberRefExpr) {
        node->kind = NODE_MEMBER;
        node->text = reader_string(clang_getCursorSpelling(cursor));
        reader_plain_children(tree, cursor, node);
        if (node->children != 1)
            reader_other(node, cursor);
    } else {
        reader_other(node, cursor);
    }
}

struct node *reader_node(struct tree *tree, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    struct node *node = memory_take(sizeof(*node));
    reader_extent(cursor, &node->begin, &node->end);
    node->type = reader_type(tree, clang_getCursorType(cursor));
    if (kind == CXCursor_DeclStmt) {
        reader_declarations(tree, cursor, node);
        return node;
    }
    if (kind == CXCursor_UnexposedExpr || kind == CXCursor_UnexposedStmt)
        return reader_unexposed(tree, cursor, node);
    if (kind == CXCursor_IntegerLiteral || kind == CXCursor_CharacterLiteral ||
        kind == CXCursor_UnaryExpr) {
        if (!reader_constant(cursor, node))
            reader_other(node, cursor);
        return node;
    }
    for (size_t i = 0; i < sizeof(reader_kinds) / sizeof(*reader_kinds); i++) {
        if (reader_kinds[i].cursor != kind)
            continue;
        node->kind = reader_kinds[i].node;
        reader_plain_children(tree, cursor, node);
        if (kind == CXCursor_ForStmt)
            reader_for(tree, node);
        if (kind == CXCursor_IfStmt && node->children == 2)
            reader_add(node, NULL);
        if (kind == CXCursor_ParenExpr)
            node->type = node->child[0]->type;
        if (kind == CXCursor_ConditionalOperator && node->type->kind == TYPE_ARRAY)
            reader_decay(node->type);
        return node;
    }
    if (kind == CXCursor_UnaryOperator || kind == CXCursor_BinaryOperator ||
        kind == CXCursor_CompoundAssignOperator) {
        reader_plain_children(tree, cursor, node);
        reader_operator(cursor, node, kind);
        if (node->type->kind == TYPE_ARRAY && !string_is(node->text, "*"))
            reader_decay(node->type);
        reader_mark(node);
    } else {
        reader_leaf(tree, cursor, node, kind);
    }
    return node;
}
