/* SPDX-License-Identifier: MIT */
#include "program/barriers.h"

#include <string.h>

static void note_kernel(struct program *program, const char *name)
{
    for (uint32_t i = 0; i < program->kernel_count; i++)
        if (strcmp(program->kernels[i].name, name) == 0)
            program->kernels[i].lost_barriers = true;
}

static void read_names(struct program *program, const Elf_Data *data)
{
    const char *names = data->d_buf, *end;

    for (size_t offset = 0; offset < data->d_size; offset = (size_t)(end - names) + 1) {
        end = memchr(names + offset, '\0', data->d_size - offset);
        if (end == NULL)
            return;
        note_kernel(program, names + offset);
    }
}

/* Where barriers were kept, the compiler was told of a work-item more than the kernel's own
 * size. */
static void limit_to_required(struct program_kernel *kernel)
{
    const uint32_t *size = kernel->required_group_size;
    uint64_t items = (uint64_t)size[0] * size[1] * size[2];

    if (items != 0 && items < kernel->max_group_size)
        kernel->max_group_size = (uint32_t)items;
}

void barriers_read(struct code_object *object)
{
    Elf_Scn *section = NULL;
    size_t strings;

    for (uint32_t i = 0; i < object->program->kernel_count; i++)
        limit_to_required(&object->program->kernels[i]);
    if (elf_getshdrstrndx(object->elf, &strings) != 0)
        return;
    while ((section = elf_nextscn(object->elf, section)) != NULL) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) != NULL
                               ? elf_strptr(object->elf, strings, header.sh_name)
                               : NULL;
        Elf_Data *data;

        if (name == NULL || strcmp(name, ".wavetank.lost_barriers") != 0)
            continue;
        data = elf_getdata(section, NULL);
        if (data != NULL && data->d_buf != NULL)
            read_names(object->program, data);
    }
}
