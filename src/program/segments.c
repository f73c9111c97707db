/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/code_object.h"

/* More than the device would take in a program; keeps a damaged size from filling the host. */
#define IMAGE_BYTES_MAX (UINT64_C(256) << 20)

/* Sums up the loadable segments: they must come in order, apart from one another. */
static bool segments_measure(struct code_object *object, size_t count)
{
    uint64_t end = 0;
    GElf_Phdr header;

    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(object->elf, (int)i, &header) == NULL)
            return code_object_complain(object, "a program header cannot be read");
        if (header.p_type != PT_LOAD)
            continue;
        if (header.p_vaddr > IMAGE_BYTES_MAX || header.p_memsz > IMAGE_BYTES_MAX - header.p_vaddr)
            return code_object_complain(object, "a segment is larger than 256 MB");
        if (header.p_vaddr < end)
            return code_object_complain(object, "segments overlap or are out of order");
        if (header.p_filesz > header.p_memsz || header.p_offset > object->program->file_bytes ||
            header.p_filesz > object->program->file_bytes - header.p_offset)
            return code_object_complain(object, "a segment lies outside the file");
        end = header.p_vaddr + header.p_memsz;
    }
    if (end == 0)
        return code_object_complain(object, "nothing to load");
    object->program->image_bytes = (size_t)end;
    return true;
}

static bool copy_segment(struct code_object *object, const GElf_Phdr *header)
{
    struct program *program = object->program;

    memcpy(program->image + header->p_vaddr, program->file + header->p_offset, header->p_filesz);
    if ((header->p_flags & PF_X) == 0)
        return true;
    if (program->code_bytes != 0)
        return code_object_complain(object, "two executable segments");
    if (header->p_vaddr % 4 != 0 || header->p_filesz % 4 != 0)
        return code_object_complain(object, "code that is not in words of 4 bytes");
    program->code_offset = header->p_vaddr;
    program->code_bytes = header->p_filesz;
    return true;
}

/* A segment that is only writable until the loader is done (PT_GNU_RELRO) holds no variables. */
static bool is_for_loader(struct code_object *object, size_t count, const GElf_Phdr *segment)
{
    GElf_Phdr header;

    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(object->elf, (int)i, &header) != NULL && header.p_type == PT_GNU_RELRO &&
            header.p_vaddr <= segment->p_vaddr &&
            segment->p_vaddr - header.p_vaddr + segment->p_memsz <= header.p_memsz)
            return true;
    return false;
}

bool segments_read(struct code_object *object)
{
    GElf_Phdr header;
    size_t count;

    if (elf_getphdrnum(object->elf, &count) != 0 || count > 1000)
        return code_object_complain(object, "its program headers cannot be read");
    if (!segments_measure(object, count))
        return false;
    object->program->image = allocate(object->program->image_bytes, 1);
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(object->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD)
            continue;
        if (!copy_segment(object, &header))
            return false;
        object->program->has_variables |=
            (header.p_flags & PF_W) != 0 && !is_for_loader(object, count, &header);
    }
    return true;
}
