/* SPDX-License-Identifier: MIT */
#include "base/read_modify_write.h"

#include <string.h>

#include "base/check.h"

/* Minimum and maximum of the ISA manual: a NaN operand loses to a number. */
#define FLOAT_PICK(type, bits, op)                                                                 \
    static bits pick_##op##_##type(bits old_bits, bits operand_bits)                               \
    {                                                                                              \
        type old, operand;                                                                         \
                                                                                                   \
        memcpy(&old, &old_bits, sizeof old);                                                       \
        memcpy(&operand, &operand_bits, sizeof operand);                                           \
        if (operand != operand)                                                                    \
            return old_bits;                                                                       \
        if (old != old)                                                                            \
            return operand_bits;                                                                   \
        return (op(operand, old)) ? operand_bits : old_bits;                                       \
    }
#define less(a, b) ((a) < (b))
#define more(a, b) ((a) > (b))
FLOAT_PICK(float, uint32_t, less)
FLOAT_PICK(float, uint32_t, more)
FLOAT_PICK(double, uint64_t, less)
FLOAT_PICK(double, uint64_t, more)

static int equal_float(uint32_t a_bits, uint32_t b_bits)
{
    float a, b;

    memcpy(&a, &a_bits, sizeof a);
    memcpy(&b, &b_bits, sizeof b);
    return a == b;
}

static int equal_double(uint64_t a_bits, uint64_t b_bits)
{
    double a, b;

    memcpy(&a, &a_bits, sizeof a);
    memcpy(&b, &b_bits, sizeof b);
    return a == b;
}

#define APPLY(width, bits, sbits, type)                                                            \
    bits rmw_apply_##width(enum rmw_op op, bits old, bits operand, bits compare)                   \
    {                                                                                              \
        switch (op) {                                                                              \
        case RMW_SWAP:                                                                             \
            return operand;                                                                        \
        case RMW_COMPARE_SWAP:                                                                     \
            return old == compare ? operand : old;                                                 \
        case RMW_ADD:                                                                              \
            return old + operand;                                                                  \
        case RMW_SUB:                                                                              \
            return old - operand;                                                                  \
        case RMW_RSUB:                                                                             \
            return operand - old;                                                                  \
        case RMW_SMIN:                                                                             \
            return (sbits)operand < (sbits)old ? operand : old;                                    \
        case RMW_UMIN:                                                                             \
            return operand < old ? operand : old;                                                  \
        case RMW_SMAX:                                                                             \
            return (sbits)operand > (sbits)old ? operand : old;                                    \
        case RMW_UMAX:                                                                             \
            return operand > old ? operand : old;                                                  \
        case RMW_AND:                                                                              \
            return old & operand;                                                                  \
        case RMW_OR:                                                                               \
            return old | operand;                                                                  \
        case RMW_XOR:                                                                              \
            return old ^ operand;                                                                  \
        case RMW_INC:                                                                              \
            return old >= operand ? 0 : old + 1;                                                   \
        case RMW_DEC:                                                                              \
            return old == 0 || old > operand ? operand : old - 1;                                  \
        case RMW_FCOMPARE_SWAP:                                                                    \
            return equal_##type(old, compare) ? operand : old;                                     \
        case RMW_FMIN:                                                                             \
            return pick_less_##type(old, operand);                                                 \
        case RMW_FMAX:                                                                             \
            return pick_more_##type(old, operand);                                                 \
        case RMW_MASK_OR:                                                                          \
            return (old & ~compare) | operand;                                                     \
        case RMW_OP_COUNT:                                                                         \
            break;                                                                                 \
        }                                                                                          \
        check(0, "no read-modify-write operation has number %d", (int)op);                         \
    }
APPLY(32, uint32_t, int32_t, float)
APPLY(64, uint64_t, int64_t, double)
