/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

char *reader_string(CXString string)
{
    const char *characters = clang_getCString(string);
    char *copy = memory_copy(characters ? characters : "", characters ? strlen(characters) : 0);
    clang_disposeString(string);
    return copy;
}

void reader_extent(CXCursor cursor, size_t *begin, size_t *end)
{
    unsigned first, last;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getFileLocation(clang_getRangeStart(range), NULL, NULL, NULL, &first);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &last);
    *begin = first;
    *end = last;
}

static enum CXChildVisitResult reader_collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)list_add(data, sizeof(CXCursor)) = cursor;
    return CXChildVisit_Continue;
}

static int reader_compare(const void *left, const void *right)
{
    size_t a, b, end;
    reader_extent(*(const CXCursor *)left, &a, &end);
    reader_extent(*(const CXCursor *)right, &b, &end);
    return (a > b) - (a < b);
}

struct list reader_children(CXCursor cursor)
{
    struct list children = {0};
    clang_visitChildren(cursor, reader_collect, &children);
    /* Insertion sort keeps the order of those that begin at one place. */
    CXCursor *items = children.items;
    for (size_t i = 1; i < children.count; i++) {
        for (size_t at = i; at > 0 && reader_compare(items + at - 1, items + at) > 0; at--) {
            CXCursor swap = items[at];
            items[at] = items[at - 1];
            items[at - 1] = swap;
        }
    }
    return children;
}

void *reader_known(const struct list *list, CXCursor cursor)
{
    for (size_t i = 0; i < list->count; i++)
        if (clang_equalCursors(LIST_AT(list, struct known, i)->cursor, cursor))
            return LIST_AT(list, struct known, i)->made;
    return NULL;
}

static bool reader_is_expression(CXCursor cursor)
{
    return clang_isExpression(clang_getCursorKind(cursor));
}

/* The lengths of a declaration's array type, and its initial value. */
static void reader_declaration(struct tree *tree, CXCursor cursor, struct symbol *symbol)
{
    CXCursor initial = clang_Cursor_getVarDeclInitializer(cursor);
    bool has_initial = symbol->kind == SYMBOL_VARIABLE && !clang_Cursor_isNull(initial);
    struct list children = reader_children(cursor);
    for (size_t i = 0; i < children.count; i++) {
        CXCursor child = *LIST_AT(&children, CXCursor, i);
        if (reader_is_expression(child) && !(has_initial && clang_equalCursors(child, initial))) {
            struct node *length = reader_node(tree, child);
            *(struct node **)list_add(&symbol->lengths, sizeof(length)) = length;
        }
    }
    if (has_initial)
        symbol->initial = reader_node(tree, initial);
}

struct symbol *reader_symbol(struct tree *tree, CXCursor cursor)
{
    cursor = clang_getCanonicalCursor(cursor);
    struct symbol *symbol = reader_known(&tree->clang->known_symbols, cursor);
    if (symbol)
        return symbol;
    symbol = memory_take(sizeof(*symbol));
    *(struct known *)list_add(&tree->clang->known_symbols, sizeof(struct known)) =
        (struct known){cursor, symbol};
    *(struct symbol **)list_add(&tree->symbols, sizeof(symbol)) = symbol;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    size_t end;
    symbol->kind = kind == CXCursor_FunctionDecl ? SYMBOL_FUNCTION
                   : kind == CXCursor_ParmDecl   ? SYMBOL_PARAMETER
                                                 : SYMBOL_VARIABLE;
    symbol->number = (unsigned)tree->symbols.count;
    symbol->name = reader_string(clang_getCursorSpelling(cursor));
    reader_extent(cursor, &symbol->begin, &end);
    symbol->type = reader_type(tree, clang_getCursorType(cursor));
    if (symbol->kind == SYMBOL_PARAMETER && symbol->type->kind == TYPE_ARRAY)
        reader_decay(symbol->type);
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
    symbol->is_global =
        clang_getCursorKind(clang_getCursorSemanticParent(cursor)) == CXCursor_TranslationUnit;
    symbol->is_static = symbol->is_global || storage == CX_SC_Static || storage == CX_SC_Extern;
    symbol->is_register = storage == CX_SC_Register || clang_getCursorTLSKind(cursor) != CXTLS_None;
    symbol->is_system = clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
    if (symbol->kind == SYMBOL_FUNCTION)
        symbol->type = symbol->type->kind == TYPE_FUNCTION ? symbol->type->element : symbol->type;
    else
        reader_declaration(tree, cursor, symbol);
    return symbol;
}

static void reader_function(struct tree *tree, CXCursor cursor)
{
    struct list children = reader_children(cursor);
    struct symbol *symbol = NULL;
    for (size_t i = 0; i < children.count; i++) {
        CXCursor child = *LIST_AT(&children, CXCursor, i);
        if (clang_getCursorKind(child) != CXCursor_CompoundStmt)
            continue;
        symbol = reader_symbol(tree, cursor);
        reader_extent(cursor, &symbol->begin, &(size_t){0});
        symbol->is_system = clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
        for (int p = 0; p < clang_Cursor_getNumArguments(cursor); p++) {
            struct symbol *parameter =
                reader_symbol(tree, clang_Cursor_getArgument(cursor, (unsigned)p));
            *(struct symbol **)list_add(&symbol->parameters, sizeof(parameter)) = parameter;
        }
        symbol->body = reader_node(tree, child);
    }
    if (symbol)
        *(struct symbol **)list_add(&tree->functions, sizeof(symbol)) = symbol;
}

static enum CXChildVisitResult reader_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct tree *tree = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_FunctionDecl && clang_isCursorDefinition(cursor))
        reader_function(tree, cursor);
    if (kind == CXCursor_StructDecl && clang_isCursorDefinition(cursor)) {
        char *name = reader_string(clang_getCursorSpelling(cursor));
        tree->defines_loop |= string_is(name, "nuda_loop");
    }
    return CXChildVisit_Continue;
}

bool tree_read(struct tree *tree, struct source *source, const char *const *options, int count)
{
    *tree = (struct tree){.source = source, .clang = memory_take(sizeof(struct clang))};
    tree->clang->index = clang_createIndex(0, 0);
    struct CXUnsavedFile file = {"nudacc.i", source->text, source->length};
    if (clang_parseTranslationUnit2(tree->clang->index, "nudacc.i", options, count, &file, 1, 0,
                                    &tree->clang->unit) != CXError_Success)
        return false;
    bool is_right = true;
    for (unsigned i = 0; i < clang_getNumDiagnostics(tree->clang->unit); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(tree->clang->unit, i);
        is_right &= clang_getDiagnosticSeverity(diagnostic) < CXDiagnostic_Error;
        clang_disposeDiagnostic(diagnostic);
    }
    if (is_right)
        clang_visitChildren(clang_getTranslationUnitCursor(tree->clang->unit), reader_top, tree);
    return is_right;
}

void tree_finish(struct tree *tree)
{
    if (tree->clang->unit)
        clang_disposeTranslationUnit(tree->clang->unit);
    clang_disposeIndex(tree->clang->index);
}
