/* SPDX-License-Identifier: MIT */
/*
 * Read-modify-write operations on 32- and 64-bit words: what an atomic instruction does to memory.
 * It is the same wherever it is done: an L2 slice, an L1, the LDS, the functional device. The names
 * are those of the Southern Islands ISA manual (MUBUF and DS atomics).
 */
#ifndef BASE_READ_MODIFY_WRITE_H
#define BASE_READ_MODIFY_WRITE_H

#include <stdint.h>

#define RMW_OPS(X)                                                                                 \
    X(SWAP, "swap", "new = operand")                                                               \
    X(COMPARE_SWAP, "cmpswap", "new = (old == compare) ? operand : old")                           \
    X(ADD, "add", "new = old + operand")                                                           \
    X(SUB, "sub", "new = old - operand")                                                           \
    X(RSUB, "rsub", "new = operand - old")                                                         \
    X(SMIN, "smin", "signed minimum")                                                              \
    X(UMIN, "umin", "unsigned minimum")                                                            \
    X(SMAX, "smax", "signed maximum")                                                              \
    X(UMAX, "umax", "unsigned maximum")                                                            \
    X(AND, "and", "bitwise and")                                                                   \
    X(OR, "or", "bitwise or")                                                                      \
    X(XOR, "xor", "bitwise exclusive or")                                                          \
    X(INC, "inc", "new = (old >= operand) ? 0 : old + 1")                                          \
    X(DEC, "dec", "new = (old == 0 || old > operand) ? operand : old - 1")                         \
    X(FCOMPARE_SWAP, "fcmpswap", "compare-and-swap by floating-point equality")                    \
    X(FMIN, "fmin", "floating-point minimum")                                                      \
    X(FMAX, "fmax", "floating-point maximum")                                                      \
    X(MASK_OR, "mskor", "new = (old & ~compare) | operand")

enum rmw_op {
#define RMW_ENUM(name, text, help) RMW_##name,
    RMW_OPS(RMW_ENUM)
#undef RMW_ENUM
        RMW_OP_COUNT
};

/* The new value of a word that holds `old`. `compare` is read by the compare-and-swap kinds and
 * MASK_OR only. Floating-point kinds read the bits as IEEE binary32 / binary64. */
uint32_t rmw_apply_32(enum rmw_op op, uint32_t old, uint32_t operand, uint32_t compare);
uint64_t rmw_apply_64(enum rmw_op op, uint64_t old, uint64_t operand, uint64_t compare);

#endif
