/* SPDX-License-Identifier: MIT */
/* What L1s and L2 say to each other under the scoped protocols, beside requests. */
#ifndef MEM_PROTOCOL_SCOPED_MESSAGES_H
#define MEM_PROTOCOL_SCOPED_MESSAGES_H

#include "mem/protocol.h"

enum {
    SCOPED_WRITE_BACK = MESSAGE_PROTOCOL, /* dirty bytes, which stay or go above */
    SCOPED_WRITTEN,                       /* they are in L2 */
    SCOPED_KINDS_END,                     /* QR has no more */
    SCOPED_PROBE_ACQUIRE = SCOPED_KINDS_END, /* another acquires the object remotely */
    SCOPED_PROBE_RELEASE,                    /* another releases it remotely */
    SCOPED_PROBE_BOTH,                       /* both at once */
    SCOPED_DONE,                             /* answer to a probe: what it asks for is in L2 */
    SCOPED_REMOTE_KINDS_END
};

#define SCOPED_KINDS                                                                               \
    {"WRITE_BACK", CHANNEL_WRITE_BACK, true, MESSAGE_NONE},                                        \
    {                                                                                              \
        "WRITTEN", CHANNEL_RESPONSE, false, MESSAGE_NONE                                           \
    }
#define SCOPED_REMOTE_KINDS                                                                        \
    SCOPED_KINDS, {"PROBE_ACQUIRE", CHANNEL_PROBE, false, MESSAGE_NONE},                           \
        {"PROBE_RELEASE", CHANNEL_PROBE, false, MESSAGE_NONE},                                     \
        {"PROBE_BOTH", CHANNEL_PROBE, false, MESSAGE_NONE},                                        \
    {                                                                                              \
        "DONE", CHANNEL_RESPONSE, false, MESSAGE_NONE                                              \
    }

/* Marks of waiting requests, in message.acks: how far they have come. */
enum {
    MARK_NONE,
    MARK_PREPARED, /* in L1: what must be in L2 before it is there, and what must be forgotten is */
    MARK_GRANTED,  /* in L2: all L1s have answered its probes */
    MARK_ASKS_AGAIN /* in L2: not all that they have answered holds any more */
};

/* The scopes and orders of a request. */
static inline bool message_is_for_device(const struct message *message)
{
    if (message->kind == MESSAGE_ATOMIC) /* its GLC says only that the old value returns */
        return message->remote || message->slc || message->scope != SCOPE_WORK_GROUP;
    return message->remote || message->glc || message->slc || message->scope >= SCOPE_DEVICE;
}

static inline bool message_acquires(const struct message *message)
{
    return (message->order & ORDER_ACQUIRE) != 0;
}

static inline bool message_releases(const struct message *message)
{
    return (message->order & ORDER_RELEASE) != 0;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EVENT(event) (UINT64_C(1) << (event))

#endif
