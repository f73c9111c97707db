/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/barriers.h"
#include "program/binary.h"
#include "program/code_object.h"
#include "program/line_table.h"
#include "program/metadata.h"
#include "program/printf_formats.h"
#include "program/program.h"

#define ELFOSABI_AMDGPU_HSA 64
#define EF_MACH_GFX600 0x20u
#define NT_METADATA 32
/* Code object versions 4, 5 and 6. */
#define ABI_VERSION_FIRST 2
#define ABI_VERSION_LAST 4

bool code_object_complain(const struct code_object *object, const char *what)
{
    return diagnose(object->diagnosis, "damaged code object: %s", what);
}

bool code_object_holds(const struct code_object *object, uint64_t offset, uint64_t count)
{
    return offset <= object->program->image_bytes && count <= object->program->image_bytes - offset;
}

static bool check_header(const struct code_object *object)
{
    struct diagnosis *diagnosis = object->diagnosis;
    GElf_Ehdr header;

    if (elf_kind(object->elf) != ELF_K_ELF || gelf_getehdr(object->elf, &header) == NULL)
        return diagnose(diagnosis, "not a code object: not an ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return diagnose(diagnosis, "not a code object: not a 64-bit little-endian ELF file");
    if (header.e_machine != EM_AMDGPU)
        return diagnose(diagnosis, "not a code object for AMD GPUs (ELF machine %u)",
                        header.e_machine);
    if (header.e_ident[EI_OSABI] != ELFOSABI_AMDGPU_HSA)
        return diagnose(diagnosis,
                        "the code object is for the system ABI %u; only amdhsa (%u) is supported",
                        header.e_ident[EI_OSABI], ELFOSABI_AMDGPU_HSA);
    if (header.e_ident[EI_ABIVERSION] < ABI_VERSION_FIRST ||
        header.e_ident[EI_ABIVERSION] > ABI_VERSION_LAST)
        return diagnose(diagnosis,
                        "the code object's ABI version is %u; 2 to 4 are supported (code object "
                        "versions 4 to 6)",
                        header.e_ident[EI_ABIVERSION]);
    if (header.e_type != ET_DYN)
        return diagnose(diagnosis, "the code object is not linked (ELF type %u)", header.e_type);
    if ((header.e_flags & 0xff) != EF_MACH_GFX600 || (header.e_flags >> 8) != 0)
        return diagnose(diagnosis,
                        "the code object is for another GPU than gfx600 (ELF flags 0x%x)",
                        header.e_flags);
    return true;
}

/* Finds the metadata among the notes of one section. */
static bool find_note(Elf_Data *data, const unsigned char **note, size_t *note_bytes)
{
    size_t offset = 0, name_offset, content_offset, next;
    GElf_Nhdr header;

    while (offset < data->d_size &&
           (next = gelf_getnote(data, offset, &header, &name_offset, &content_offset)) > offset) {
        const char *bytes = data->d_buf;

        if (header.n_type == NT_METADATA && header.n_namesz == sizeof "AMDGPU" &&
            memcmp(bytes + name_offset, "AMDGPU", sizeof "AMDGPU") == 0) {
            *note = (const unsigned char *)bytes + content_offset;
            *note_bytes = header.n_descsz;
            return true;
        }
        offset = next;
    }
    return false;
}

static bool read_metadata(struct code_object *object, char ***symbols)
{
    const unsigned char *note = NULL;
    size_t note_bytes = 0;
    Elf_Scn *section = NULL;

    while (note == NULL && (section = elf_nextscn(object->elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data;

        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_NOTE)
            continue;
        data = elf_getdata(section, NULL);
        if (data != NULL && data->d_buf != NULL)
            find_note(data, &note, &note_bytes);
    }
    if (note == NULL)
        return code_object_complain(object, "no AMDGPU metadata note");
    return metadata_read(object->program, note, note_bytes, symbols, object->diagnosis);
}

static bool read_kernels(struct code_object *object)
{
    struct program *program = object->program;
    char **symbols = NULL;
    bool is_read = read_metadata(object, &symbols);

    for (uint32_t i = 0; i < program->kernel_count; i++) {
        is_read = is_read && symbols_read_descriptor(object, symbols[i], &program->kernels[i]);
        free(symbols[i]);
    }
    free(symbols);
    return is_read;
}

static bool read_all(struct program *program, struct diagnosis *diagnosis)
{
    struct code_object object = {.program = program, .diagnosis = diagnosis};
    bool is_read;

    elf_version(EV_CURRENT);
    object.elf = elf_memory((char *)program->file, program->file_bytes);
    if (object.elf == NULL)
        return diagnose(diagnosis, "not a code object: %s", elf_errmsg(-1));
    is_read = check_header(&object) && segments_read(&object) && symbols_read_globals(&object) &&
              read_kernels(&object) && relocations_read(&object);
    if (is_read)
        barriers_read(&object);
    elf_end(object.elf);
    return is_read;
}

struct program *program_load(const void *file, size_t file_bytes, struct diagnosis *diagnosis)
{
    struct program *program = allocate(1, sizeof *program);

    program->file = allocate(file_bytes, 1);
    program->file_bytes = file_bytes;
    memcpy(program->file, file, file_bytes);
    content_hash(file, binary_code_bytes(file, file_bytes), 0, program->hash);
    if (binary_check_seal(file, file_bytes, diagnosis) && read_all(program, diagnosis))
        return program;
    program_destroy(program);
    return NULL;
}

static void finish_kernel(struct program_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        free(kernel->arguments[i].name);
        free(kernel->arguments[i].type_name);
    }
    free(kernel->arguments);
    free(kernel->name);
    free(kernel->vector_type_hint);
}

void program_destroy(struct program *program)
{
    if (program == NULL)
        return;
    for (uint32_t i = 0; i < program->kernel_count; i++)
        finish_kernel(&program->kernels[i]);
    for (uint32_t i = 0; i < program->global_count; i++)
        free(program->globals[i].name);
    for (uint32_t i = 0; i < program->format_count; i++)
        printf_format_finish(&program->formats[i]);
    line_table_destroy(program->debug);
    free(program->kernels);
    free(program->globals);
    free(program->formats);
    free(program->relocations);
    free(program->image);
    free(program->file);
    free(program);
}

const struct program_kernel *program_find_kernel(const struct program *program, const char *name)
{
    for (uint32_t i = 0; i < program->kernel_count; i++)
        if (strcmp(program->kernels[i].name, name) == 0)
            return &program->kernels[i];
    return NULL;
}

void program_place(const struct program *program, uint64_t address, unsigned char *target)
{
    memcpy(target, program->image, program->image_bytes);
    for (uint32_t i = 0; i < program->relocation_count; i++) {
        uint64_t value = address + program->relocations[i].addend;

        memcpy(target + program->relocations[i].offset, &value, sizeof value);
    }
}
