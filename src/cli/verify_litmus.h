/* SPDX-License-Identifier: MIT */
/* `wavetank verify --litmus`: OpenCL programs on the simulated GPU. */
#ifndef CLI_VERIFY_LITMUS_H
#define CLI_VERIFY_LITMUS_H

/* Runs the litmus tests under the protocol, with what else is set of the GPU ("path=value",
 * NULL-terminated), and prints a
 * line for each. Gives the exit status. */
int verify_litmus(const char *protocol, const char *const *overrides);

#endif
