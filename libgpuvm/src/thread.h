/* SPDX-License-Identifier: MIT */
/* The calling thread. */
#ifndef GPUVM_THREAD_H
#define GPUVM_THREAD_H

/* The kernel's id of it, asked for once. thread_forget: in a forked child, where it has changed. */
int thread_id(void);
void thread_forget(void);

#endif
