/* SPDX-License-Identifier: MIT */
/* The bodies of the scalar, branch and internal operations (exec/scalar.c, exec/control.c); NULL
 * elsewhere. */
#ifndef ISA_GCN_SCALAR_BODIES_H
#define ISA_GCN_SCALAR_BODIES_H

#include "isa/gcn/gcn.h"

/* One prototype for each row: a row without a body does not link. */
#define ROW(opcode, name, ...)                                                                     \
    void gcn_##name(struct gcn_wave *wave, const struct gcn_instruction *instruction);
#define REFUSED(opcode, name)
#include "isa/gcn/sop1.def"
#include "isa/gcn/sop2.def"
#include "isa/gcn/sopc.def"
#include "isa/gcn/sopk.def"
#include "isa/gcn/sopp.def"
#undef ROW
#undef REFUSED

extern gcn_body *const gcn_scalar_bodies[GCN_OP_COUNT];

#endif
