/* SPDX-License-Identifier: MIT */
/*
 * The bodies of the vector operations. Their files are compiled once for each variant (GCN_VARIANT:
 * generic, avx2, avx512) and give the same bits in each; a table per variant holds them.
 */
#ifndef ISA_GCN_EXEC_VECTOR_BODIES_H
#define ISA_GCN_EXEC_VECTOR_BODIES_H

#include "isa/gcn/gcn.h"

extern gcn_body *const gcn_vector_bodies_generic[GCN_OP_COUNT];
extern gcn_body *const gcn_vector_bodies_avx2[GCN_OP_COUNT];
extern gcn_body *const gcn_vector_bodies_avx512[GCN_OP_COUNT];

#ifdef GCN_VARIANT
#define GCN_JOIN_(name, variant) gcn_##name##_##variant
#define GCN_JOIN(name, variant) GCN_JOIN_(name, variant)
#define BODY(name)                                                                                 \
    void GCN_JOIN(name, GCN_VARIANT)(struct gcn_wave * wave,                                       \
                                     const struct gcn_instruction *instruction)

/* One prototype for each row: a row without a body does not link. */
#define ROW(opcode, name, ...) BODY(name);
#define REFUSED(opcode, name)
#include "isa/gcn/vop1.def"
#include "isa/gcn/vop2.def"
#include "isa/gcn/vop3.def"
#include "isa/gcn/vopc.def"
#undef ROW
#undef REFUSED
#endif

#endif
