/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "program/code_object.h"

/* Offsets in a kernel descriptor (LLVM: code object V3 kernel descriptor). */
enum {
    DESCRIPTOR_BYTES = 64,
    DESCRIPTOR_LDS_BYTES = 0,
    DESCRIPTOR_SCRATCH_BYTES = 4,
    DESCRIPTOR_KERNARG_BYTES = 8,
    DESCRIPTOR_ENTRY_OFFSET = 16,
    ENTRY_ALIGN = 256
};

struct symbol_table {
    Elf_Data *data;
    size_t strings; /* section with the names */
    int count;
};

/* The full symbol table; of a stripped file the dynamic one. */
static bool find_table(const struct code_object *object, struct symbol_table *table)
{
    Elf_Scn *section = NULL;
    bool is_found = false;

    while ((section = elf_nextscn(object->elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data;

        if (gelf_getshdr(section, &header) == NULL ||
            (header.sh_type != SHT_SYMTAB && (header.sh_type != SHT_DYNSYM || is_found)))
            continue;
        data = elf_getdata(section, NULL);
        if (data == NULL || data->d_buf == NULL || data->d_size / sizeof(Elf64_Sym) > 1u << 24)
            continue;
        *table = (struct symbol_table){.data = data,
                                       .strings = header.sh_link,
                                       .count = (int)(data->d_size / sizeof(Elf64_Sym))};
        is_found = true;
    }
    return is_found || code_object_complain(object, "no symbol table");
}

static const char *get_symbol(const struct code_object *object, const struct symbol_table *table,
                              int index, GElf_Sym *symbol)
{
    if (gelf_getsym(table->data, index, symbol) == NULL)
        return NULL;
    return elf_strptr(object->elf, table->strings, symbol->st_name);
}

static bool is_descriptor_name(const char *name)
{
    size_t length = strlen(name);

    return length > 3 && strcmp(name + length - 3, ".kd") == 0;
}

bool symbols_read_globals(struct code_object *object)
{
    struct program *program = object->program;
    struct symbol_table table;
    GElf_Sym symbol;

    if (!find_table(object, &table))
        return false;
    for (int i = 0; i < table.count; i++) {
        const char *name = get_symbol(object, &table, i, &symbol);

        if (name == NULL || name[0] == '\0' || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
            symbol.st_shndx == SHN_UNDEF || is_descriptor_name(name))
            continue;
        if (!code_object_holds(object, symbol.st_value, symbol.st_size))
            return code_object_complain(object, "a variable lies outside the segments");
        program->globals =
            reallocate(program->globals, program->global_count + 1, sizeof *program->globals);
        program->globals[program->global_count++] = (struct program_global){
            .name = copy_string(name), .offset = symbol.st_value, .bytes = symbol.st_size};
    }
    return true;
}

static uint64_t load_u32(const unsigned char *bytes)
{
    uint32_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static bool use_descriptor(struct code_object *object, uint64_t offset,
                           struct program_kernel *kernel)
{
    const struct program *program = object->program;
    int64_t distance;

    if (offset % DESCRIPTOR_BYTES != 0 || !code_object_holds(object, offset, DESCRIPTOR_BYTES))
        return code_object_complain(object, "a kernel descriptor lies outside the segments");
    memcpy(kernel->descriptor, program->image + offset, DESCRIPTOR_BYTES);
    memcpy(&distance, kernel->descriptor + DESCRIPTOR_ENTRY_OFFSET, sizeof distance);
    kernel->descriptor_offset = offset;
    kernel->entry_offset = offset + (uint64_t)distance;
    if (kernel->entry_offset % ENTRY_ALIGN != 0 || kernel->entry_offset < program->code_offset ||
        kernel->entry_offset - program->code_offset >= program->code_bytes)
        return code_object_complain(object, "a kernel's entry lies outside the code");
    if (load_u32(kernel->descriptor + DESCRIPTOR_LDS_BYTES) != kernel->lds_bytes ||
        load_u32(kernel->descriptor + DESCRIPTOR_SCRATCH_BYTES) != kernel->scratch_bytes ||
        load_u32(kernel->descriptor + DESCRIPTOR_KERNARG_BYTES) != kernel->kernarg_bytes)
        return code_object_complain(object, "a kernel's descriptor and metadata disagree");
    return true;
}

bool symbols_read_descriptor(struct code_object *object, const char *name,
                             struct program_kernel *kernel)
{
    struct symbol_table table;
    GElf_Sym symbol;

    if (!find_table(object, &table))
        return false;
    for (int i = 0; i < table.count; i++) {
        const char *found = get_symbol(object, &table, i, &symbol);

        if (found != NULL && symbol.st_shndx != SHN_UNDEF && strcmp(found, name) == 0)
            return use_descriptor(object, symbol.st_value, kernel);
    }
    return diagnose(object->diagnosis, "damaged code object: no kernel descriptor %.200s", name);
}
