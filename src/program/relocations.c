/* SPDX-License-Identifier: MIT */
#include "base/bits.h"
#include "base/text.h"
#include "program/code_object.h"

/* LLVM: "Relocation Records". */
enum { R_NONE = 0, R_ABS64 = 3, R_RELATIVE64 = 13 };

static const char *const relocation_names[] = {
    [0] = "R_AMDGPU_NONE",          [1] = "R_AMDGPU_ABS32_LO",    [2] = "R_AMDGPU_ABS32_HI",
    [3] = "R_AMDGPU_ABS64",         [4] = "R_AMDGPU_REL32",       [5] = "R_AMDGPU_REL64",
    [6] = "R_AMDGPU_ABS32",         [7] = "R_AMDGPU_GOTPCREL",    [8] = "R_AMDGPU_GOTPCREL32_LO",
    [9] = "R_AMDGPU_GOTPCREL32_HI", [10] = "R_AMDGPU_REL32_LO",   [11] = "R_AMDGPU_REL32_HI",
    [12] = "an unknown relocation", [13] = "R_AMDGPU_RELATIVE64", [14] = "R_AMDGPU_REL16",
};

static const char *name_of(uint64_t type)
{
    return type < ARRAY_COUNT(relocation_names) ? relocation_names[type] : "an unknown relocation";
}

/* The image offset of the symbol that a relocation names. */
static bool read_symbol(const struct code_object *object, uint32_t table, uint64_t index,
                        uint64_t *value)
{
    Elf_Scn *section = elf_getscn(object->elf, table);
    Elf_Data *data = section != NULL ? elf_getdata(section, NULL) : NULL;
    const char *name = NULL;
    GElf_Shdr header;
    GElf_Sym symbol;

    if (data == NULL || index > INT32_MAX || gelf_getshdr(section, &header) == NULL ||
        (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) ||
        gelf_getsym(data, (int)index, &symbol) == NULL)
        return code_object_complain(object, "a relocation without its symbol");
    name = elf_strptr(object->elf, header.sh_link, symbol.st_name);
    if (symbol.st_shndx == SHN_UNDEF)
        return diagnose(object->diagnosis, "the code object uses %.200s and does not define it",
                        name != NULL ? name : "a symbol");
    *value = symbol.st_value;
    return true;
}

static bool add_relocation(struct code_object *object, uint32_t symbols, const GElf_Rela *entry)
{
    struct program *program = object->program;
    uint64_t type = GELF_R_TYPE(entry->r_info);
    uint64_t base = 0;

    if (type == R_NONE)
        return true;
    if (type != R_ABS64 && type != R_RELATIVE64)
        return diagnose(object->diagnosis, "the code object needs %s (%u), which is not supported",
                        name_of(type), (unsigned)type);
    if (!code_object_holds(object, entry->r_offset, sizeof(uint64_t)))
        return code_object_complain(object, "a relocation lies outside the segments");
    if (type == R_ABS64 && !read_symbol(object, symbols, GELF_R_SYM(entry->r_info), &base))
        return false;
    program->relocations[program->relocation_count++] = (struct program_relocation){
        .offset = entry->r_offset, .addend = base + (uint64_t)entry->r_addend};
    return true;
}

static bool read_section(struct code_object *object, Elf_Scn *section, const GElf_Shdr *header)
{
    struct program *program = object->program;
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Rela entry;
    size_t count;

    if (data == NULL || (data->d_buf == NULL && data->d_size > 0))
        return code_object_complain(object, "its relocations cannot be read");
    count = data->d_size / sizeof(Elf64_Rela);
    if (count > INT32_MAX)
        return code_object_complain(object, "its relocations cannot be read");
    program->relocations = reallocate(program->relocations, program->relocation_count + count,
                                      sizeof *program->relocations);
    for (size_t i = 0; i < count; i++) {
        if (gelf_getrela(data, (int)i, &entry) == NULL)
            return code_object_complain(object, "a relocation cannot be read");
        if (!add_relocation(object, header->sh_link, &entry))
            return false;
    }
    return true;
}

bool relocations_read(struct code_object *object)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(object->elf, section)) != NULL) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) == NULL || (header.sh_flags & SHF_ALLOC) == 0)
            continue;
        if (header.sh_type == SHT_REL)
            return diagnose(
                object->diagnosis,
                "the code object has relocations without addends, which are not supported");
        if (header.sh_type == SHT_RELA && !read_section(object, section, &header))
            return false;
    }
    return true;
}
