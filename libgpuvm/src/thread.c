/* SPDX-License-Identifier: MIT */
#include "thread.h"

#include <sys/syscall.h>
#include <unistd.h>

/* Asking the kernel each time would cost as much as a begin. (initial-exec: handlers of signals may
 * not allocate.) */
static __thread int id __attribute__((tls_model("initial-exec")));

int thread_id(void)
{
    if (!id)
        id = (int)syscall(SYS_gettid);
    return id;
}

void thread_forget(void)
{
    id = 0;
}
