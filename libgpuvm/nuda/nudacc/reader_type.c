/* SPDX-License-Identifier: MIT */
#include "reader.h"

static struct record *reader_record(struct tree *tree, CXType type);

static bool reader_is_integer(enum CXTypeKind kind)
{
    return (kind >= CXType_Char_U && kind <= CXType_ULongLong) ||
           (kind >= CXType_Char_S && kind <= CXType_LongLong);
}

static bool reader_is_signed(enum CXTypeKind kind)
{
    return kind >= CXType_Char_S && kind <= CXType_LongLong;
}

static void reader_scalar(struct tree *tree, CXType type, struct type *made)
{
    if (type.kind == CXType_Enum) {
        type = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
        made->kind = TYPE_INTEGER;
        made->is_signed = reader_is_signed(type.kind);
    } else if (reader_is_integer(type.kind) && type.kind != CXType_WChar &&
               type.kind != CXType_Char16) {
        made->kind = TYPE_INTEGER;
        made->is_signed = reader_is_signed(type.kind);
    } else if (type.kind == CXType_Void) {
        made->kind = TYPE_VOID;
    } else if (type.kind == CXType_Bool) {
        made->kind = TYPE_BOOL;
    } else if (type.kind == CXType_Float) {
        made->kind = TYPE_FLOAT;
    } else if (type.kind == CXType_Double) {
        made->kind = TYPE_DOUBLE;
    } else if (type.kind == CXType_Record) {
        made->kind = TYPE_RECORD;
        made->record = reader_record(tree, type);
    }
}

struct type *reader_type(struct tree *tree, CXType type)
{
    struct type *made = memory_take(sizeof(*made));
    made->kind = TYPE_OTHER;
    made->name = "";
    if (type.kind == CXType_Invalid)
        return made;
    made->is_volatile = clang_isVolatileQualifiedType(type);
    type = clang_getCanonicalType(type);
    made->is_volatile |= clang_isVolatileQualifiedType(type) || type.kind == CXType_Atomic;
    made->name = reader_string(clang_getTypeSpelling(clang_getUnqualifiedType(type)));
    if (type.kind == CXType_Pointer) {
        made->kind = TYPE_POINTER;
        made->element = reader_type(tree, clang_getPointeeType(type));
        made->has_lengths = made->element->has_lengths;
    } else if (type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray ||
               type.kind == CXType_IncompleteArray) {
        made->kind = TYPE_ARRAY;
        made->element = reader_type(tree, clang_getArrayElementType(type));
        made->is_volatile |= made->element->is_volatile;
        made->has_lengths = made->element->has_lengths || type.kind == CXType_VariableArray;
        if (type.kind == CXType_ConstantArray)
            made->count = (size_t)clang_getArraySize(type);
    } else if (type.kind == CXType_FunctionProto || type.kind == CXType_FunctionNoProto) {
        made->kind = TYPE_FUNCTION;
        made->element = reader_type(tree, clang_getResultType(type));
    } else {
        reader_scalar(tree, type, made);
    }
    if (made->kind != TYPE_OTHER && made->kind != TYPE_FUNCTION && made->kind != TYPE_VOID) {
        long long size = clang_Type_getSizeOf(type); /* libclang dies on types of its own making */
        made->size = size > 0 ? (size_t)size : 0;
    }
    return made;
}

void reader_decay(struct type *type)
{
    type->kind = TYPE_POINTER;
    type->has_lengths = type->element->has_lengths;
    type->size = sizeof(void *);
}

struct fields {
    struct tree *tree;
    struct record *record;
};

static enum CXVisitorResult reader_field(CXCursor cursor, CXClientData data)
{
    struct fields *fields = data;
    struct field *field = list_add(&fields->record->fields, sizeof(*field));
    field->name = reader_string(clang_getCursorSpelling(cursor));
    field->is_bits = clang_Cursor_isBitField(cursor);
    long long offset = clang_Cursor_getOffsetOfField(cursor);
    field->offset = offset > 0 ? (size_t)offset / 8 : 0;
    struct type *type = reader_type(fields->tree, clang_getCursorType(cursor));
    /* The list may have moved: a record in a record. */
    LIST_AT(&fields->record->fields, struct field, fields->record->fields.count - 1)->type = type;
    return CXVisit_Continue;
}

static struct record *reader_record(struct tree *tree, CXType type)
{
    CXCursor cursor = clang_getCanonicalCursor(clang_getTypeDeclaration(type));
    struct record *record = reader_known(&tree->clang->known_records, cursor);
    if (record)
        return record;
    record = memory_take(sizeof(*record));
    struct known *known = list_add(&tree->clang->known_records, sizeof(*known));
    *known = (struct known){cursor, record};
    *(struct record **)list_add(&tree->records, sizeof(record)) = record;
    record->number = (unsigned)tree->records.count;
    if (!clang_Cursor_isAnonymous(cursor))
        record->name = reader_string(clang_getCursorSpelling(cursor));
    record->is_union = clang_getCursorKind(cursor) == CXCursor_UnionDecl;
    long long size = clang_Type_getSizeOf(type), alignment = clang_Type_getAlignOf(type);
    record->size = size > 0 ? (size_t)size : 0;
    record->alignment = alignment > 0 ? (size_t)alignment : 0;
    struct fields fields = {tree, record};
    clang_Type_visitFields(type, reader_field, &fields);
    return record;
}
