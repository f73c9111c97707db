/* SPDX-License-Identifier: MIT */
/*
 * wavetank-backend: the half of the compiler behind clang's front end. It is a program of its own,
 * so that LLVM never enters the process of the user's program.
 *
 *     bitcode of each program ─► link ─► libraries: what is needed ─► checks ─► passes ─► code
 *                                 │                                             object file ◄─┘
 *                                 └─► one bitcode file (--bitcode)
 *
 * Library functions become internal and are compiled as the program's own functions are (same
 * processor, same handling of denormals). When all programs are linked, printf is lowered, so that
 * formats are numbered once for the whole program.
 *
 * Its own messages look as clang's do: "FILE:LINE:COLUMN: error: TEXT". Exit status 0: done, 1: the
 * program is at fault, 2: wrong usage.
 *
 * Source: LLVM, "LLVM Language Reference Manual" and the headers llvm-c/; LLVM, "User Guide for
 * AMDGPU Backend".
 */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include <stdbool.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "base/text.h"

struct backend_library {
    const char *path;  /* bitcode */
    const char *index; /* see index.h; NULL: none. One that is not of this library is not used */
};

/* What the command line asks for. Strings are borrowed. */
struct backend_request {
    unsigned input_count, library_count;
    const char *const *inputs;               /* bitcode of programs: linked whole */
    const struct backend_library *libraries; /* in order: what is needed of each */
    const char *indexed; /* --index: make an index of this library, and nothing else */
    const char *output;
    unsigned level;   /* of optimisation, 0 to 3 */
    bool is_bitcode;  /* link only; no libraries, no checks */
    bool keeps_lines; /* -g: line tables go into the object file */
    bool is_silent;   /* -w: no warnings */
    bool is_narrow;   /* for wavefronts of fewer lanes than the processor's */
    bool waits;       /* for a byte on stdin before the inputs are read: 'g'; any other ends it */
};

/* "error: TEXT" on stderr; false always. */
bool backend_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The name that the program's author knows a function by: C++ mangling and clang's own prefix of a
 * kernel's body undone. The caller frees. */
char *backend_plain_name(LLVMValueRef value);

/* Appends "FILE:LINE:COLUMN" of an instruction; false: it has none. */
bool backend_add_place(struct text *text, LLVMValueRef instruction);

/* Where each function stands in its source, for messages of passes: lines are dropped before. */
struct place_list {
    unsigned count;
    struct place {
        char *function, *place;
    } * entries;
};
void places_note(struct place_list *list, LLVMModuleRef module);
/* Prints a pass's remark as clang would: "PLACE: SEVERITY: DESCRIPTION". */
void places_tell(const struct place_list *list, const char *severity, const char *description);
void places_finish(struct place_list *list);

/* Reads all inputs into one module. NULL: an error was printed. */
LLVMModuleRef backend_link_inputs(LLVMContextRef context, const struct backend_request *request);

/* What a printf calls for the memory of what it prints (builtin/printf.cl). */
static const char printf_allocator[] = "__printf_alloc";

/* Turns calls of printf into stores; the formats, numbered from 1, go into the metadata. */
void backend_lower_printf(LLVMModuleRef module);

/* Conversions of floating point to 8 and 16 bits: to 32, and of these the low bits. Else a value
 * out of range, which is undefined, would spoil what is packed into the same register. */
void backend_widen_conversions(LLVMModuleRef module);

/* floor, ceil and rint of doubles, which LLVM makes wrongly for this processor (rounding.c). */
void backend_mend_rounding(LLVMModuleRef module);

/* A library whose functions are read when they are linked; NULL: an error was printed. After
 * backend_make_optional its definitions are linked only if something refers to them. */
LLVMModuleRef backend_open_library(LLVMContextRef context, const char *path);
void backend_make_optional(LLVMModuleRef library);

/* Gives a function a name by which LLVM does not take it for one that it knows. */
void backend_set_aside(LLVMValueRef function);

/* Adds what the module needs of each library, in their order. */
bool backend_link_libraries(LLVMModuleRef module, const struct backend_request *request);

/* Says whether each call's arguments are those of the function that it calls: one program may
 * have declared otherwise what another defines. */
bool backend_check_calls(LLVMModuleRef module);

/* Says whether a kernel can reach itself by calls: each such circle is an error. */
bool backend_check_recursion(LLVMModuleRef module);

/* Who uses what is not defined, noted while lines and functions are as the author wrote them. */
struct missing_list {
    unsigned count;
    struct missing {
        char *symbol;
        char *plain_name;
        struct text users; /* a line each: "  in FUNCTION (PLACE)" */
    } * entries;
};
void missing_note(struct missing_list *list, LLVMModuleRef module);
/* After the passes: what is still used is an error, and is told with its users. */
bool missing_check(const struct missing_list *list, LLVMModuleRef module);
void missing_finish(struct missing_list *list);

/* Readies LLVM's target; takes some milliseconds. */
void backend_start_target(void);

/* Chooses passes that a program's transactions allow; after backend_start_target. */
void backend_heed_transactions(LLVMModuleRef module);

/* Before the passes, for a GPU whose wavefronts are narrower than the processor's: barriers
 * stay. */
void backend_keep_barriers(LLVMModuleRef module);
/* Leaves the names of kernels whose barriers code generation will remove; after the passes. */
void backend_note_barriers(LLVMModuleRef module, unsigned level);

/* An object file or assembly of a module, which code generation changes. NULL: an error was
 * printed. */
LLVMMemoryBufferRef backend_generate(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                     LLVMCodeGenFileType type);

/* Passes, code generation, and the object file ("-": stdout). */
bool backend_emit(LLVMModuleRef module, const struct missing_list *missing,
                  const struct backend_request *request);

#endif
