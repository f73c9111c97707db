/* SPDX-License-Identifier: MIT */
#include "isa/gcn/operations.h"

#include "isa/isa.h"

/* The unit of a scalar operation follows from what it costs. */
#define UNIT_SCALAR ISA_UNIT_SALU
#define UNIT_SCALAR_LONG ISA_UNIT_SALU
#define UNIT_BRANCH ISA_UNIT_BRANCH
#define UNIT_NONE ISA_UNIT_INTERNAL

#define COMPUTE(format_, unit_, opcode_, name_, latency_, d, a, b, c, traits_)                     \
    [GCN_OP_##name_] = {.name = #name_,                                                            \
                        .opcode = (opcode_),                                                       \
                        .traits = GCN_TRAIT_##traits_,                                             \
                        .format = (format_),                                                       \
                        .unit = (unit_),                                                           \
                        .latency = ISA_LATENCY_##latency_,                                         \
                        .type = {GCN_TYPE_##d, GCN_TYPE_##a, GCN_TYPE_##b, GCN_TYPE_##c}},
#define REFUSED_ROW(format_, opcode_, name_)                                                       \
    [GCN_OP_##name_] = {.name = #name_,                                                            \
                        .opcode = (opcode_),                                                       \
                        .format = (format_),                                                       \
                        .unit = ISA_UNIT_INTERNAL,                                                 \
                        .latency = ISA_LATENCY_NONE,                                               \
                        .refused = 1},

const struct gcn_operation gcn_operations[GCN_OP_COUNT] = {
#define ROW(opcode, name, latency, d, a, b, c, traits)                                             \
    COMPUTE(GCN_FORMAT_SOP1, UNIT_##latency, opcode, name, latency, d, a, b, c, traits)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_SOP1, opcode, name)
#include "isa/gcn/sop1.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, latency, d, a, b, c, traits)                                             \
    COMPUTE(GCN_FORMAT_SOP2, UNIT_##latency, opcode, name, latency, d, a, b, c, traits)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_SOP2, opcode, name)
#include "isa/gcn/sop2.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, latency, d, a, b, c, traits)                                             \
    COMPUTE(GCN_FORMAT_SOPC, UNIT_##latency, opcode, name, latency, d, a, b, c, traits)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_SOPC, opcode, name)
#include "isa/gcn/sopc.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, latency, d, a, b, c, traits)                                             \
    COMPUTE(GCN_FORMAT_SOPK, UNIT_##latency, opcode, name, latency, d, a, b, c, traits)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_SOPK, opcode, name)
#include "isa/gcn/sopk.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, latency, d, a, b, c, traits)                                             \
    COMPUTE(GCN_FORMAT_SOPP, UNIT_##latency, opcode, name, latency, d, a, b, c, traits)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_SOPP, opcode, name)
#include "isa/gcn/sopp.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, latency, d, a, b, c, traits)                                             \
    COMPUTE(GCN_FORMAT_VOP1, ISA_UNIT_VALU, opcode, name, latency, d, a, b, c, traits)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_VOP1, opcode, name)
#include "isa/gcn/vop1.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, latency, d, a, b, c, traits)                                             \
    COMPUTE(GCN_FORMAT_VOP2, ISA_UNIT_VALU, opcode, name, latency, d, a, b, c, traits)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_VOP2, opcode, name)
#include "isa/gcn/vop2.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, latency, d, a, b, c, traits)                                             \
    COMPUTE(GCN_FORMAT_VOPC, ISA_UNIT_VALU, opcode, name, latency, d, a, b, c, traits)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_VOPC, opcode, name)
#include "isa/gcn/vopc.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, latency, d, a, b, c, traits)                                             \
    COMPUTE(GCN_FORMAT_VOP3, ISA_UNIT_VALU, opcode, name, latency, d, a, b, c, traits)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_VOP3, opcode, name)
#include "isa/gcn/vop3.def"
#undef ROW
#undef REFUSED
#define ROW(opcode_, name_, bytes_)                                                                \
    [GCN_OP_##name_] = {.name = #name_,                                                            \
                        .opcode = (opcode_),                                                       \
                        .format = GCN_FORMAT_SMRD,                                                 \
                        .unit = ISA_UNIT_SMEM,                                                     \
                        .latency = ISA_LATENCY_MEMORY,                                             \
                        .kind = ISA_MEMORY_SCALAR_LOAD,                                            \
                        .bytes = (bytes_),                                                         \
                        .elements = 1,                                                             \
                        .returns = 1},
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_SMRD, opcode, name)
#include "isa/gcn/smrd.def"
#undef ROW
#undef REFUSED
#define ROW(opcode_, name_, kind_, bytes_, elements_, scale_, rmw_, returns_, signed_)             \
    [GCN_OP_##name_] = {.name = #name_,                                                            \
                        .opcode = (opcode_),                                                       \
                        .format = GCN_FORMAT_DS,                                                   \
                        .unit = ISA_UNIT_LDS,                                                      \
                        .latency = ISA_LATENCY_MEMORY,                                             \
                        .kind = ISA_MEMORY_##kind_,                                                \
                        .bytes = (bytes_),                                                         \
                        .elements = (elements_),                                                   \
                        .scale = (scale_),                                                         \
                        .rmw = RMW_##rmw_,                                                         \
                        .returns = (returns_),                                                     \
                        .is_signed = (signed_)},
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_DS, opcode, name)
#include "isa/gcn/ds.def"
#undef ROW
#undef REFUSED
#define ROW(opcode_, name_, kind_, bytes_, rmw_, signed_)                                          \
    [GCN_OP_##name_] = {.name = #name_,                                                            \
                        .opcode = (opcode_),                                                       \
                        .format = GCN_FORMAT_MUBUF,                                                \
                        .unit = ISA_UNIT_VMEM,                                                     \
                        .latency = ISA_LATENCY_MEMORY,                                             \
                        .kind = ISA_MEMORY_##kind_,                                                \
                        .bytes = (bytes_),                                                         \
                        .elements = 1,                                                             \
                        .rmw = RMW_##rmw_,                                                         \
                        .returns = ISA_MEMORY_##kind_ == ISA_MEMORY_LOAD,                          \
                        .is_signed = (signed_),                                                    \
                        .is_formatted = (opcode_) < 8},
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_MUBUF, opcode, name)
#include "isa/gcn/mubuf.def"
#undef ROW
#undef REFUSED
#define ROW(...)
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_MTBUF, opcode, name)
#include "isa/gcn/mtbuf.def"
#undef REFUSED
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_MIMG, opcode, name)
#include "isa/gcn/mimg.def"
#undef REFUSED
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_EXP, opcode, name)
#include "isa/gcn/exp.def"
#undef REFUSED
#define REFUSED(opcode, name) REFUSED_ROW(GCN_FORMAT_VINTRP, opcode, name)
#include "isa/gcn/vintrp.def"
#undef REFUSED
#undef ROW
    [GCN_OP_UNKNOWN] = {.name = "unknown",
                        .format = GCN_FORMAT_NONE,
                        .unit = ISA_UNIT_INTERNAL,
                        .latency = ISA_LATENCY_NONE,
                        .refused = 1},
};

/* By opcode, one more than the operation so that 0 is none. Two rows with one opcode are a warning
 * of the compiler (an initialiser overridden). */
#define ROW(opcode, name, ...) [opcode] = GCN_OP_##name + 1,
#define REFUSED(opcode, name) [opcode] = GCN_OP_##name + 1,
static const uint16_t sop1[256] = {
#include "isa/gcn/sop1.def"
};
static const uint16_t sop2[128] = {
#include "isa/gcn/sop2.def"
};
static const uint16_t sopc[128] = {
#include "isa/gcn/sopc.def"
};
static const uint16_t sopk[32] = {
#include "isa/gcn/sopk.def"
};
static const uint16_t sopp[128] = {
#include "isa/gcn/sopp.def"
};
static const uint16_t smrd[32] = {
#include "isa/gcn/smrd.def"
};
static const uint16_t vop1[256] = {
#include "isa/gcn/vop1.def"
};
static const uint16_t vop2[64] = {
#include "isa/gcn/vop2.def"
};
static const uint16_t vopc[256] = {
#include "isa/gcn/vopc.def"
};
static const uint16_t ds[256] = {
#include "isa/gcn/ds.def"
};
static const uint16_t mubuf[128] = {
#include "isa/gcn/mubuf.def"
};
static const uint16_t mtbuf[8] = {
#include "isa/gcn/mtbuf.def"
};
static const uint16_t mimg[128] = {
#include "isa/gcn/mimg.def"
};
static const uint16_t export[1] = {
#include "isa/gcn/exp.def"
};
static const uint16_t vintrp[4] = {
#include "isa/gcn/vintrp.def"
};
#undef ROW
#undef REFUSED

/* The long forms stand in one numbering: VOPC from 0, VOP2 from 256, VOP3's own from 320, VOP1 from
 * 384. */
static const uint16_t vop3[512] = {
#define ROW(opcode, name, ...) [opcode] = GCN_OP_##name + 1,
#define REFUSED(opcode, name) [opcode] = GCN_OP_##name + 1,
#include "isa/gcn/vop3.def"
#include "isa/gcn/vopc.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, ...) [256 + (opcode)] = GCN_OP_##name + 1,
#define REFUSED(opcode, name) [256 + (opcode)] = GCN_OP_##name + 1,
#include "isa/gcn/vop2.def"
#undef ROW
#undef REFUSED
#define ROW(opcode, name, ...) [384 + (opcode)] = GCN_OP_##name + 1,
#define REFUSED(opcode, name) [384 + (opcode)] = GCN_OP_##name + 1,
#include "isa/gcn/vop1.def"
#undef ROW
#undef REFUSED
};

static const struct {
    const uint16_t *operations;
    unsigned count;
} by_opcode[GCN_FORMAT_COUNT] = {
#define LIST(format, list) [GCN_FORMAT_##format] = {(list), sizeof(list) / sizeof((list)[0])}
    LIST(SOP1, sop1),   LIST(SOP2, sop2), LIST(SOPC, sopc),  LIST(SOPK, sopk),
    LIST(SOPP, sopp),   LIST(SMRD, smrd), LIST(VOP1, vop1),  LIST(VOP2, vop2),
    LIST(VOPC, vopc),   LIST(VOP3, vop3), LIST(DS, ds),      LIST(MUBUF, mubuf),
    LIST(MTBUF, mtbuf), LIST(MIMG, mimg), LIST(EXP, export), LIST(VINTRP, vintrp),
#undef LIST
};

enum gcn_op gcn_find_operation(enum gcn_format format, unsigned opcode)
{
    if (format >= GCN_FORMAT_COUNT || opcode >= by_opcode[format].count ||
        by_opcode[format].operations[opcode] == 0)
        return GCN_OP_UNKNOWN;
    return (enum gcn_op)(by_opcode[format].operations[opcode] - 1);
}
