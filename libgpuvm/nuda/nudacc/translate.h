/* SPDX-License-Identifier: MIT */
/* A preprocessed file into one whose loops with a pragma run on the device. */
#ifndef NUDACC_TRANSLATE_H
#define NUDACC_TRANSLATE_H

#include "memory.h"

enum translate_result {
    TRANSLATE_DONE,
    TRANSLATE_REFUSED, /* errors of ours were told */
    TRANSLATE_NOT_C,   /* the compiler finds errors, which it should tell */
};

/*
 * Translates `text`; `options` are the compiler's. The result goes to `output`, or, where `kernels`
 * is not NULL, the kernels' sources go there instead.
 */
enum translate_result translate_text(const char *text, size_t length, const char *const *options,
                                     int count, struct text *output, struct text *kernels);

#endif
