/* SPDX-License-Identifier: MIT */
/*
 * 64-bit constants that LLVM's code generator loses.
 *
 *     31          23 22      16 15       8 7        0
 *     1 0 1 1 1 1 1 0 1 │ SDST │ OP: 4    │ SSRC0: 255 │ then a literal of 32 bits: s_mov_b64
 *
 * The operand is the literal, its upper half zero. A copy of a constant from a vector to a scalar
 * register pair becomes s_mov_b64 with all 64 bits (LLVM 22, SIFixSGPRCopies). The object file gets
 * the lower half: 6.0 becomes 0.0, -100 becomes 4294967196. Seen where a block gives the same
 * constant to a divergent phi and to a uniform one. Assembly still has all bits.
 *
 * Left out: other instructions; LLVM asks of them whether a literal fits.
 *
 * Source: AMD, "Southern Islands Series Instruction Set Architecture" (2012), chapters 5 and 12;
 * LLVM, lib/Target/AMDGPU/SIFixSGPRCopies.cpp, https://github.com/llvm/llvm-project.
 */
#ifndef BACKEND_LITERALS_H
#define BACKEND_LITERALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

/* Whether s_mov_b64 with a literal has no room for these 64 bits, and no operand means them. */
bool literals_are_too_wide(uint64_t bits);

/* Whether an object file may hold an s_mov_b64 with a literal. Data may look like one. */
bool literals_may_be_in(const void *object, size_t byte_count);

/* A literal that is lost, and the label that it stands under: part of the assembly. */
struct lost_literal {
    const char *label;
    size_t label_length;
    uint64_t bits;
};

/* The first lost literal of LLVM's assembly, which ends with a zero byte. False: there is none. */
bool literals_find_lost(const char *assembly, struct lost_literal *lost);

/* Whether the assembly has each literal of the object file, all 64 bits of it. What was generated
 * from two copies of a module may differ: LLVM does not copy the order of a value's uses. */
bool literals_are_all_in(const char *assembly, const void *object, size_t byte_count);

/* Builds each constant that enters a phi and is too wide from two halves, in scalar registers, that
 * the code generator does not see into. */
void literals_split(LLVMModuleRef module);

/* The object file, if it loses no literal; else another, with split constants. It was generated
 * from a module of which `spare` is a copy, which may be changed. NULL: an error was printed. */
LLVMMemoryBufferRef literals_mend(LLVMTargetMachineRef machine, LLVMModuleRef spare,
                                  LLVMMemoryBufferRef object);

#endif
