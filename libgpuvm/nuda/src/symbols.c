/* SPDX-License-Identifier: MIT */
/* Global variables, by the tables of symbols in the files that the program is made of (ELF:
 * System V ABI, "Symbol Table"). */
#include "memory.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The module that holds an address. */
struct module {
    uintptr_t address;
    uintptr_t slide; /* where it was loaded, less where its file says */
    char path[4096];
    bool is_found;
};

static int look_at_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct module *module = argument;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD ||
            module->address - (info->dlpi_addr + part->p_vaddr) >= part->p_memsz)
            continue;
        module->slide = info->dlpi_addr;
        const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
        size_t length = 0;
        while (path[length] && length < sizeof(module->path) - 1) {
            module->path[length] = path[length];
            length++;
        }
        module->path[length] = '\0';
        module->is_found = true;
        return 1;
    }
    return 0;
}

/* A file's bytes; every offset in it is checked against its length. */
struct file {
    const unsigned char *bytes;
    size_t length;
};

static const void *part_of(const struct file *file, uint64_t offset, uint64_t nbytes)
{
    return offset <= file->length && nbytes <= file->length - offset ? file->bytes + offset : NULL;
}

static bool search_section(const struct file *file, const ElfW(Shdr) * section,
                           const struct module *module, void **base, size_t *nbytes)
{
    const ElfW(Sym) *symbols = part_of(file, section->sh_offset, section->sh_size);
    for (size_t i = 0; symbols && i < section->sh_size / sizeof(*symbols); i++) {
        const ElfW(Sym) *symbol = &symbols[i];
        uintptr_t start = module->slide + symbol->st_value;
        if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF ||
            module->address - start >= symbol->st_size)
            continue;
        *base = (void *)start;
        *nbytes = symbol->st_size;
        return true;
    }
    return false;
}

static bool search_file(const struct file *file, const struct module *module, void **base,
                        size_t *nbytes)
{
    const ElfW(Ehdr) *header = part_of(file, 0, sizeof(*header));
    if (!header || header->e_shentsize != sizeof(ElfW(Shdr)))
        return false;
    const ElfW(Shdr) *sections =
        part_of(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(*sections));
    for (unsigned i = 0; sections && i < header->e_shnum; i++)
        if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
            search_section(file, &sections[i], module, base, nbytes))
            return true;
    return false;
}

bool symbols_find(const void *pointer, void **base, size_t *nbytes, bool *is_module)
{
    struct module module = {.address = (uintptr_t)pointer};
    dl_iterate_phdr(look_at_module, &module);
    *is_module = module.is_found;
    int descriptor = module.is_found ? open(module.path, O_RDONLY | O_CLOEXEC) : -1;
    struct stat status;
    bool is_known = false;
    if (descriptor >= 0 && !fstat(descriptor, &status) && status.st_size > 0) {
        struct file file = {.length = (size_t)status.st_size};
        void *map = mmap(NULL, file.length, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (map != MAP_FAILED) {
            file.bytes = map;
            is_known = search_file(&file, &module, base, nbytes);
            munmap(map, file.length);
        }
    }
    if (descriptor >= 0)
        close(descriptor);
    return is_known;
}
