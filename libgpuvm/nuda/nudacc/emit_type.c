/* SPDX-License-Identifier: MIT */
/* Types and declarations. */
#include "emit.h"

static void emit_record(struct emit *emit, const struct record *record, const struct node *node);

static char *emit_record_name(const struct record *record)
{
    const char *kind = record->is_union ? "union" : "struct";
    return record->name ? memory_format("%s %s_", kind, record->name)
                        : memory_format("%s nuda_%u", kind, record->number);
}

/* A type that is no pointer nor array. */
static char *emit_base(struct emit *emit, const struct type *type, const struct node *node)
{
    static const char *const integers[][2] = {
        {"uchar", "char"}, {"ushort", "short"}, {"uint", "int"}, {"ulong", "long"}};
    switch (type->kind) {
    case TYPE_VOID:
        return memory_copy("void", 4);
    case TYPE_BOOL:
        return memory_copy("bool", 4);
    case TYPE_INTEGER:
        for (unsigned power = 0; power < 4; power++)
            if (type->size == (size_t)1 << power)
                return memory_format("%s", integers[power][type->is_signed]);
        break;
    case TYPE_FLOAT:
        return memory_copy("float", 5);
    case TYPE_DOUBLE:
        emit->has_double = true;
        return memory_copy("double", 6);
    case TYPE_RECORD:
        emit_record(emit, type->record, node);
        return emit_record_name(type->record);
    default:
        break;
    }
    kernel_error(emit->kernel, node, NULL, "OpenCL C has no type '%s'", type->name);
    return memory_copy("int", 3);
}

char *emit_declaration(struct emit *emit, const struct type *type, enum space space,
                       const char *name, const struct node *node)
{
    const char *where = "", *declarator = name;
    if (type->kind == TYPE_POINTER) {
        where = space == SPACE_GLOBAL ? "__global " : "__private ";
        const struct type *element = type->element;
        if (type->has_lengths)
            while (element->kind == TYPE_ARRAY)
                element = element->element;
        if (element->kind == TYPE_POINTER || element->kind == TYPE_FUNCTION)
            kernel_error(emit->kernel, node, NULL,
                         "a pointer to pointers, or to a function, in the loop: a device "
                         "cannot follow it");
        declarator = memory_format(element->kind == TYPE_ARRAY ? "(*%s)" : "*%s", name);
        type = element;
    }
    for (; type->kind == TYPE_ARRAY; type = type->element)
        declarator = memory_format("%s[%zu]", declarator, type->count);
    if (type->kind == TYPE_POINTER) {
        kernel_error(emit->kernel, node, NULL,
                     "an array of pointers in the loop: a device cannot follow it");
        return memory_copy("int error", 9);
    }
    return memory_format("%s%s%s%s", where, emit_base(emit, type, node), *declarator ? " " : "",
                         declarator);
}

char *emit_type(struct emit *emit, const struct type *type, enum space space,
                const struct node *node)
{
    return emit_declaration(emit, type, space, "", node);
}

static size_t emit_alignment(const struct type *type)
{
    while (type->kind == TYPE_ARRAY)
        type = type->element;
    return type->kind == TYPE_RECORD ? type->record->alignment : type->size;
}

/* Whether a record is laid out as OpenCL C does it. */
static bool emit_is_natural(const struct record *record)
{
    size_t end = 0, most = 1;
    for (size_t i = 0; i < record->fields.count; i++) {
        const struct field *field = LIST_AT(&record->fields, struct field, i);
        size_t alignment = emit_alignment(field->type);
        if (!alignment || field->is_bits || field->type->size == 0)
            return false;
        end = record->is_union ? 0 : (end + alignment - 1) / alignment * alignment;
        if (field->offset != end)
            return false;
        end += field->type->size;
        most = alignment > most ? alignment : most;
    }
    return record->alignment == most && record->size > 0;
}

static void emit_record(struct emit *emit, const struct record *record, const struct node *node)
{
    struct text text = {0};
    for (size_t i = 0; i < emit->records.count; i++)
        if (*LIST_AT(&emit->records, const struct record *, i) == record)
            return;
    *(const struct record **)list_add(&emit->records, sizeof(record)) = record;
    if (!emit_is_natural(record))
        kernel_error(emit->kernel, node, NULL,
                     "'%s' has bit-fields, or another layout or alignment than OpenCL C gives it "
                     "(packed, aligned, or "
                     "not complete)",
                     emit_record_name(record));
    text_print(&text, "%s {\n", emit_record_name(record));
    for (size_t i = 0; i < record->fields.count; i++) {
        const struct field *field = LIST_AT(&record->fields, struct field, i);
        if (kernel_has_pointers(field->type)) {
            kernel_error(emit->kernel, node, NULL,
                         "'%s' has pointers, which a device cannot follow",
                         emit_record_name(record));
            continue;
        }
        if (*field->name == 0)
            kernel_error(emit->kernel, node, NULL, "'%s' has members without a name: give them one",
                         emit_record_name(record));
        text_print(&text, "    %s;\n",
                   emit_declaration(emit, field->type, SPACE_PRIVATE,
                                    memory_format("%s_", field->name), node));
    }
    text_print(&text, "};\n");
    text_add(&emit->types, text.characters, text.length);
}
