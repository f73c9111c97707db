/* SPDX-License-Identifier: MIT */
/*
 * What every access and fence that has a memory order and a scope says before it is made. The
 * access itself stays clang's own builtin, which knows what it stores and returns; whatever a
 * memory system is to be told beyond it stands here, as an instruction of its own in front.
 *
 * Order and scope are constants once the functions of this library are inlined, which they always
 * are: clang chooses waits and cache invalidations by them.
 */
#ifndef BUILTIN_MEMORY_ORDER_H
#define BUILTIN_MEMORY_ORDER_H

/* Today's memory systems need to be told nothing. */
#define MEMORY_HINT(order, scope) ((void)(order), (void)(scope))

#endif
