/* SPDX-License-Identifier: MIT */
/*
 * The operations of GCN 1 as an enumeration and a table, both made from the .def lists. A row is
 *
 *     ROW(opcode, name, latency class, destination, source 0, source 1, source 2, traits)
 *     SMRD, DS, MUBUF: ROW(opcode, name, kind, ...), described at the head of each list
 *     REFUSED(opcode, name): it exists, its name is known, running it is refused
 *
 * Operand types. N: none. B32, B64: bits. I64: signed (a literal is sign-extended). F16, F32, F64:
 * modifiers apply, a 64-bit literal is the upper half. M: a lane mask in a scalar register pair.
 * R128: four registers.
 */
#ifndef ISA_GCN_OPERATIONS_H
#define ISA_GCN_OPERATIONS_H

#include <stdint.h>

#define GCN_FORMATS(X)                                                                             \
    X(SOP1)                                                                                        \
    X(SOP2)                                                                                        \
    X(SOPC)                                                                                        \
    X(SOPK)                                                                                        \
    X(SOPP)                                                                                        \
    X(SMRD)                                                                                        \
    X(VOP1)                                                                                        \
    X(VOP2)                                                                                        \
    X(VOPC)                                                                                        \
    X(VOP3)                                                                                        \
    X(DS)                                                                                          \
    X(MUBUF)                                                                                       \
    X(MTBUF)                                                                                       \
    X(MIMG)                                                                                        \
    X(EXP)                                                                                         \
    X(VINTRP)

enum gcn_format {
#define FORMAT_ENUM(name) GCN_FORMAT_##name,
    GCN_FORMATS(FORMAT_ENUM)
#undef FORMAT_ENUM
        GCN_FORMAT_NONE,
    GCN_FORMAT_COUNT = GCN_FORMAT_NONE
};

enum gcn_type {
    GCN_TYPE_N,
    GCN_TYPE_B32,
    GCN_TYPE_F16,
    GCN_TYPE_F32,
    GCN_TYPE_B64,
    GCN_TYPE_I64,
    GCN_TYPE_F64,
    GCN_TYPE_M,
    GCN_TYPE_R128
};

enum gcn_traits {
    GCN_TRAIT_0 = 0,
    GCN_TRAIT_CARRY_OUT = 1u << 0, /* writes a lane mask beside its result: VCC, in VOP3 any pair */
    GCN_TRAIT_SCALAR_RESULT =
        1u << 1,                     /* a vector operation whose destination is a scalar register */
    GCN_TRAIT_ACCUMULATES = 1u << 2, /* the destination is a source too */
    GCN_TRAIT_READS_VCC = 1u << 3,   /* besides its operands */
    GCN_TRAIT_WRITES_SCC = 1u << 4,
    GCN_TRAIT_READS_SCC = 1u << 5,
    GCN_TRAIT_LITERAL_MIDDLE =
        1u << 6, /* v_madmk: the literal is source 1, the VGPR field source 2 */
    GCN_TRAIT_LITERAL_LAST = 1u << 7, /* v_madak: the literal is source 2 */
    GCN_TRAIT_ROUNDS = 1u << 8,       /* honours MODE's rounding fields */
    GCN_TRAIT_LANE = 1u << 9,         /* source 1 is a lane number in a scalar operand */
    GCN_TRAIT_WRITES_EXEC = 1u << 10  /* v_cmpx */
};

enum gcn_op {
#define ROW(opcode, name, ...) GCN_OP_##name,
#define REFUSED(opcode, name) GCN_OP_##name,
#include "isa/gcn/all.def"
#undef ROW
#undef REFUSED
    GCN_OP_UNKNOWN, /* a word that no format or table row matches */
    GCN_OP_COUNT
};

struct gcn_operation {
    const char *name;
    uint16_t opcode;
    uint16_t traits; /* enum gcn_traits */
    uint8_t format;  /* enum gcn_format: the shortest one */
    uint8_t unit;    /* enum isa_unit */
    uint8_t latency; /* enum isa_latency */
    uint8_t refused;
    uint8_t type[4]; /* enum gcn_type: destination, sources */
    /* Memory operations: */
    uint8_t kind;     /* enum isa_memory_kind */
    uint8_t bytes;    /* of one element; where it is formatted, of its registers */
    uint8_t elements; /* 2: read2, write2 */
    uint8_t scale;    /* of the two offset fields, in elements */
    uint8_t rmw;      /* enum rmw_op */
    uint8_t returns;
    uint8_t is_signed;
    uint8_t is_formatted; /* the element is converted: memory_format.c */
};

extern const struct gcn_operation gcn_operations[GCN_OP_COUNT];

/* The operation with this opcode in a format, or GCN_OP_UNKNOWN. VOP3 finds the long forms of VOPC,
 * VOP2 and VOP1 operations too. */
enum gcn_op gcn_find_operation(enum gcn_format format, unsigned opcode);

#endif
