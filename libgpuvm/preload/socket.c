/* SPDX-License-Identifier: MIT */
/*
 * Sockets. A datagram, or a control message, that met EFAULT is gone, and a stream's rest may
 * belong to another message. So buffers in linked arrays are made ready before.
 */
#include "transfer.h"

#include <sys/socket.h>

PRELOAD_API ssize_t __recv_chk(int fd, void *buffer, size_t nbytes, size_t room, int flags);
PRELOAD_API ssize_t __recvfrom_chk(int fd, void *buffer, size_t nbytes, size_t room, int flags,
                                   __SOCKADDR_ARG address, socklen_t *address_bytes);

#define WRAP(transfer, call)                                                                       \
    __extension__({                                                                                \
        ssize_t result_;                                                                           \
        transfer_prepare(&(transfer), true);                                                       \
        result_ = (call);                                                                          \
        (transfer).is_begun ? transfer_finish(&(transfer), result_) : result_;                     \
    })

#define BUFFER(fd, buffer, nbytes, fills)                                                          \
    {                                                                                              \
        fd, &(struct iovec){(void *)(buffer), nbytes}, 1, fills, false, 0, NULL, false             \
    }

PRELOAD_API ssize_t send(int fd, const void *buffer, size_t nbytes, int flags)
{
    struct transfer transfer = BUFFER(fd, buffer, nbytes, false);

    return WRAP(transfer, NEXT(send)(fd, buffer, nbytes, flags));
}

PRELOAD_API ssize_t recv(int fd, void *buffer, size_t nbytes, int flags)
{
    struct transfer transfer = BUFFER(fd, buffer, nbytes, true);

    return WRAP(transfer, NEXT(recv)(fd, buffer, nbytes, flags));
}

PRELOAD_API ssize_t sendto(int fd, const void *buffer, size_t nbytes, int flags,
                           __CONST_SOCKADDR_ARG address, socklen_t address_bytes)
{
    struct transfer transfer = BUFFER(fd, buffer, nbytes, false);

    return WRAP(transfer, NEXT(sendto)(fd, buffer, nbytes, flags, address, address_bytes));
}

PRELOAD_API ssize_t recvfrom(int fd, void *buffer, size_t nbytes, int flags, __SOCKADDR_ARG address,
                             socklen_t *address_bytes)
{
    struct transfer transfer = BUFFER(fd, buffer, nbytes, true);

    return WRAP(transfer, NEXT(recvfrom)(fd, buffer, nbytes, flags, address, address_bytes));
}

PRELOAD_API ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct transfer transfer = {.fd = fd, .fills = false};

    if (message != NULL) {
        transfer.pieces = message->msg_iov;
        transfer.count = (int)message->msg_iovlen;
    }
    return WRAP(transfer, NEXT(sendmsg)(fd, message, flags));
}

PRELOAD_API ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct transfer transfer = {.fd = fd, .fills = true};

    if (message != NULL) {
        transfer.pieces = message->msg_iov;
        transfer.count = (int)message->msg_iovlen;
    }
    return WRAP(transfer, NEXT(recvmsg)(fd, message, flags));
}

PRELOAD_API ssize_t __recv_chk(int fd, void *buffer, size_t nbytes, size_t room, int flags)
{
    struct transfer transfer = BUFFER(fd, buffer, nbytes, true);

    return WRAP(transfer, NEXT(__recv_chk)(fd, buffer, nbytes, room, flags));
}

PRELOAD_API ssize_t __recvfrom_chk(int fd, void *buffer, size_t nbytes, size_t room, int flags,
                                   __SOCKADDR_ARG address, socklen_t *address_bytes)
{
    struct transfer transfer = BUFFER(fd, buffer, nbytes, true);

    return WRAP(transfer,
                NEXT(__recvfrom_chk)(fd, buffer, nbytes, room, flags, address, address_bytes));
}
