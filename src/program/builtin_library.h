/* SPDX-License-Identifier: MIT */
/*
 * Where the built-in library of OpenCL C is: one file of LLVM bitcode (src/builtin), beside whatever
 * this code is linked into: in the build folder, or installed.
 */
#ifndef PROGRAM_BUILTIN_LIBRARY_H
#define PROGRAM_BUILTIN_LIBRARY_H

#include "program/program.h"

/* Fills compiler->builtins; WAVETANK_BUILTINS overrides. False: there is none that the compiler
 * found can read, and the diagnosis is filled. */
bool builtin_library_find(struct program_compiler *compiler, struct diagnosis *diagnosis) MUST_USE;

#endif
