/* SPDX-License-Identifier: MIT */
/* The program's own memory as a buffer (CL_MEM_USE_HOST_PTR), kept in step with the device: see
 * host_pointer.c. All of it does nothing for other buffers. */
#ifndef OPENCL_HOST_POINTER_H
#define OPENCL_HOST_POINTER_H

#include "opencl/driver.h"

/* Begins and ends keeping a root buffer with CL_MEM_USE_HOST_PTR in step with its host memory. */
void host_pointer_keep(cl_mem root);
void host_pointer_release(cl_mem root);
/* Before a command uses bytes of a buffer or sub-buffer: what the host wrote goes to the device. */
void host_pointer_refresh(cl_mem memory, size_t offset, size_t bytes);
/* After a command may have written them. */
void host_pointer_written(cl_mem memory, size_t offset, size_t bytes);
/* Before a command reads or writes host memory there: what commands before it wrote comes to it. */
void host_pointer_settle(const void *pointer, size_t bytes);
/* Before the program looks: what commands wrote comes to host memory, of all buffers. */
void host_pointers_bring_back(void);
/* What a map and the end of one for writing do, for a root buffer that is kept. */
void host_pointer_map(cl_mem root, size_t offset, size_t bytes, enum machine_transfer transfer);
void host_pointer_unmap(cl_mem root, size_t offset, size_t bytes, enum machine_transfer transfer);

#endif
