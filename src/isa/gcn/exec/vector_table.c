/* SPDX-License-Identifier: MIT */
#include "isa/gcn/exec/vector_bodies.h"

gcn_body *const GCN_JOIN(vector_bodies, GCN_VARIANT)[GCN_OP_COUNT] = {
#define ROW(opcode, name, ...) [GCN_OP_##name] = GCN_JOIN(name, GCN_VARIANT),
#define REFUSED(opcode, name)
#include "isa/gcn/vop1.def"
#include "isa/gcn/vop2.def"
#include "isa/gcn/vop3.def"
#include "isa/gcn/vopc.def"
#undef ROW
#undef REFUSED
};
