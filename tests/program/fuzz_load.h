/* SPDX-License-Identifier: MIT */
/* The fuzz target of program_load, for tests that drive it with inputs of their own. */
#ifndef TESTS_PROGRAM_FUZZ_LOAD_H
#define TESTS_PROGRAM_FUZZ_LOAD_H

#include <stddef.h>
#include <stdint.h>

/* 0 always; a broken invariant ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#endif
