/* SPDX-License-Identifier: MIT */
/*
 * What the program hears: answers to queries, and why a call is refused. Every refusal says its
 * reason once on stderr. Of queries that programs try, and of handles that are released, nothing is
 * said. Included by driver.h, which chooses the version of the OpenCL headers.
 */
#ifndef OPENCL_ANSWER_H
#define OPENCL_ANSWER_H

#include <CL/cl_icd.h>
#include <stddef.h>

/* ---- Answers to clGet*Info (info.c) ---- */

struct query {
    size_t size;
    void *value;
    size_t *size_return;
};

/* Copy the answer out: CL_INVALID_VALUE when there is a place for it that is too small. */
cl_int answer_bytes(const struct query *query, const void *bytes, size_t count);
cl_int answer_text(const struct query *query, const char *text);
cl_int answer_uint(const struct query *query, cl_uint value);
cl_int answer_ulong(const struct query *query, cl_ulong value);
cl_int answer_size(const struct query *query, size_t value);
cl_int answer_pointer(const struct query *query, const void *pointer);
/* A list of properties that ends with 0; NULL: none was given, the answer is empty. */
cl_int answer_properties(const struct query *query, const cl_ulong *list);
/* A copy of such a list, the 0 included; NULL stays NULL. The caller frees. */
cl_ulong *properties_copy(const cl_ulong *list);

/* ---- Refusals (refusal.c) ---- */

/* Says once for each function that it is not supported and why; returns the status. */
cl_int refuse(const char *function, const char *reason, cl_int status);
/* The same for functions that make something: stores the status and returns NULL. */
void *refuse_object(const char *function, const char *reason, cl_int status, cl_int *status_place);
/* The same for calls in a queue or a context, whose handle is looked at first:
 * CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT. Without the lock, like both above. */
cl_int refuse_in_queue(const char *function, cl_command_queue queue, const char *reason,
                       cl_int status);
void *refuse_in_context(const char *function, cl_context context, const char *reason, cl_int status,
                        cl_int *status_place);
/* Says why the call is wrong, once for each entry point, kernel (NULL: none is concerned) and
 * reason, which is the format; returns the status. Of queries and of what programs try on purpose
 * nothing is said. */
cl_int refusal(cl_int status, const char *kernel, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Says a line once. */
void refusal_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The entry point that the thread with the lock has called. */
void refusal_in(const char *function);

#endif
