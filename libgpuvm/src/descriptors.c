/* SPDX-License-Identifier: MIT */
#include "descriptors.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 8 /* with room: six are in use at once */

static atomic_int kept[MOST]; /* 1 more than the descriptor, 0: free */

int descriptor_keep(int fd)
{
    for (int i = 0, none = 0; fd >= 0 && i < MOST; i++, none = 0)
        if (atomic_compare_exchange_strong(&kept[i], &none, fd + 1))
            break;
    return fd;
}

/* By the system call: the C library's close may be ours (interpose.c). */
void descriptor_close(int *fd)
{
    for (int i = 0, ours = *fd + 1; *fd >= 0 && i < MOST; i++, ours = *fd + 1)
        if (atomic_compare_exchange_strong(&kept[i], &ours, 0))
            break;
    if (*fd >= 0)
        syscall(SYS_close, *fd);
    *fd = -1;
}

BEFORE_SANITIZER bool descriptor_is_ours(int fd)
{
    return fd >= 0 && descriptor_find((unsigned)fd, (unsigned)fd) == fd;
}

BEFORE_SANITIZER int descriptor_find(unsigned first, unsigned last)
{
    int least = -1;
    for (int i = 0; i < MOST; i++) {
        int fd = atomic_load_explicit(&kept[i], memory_order_relaxed) - 1;
        if (fd >= 0 && (unsigned)fd >= first && (unsigned)fd <= last && (least < 0 || fd < least))
            least = fd;
    }
    return least;
}
