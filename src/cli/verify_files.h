/* SPDX-License-Identifier: MIT */
/* `wavetank verify --programs FILE`: litmus tests from files. */
#ifndef CLI_VERIFY_FILES_H
#define CLI_VERIFY_FILES_H

#include "cli/verify.h"

/* Prints the verdict on each file's test by the memory model, explores it, and says which of its
 * states the protocol shows. Stops at the first outcome that the model does not allow, unless it
 * is to go on; tells its shortest path. Gives the exit status. */
int verify_files(struct verify_request *request);

#endif
