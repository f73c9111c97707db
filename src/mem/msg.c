/* SPDX-License-Identifier: MIT */
#include "mem/msg.h"

#include <stddef.h>

#include "base/check.h"

_Static_assert(sizeof(struct message) == 120, "struct message has padding");
_Static_assert(offsetof(struct message, data) == 56, "struct message has padding");

static const struct message_kind kinds[MESSAGE_PROTOCOL] = {
    [MESSAGE_NONE] = {"NONE", CHANNEL_REQUEST, false, MESSAGE_NONE},
    [MESSAGE_LOAD] = {"LOAD", CHANNEL_REQUEST, false, MESSAGE_NONE},
    [MESSAGE_LOAD_REPLY] = {"LOAD_REPLY", CHANNEL_RESPONSE, true, MESSAGE_NONE},
    [MESSAGE_STORE] = {"STORE", CHANNEL_REQUEST, true, MESSAGE_NONE},
    [MESSAGE_STORE_REPLY] = {"STORE_REPLY", CHANNEL_RESPONSE, false, MESSAGE_NONE},
    [MESSAGE_ATOMIC] = {"ATOMIC", CHANNEL_REQUEST, true, MESSAGE_NONE},
    [MESSAGE_ATOMIC_REPLY] = {"ATOMIC_REPLY", CHANNEL_RESPONSE, true, MESSAGE_NONE},
    [MESSAGE_INVALIDATE] = {"INVALIDATE", CHANNEL_REQUEST, false, MESSAGE_NONE},
    [MESSAGE_INVALIDATE_REPLY] = {"INVALIDATE_REPLY", CHANNEL_RESPONSE, false, MESSAGE_NONE},
    [MESSAGE_FLUSH] = {"FLUSH", CHANNEL_REQUEST, false, MESSAGE_NONE},
    [MESSAGE_FLUSH_REPLY] = {"FLUSH_REPLY", CHANNEL_RESPONSE, false, MESSAGE_NONE},
    [MESSAGE_READ] = {"READ", CHANNEL_REQUEST, false, MESSAGE_NONE},
    [MESSAGE_READ_REPLY] = {"READ_REPLY", CHANNEL_RESPONSE, true, MESSAGE_NONE},
    [MESSAGE_WRITE] = {"WRITE", CHANNEL_WRITE_BACK, true, MESSAGE_NONE},
    [MESSAGE_WRITE_REPLY] = {"WRITE_REPLY", CHANNEL_RESPONSE, false, MESSAGE_NONE},
    [MESSAGE_HOST_READ] = {"HOST_READ", CHANNEL_REQUEST, false, MESSAGE_NONE},
    [MESSAGE_HOST_READ_REPLY] = {"HOST_READ_REPLY", CHANNEL_RESPONSE, true, MESSAGE_NONE},
    [MESSAGE_HOST_WRITE] = {"HOST_WRITE", CHANNEL_REQUEST, true, MESSAGE_NONE},
    [MESSAGE_HOST_WRITE_REPLY] = {"HOST_WRITE_REPLY", CHANNEL_RESPONSE, false, MESSAGE_NONE},
    [MESSAGE_TRANSACTION] = {"TRANSACTION", CHANNEL_REQUEST, false, MESSAGE_NONE},
    [MESSAGE_TRANSACTION_REPLY] = {"TRANSACTION_REPLY", CHANNEL_RESPONSE, false, MESSAGE_NONE},
};

const struct message_kind *message_common_kind(unsigned kind)
{
    check(kind < MESSAGE_PROTOCOL && kinds[kind].name != NULL, "there is no common message kind %u",
          kind);
    return &kinds[kind];
}
