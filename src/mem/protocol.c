/* SPDX-License-Identifier: MIT */
#include "mem/protocol.h"

#include "base/check.h"

const struct message_kind *protocol_find_kind(const struct protocol *protocol, unsigned kind)
{
    if (kind <= MESSAGE_HOST_WRITE_REPLY)
        return message_common_kind(kind);
    if (kind < MESSAGE_PROTOCOL || kind - MESSAGE_PROTOCOL >= protocol->kind_count)
        return NULL;
    return &protocol->kinds[kind - MESSAGE_PROTOCOL];
}

const struct protocol_role *protocol_role_of(const struct protocol *protocol,
                                             enum protocol_role_kind kind)
{
    if (kind == ROLE_INSTRUCTION && protocol->roles[kind] == NULL)
        return protocol->roles[ROLE_SCALAR];
    return protocol->roles[kind];
}

const struct message_kind *protocol_kind(const struct protocol *protocol, unsigned kind)
{
    if (kind < MESSAGE_PROTOCOL)
        return message_common_kind(kind);
    check(kind - MESSAGE_PROTOCOL < protocol->kind_count, "protocol %s has no message kind %u",
          protocol->name, kind);
    return &protocol->kinds[kind - MESSAGE_PROTOCOL];
}
