/* SPDX-License-Identifier: MIT */
/*
 * Inside program_load: one ELF file while it is read. libelf finds headers and sections. Every
 * offset that the file gives is checked here before it is used.
 */
#ifndef PROGRAM_CODE_OBJECT_H
#define PROGRAM_CODE_OBJECT_H

#include <gelf.h>

#include "base/diagnosis.h"
#include "program/program.h"

struct code_object {
    Elf *elf;
    struct program *program;
    struct diagnosis *diagnosis;
};

/* "damaged code object: WHAT". False always. */
bool code_object_complain(const struct code_object *object, const char *what);

/* Whether the image holds `count` bytes at `offset`. */
bool code_object_holds(const struct code_object *object, uint64_t offset, uint64_t count);

/* Copies the segments into program->image and finds the code. */
bool segments_read(struct code_object *object) MUST_USE;

/* Fills program->globals from the symbol table. */
bool symbols_read_globals(struct code_object *object) MUST_USE;
/* Fills a kernel's descriptor and entry from the symbol `name`. */
bool symbols_read_descriptor(struct code_object *object, const char *name,
                             struct program_kernel *kernel) MUST_USE;
/* Fills program->relocations. */
bool relocations_read(struct code_object *object) MUST_USE;

#endif
