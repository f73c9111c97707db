/* SPDX-License-Identifier: MIT */
/*
 * What clang and its linker print, made fit for clGetProgramBuildInfo. The names of temporary files
 * are taken out, as they differ from run to run. The linker's remarks on missing functions are put
 * in OpenCL's words.
 */
#ifndef PROGRAM_BUILD_LOG_H
#define PROGRAM_BUILD_LOG_H

#include "base/diagnosis.h"
#include "base/text.h"

/* Appends `raw` to `log`; `folder` is the temporary folder whose name is taken out (NULL: none). */
void build_log_add(struct text *log, const char *raw, const char *folder);

/* Fills the diagnosis from the first error in `log`, with a hint where the cause is known. False
 * always. */
bool build_log_diagnose(const char *log, int status, struct diagnosis *diagnosis);

/* Removes every `folder`/ from `from`, appending the rest to `to`. */
void build_log_strip(struct text *to, const char *from, const char *folder);

#endif
