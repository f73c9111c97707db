/* SPDX-License-Identifier: MIT */
/* What an instruction wrote, with the values that stand there now:
 *
 *     s[4:5]=0x0000000000000040 scc=1
 *     v3=[00000001 00000002 - ...]        a dash: the lane was not active
 *     v3=[00000001, 64 lanes: same]       the first so many lanes, and no other was active
 */
#include "base/bits.h"
#include "isa/gcn/decode.h"

static void add_scalar(const struct gcn_wave *wave, unsigned index, unsigned count,
                       struct text *text)
{
    static const struct {
        unsigned index;
        const char *name;
    } special[] = {{GCN_VCC, "vcc"}, {GCN_M0, "m0"}, {GCN_EXEC, "exec"}};
    const char *name = NULL;

    for (unsigned i = 0; i < 3; i++)
        if ((index & ~1u) == special[i].index && (count == 2 || index == GCN_M0))
            name = special[i].name;
    if (name != NULL)
        text_add(text, " %s=0x", name);
    else if (count == 1)
        text_add(text, " s%u=0x", index);
    else
        text_add(text, " s[%u:%u]=0x", index, index + count - 1);
    for (unsigned i = count; i-- > 0;)
        text_add(text, "%08x", (unsigned)wave->scalar[index + i]);
}

/* How many lanes from the first on were active, and no other, if all wrote one value; else 0. */
static unsigned same_lanes(const struct gcn_wave *wave, const uint32_t *row)
{
    uint64_t active = wave->base.active;
    unsigned count = count_bits(active);

    if (count < 2 || active != low_mask(count))
        return 0;
    for (unsigned lane = 1; lane < count; lane++)
        if (row[lane] != row[0])
            return 0;
    return count;
}

static void add_vector(const struct gcn_wave *wave, unsigned index, unsigned count,
                       struct text *text)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *row = wave->vector[index + i];
        unsigned same = same_lanes(wave, row);

        if (same != 0) {
            text_add(text, " v%u=[%08x, %u lanes: same]", index + i, (unsigned)row[0], same);
            continue;
        }
        text_add(text, " v%u=[", index + i);
        for (unsigned lane = 0; lane < GCN_LANES; lane++) {
            if ((wave->base.active >> lane & 1) != 0)
                text_add(text, "%s%08x", lane == 0 ? "" : " ", (unsigned)row[lane]);
            else
                text_add(text, "%s-", lane == 0 ? "" : " ");
        }
        text_add(text, "]");
    }
}

static void trace_memory(const struct gcn_wave *wave, const struct gcn_instruction *record,
                         const struct gcn_operation *operation, struct text *text)
{
    unsigned registers = operation->bytes <= 4 ? 1 : operation->bytes / 4u;

    if (operation->kind == ISA_MEMORY_SCALAR_LOAD)
        add_scalar(wave, record->destination, registers, text);
    else if (operation->returns ||
             (operation->kind == ISA_MEMORY_ATOMIC && operation->format == GCN_FORMAT_MUBUF &&
              (record->word[0] >> 14 & 1) != 0))
        add_vector(wave, record->destination, registers * operation->elements, text);
}

void gcn_trace(const struct isa_wave *base, const struct isa_instruction *instruction,
               struct text *text)
{
    const struct gcn_wave *wave = gcn_wave_of_const(base);
    const struct gcn_instruction *record = gcn_of(instruction);
    const struct gcn_operation *operation = &gcn_operations[instruction->op];
    enum gcn_type type = (enum gcn_type)operation->type[0];
    bool is_vector = operation->unit == ISA_UNIT_VALU;
    bool is_compare =
        operation->format == GCN_FORMAT_SOPK && operation->opcode >= 3 && operation->opcode <= 14;

    if (instruction->control == ISA_CONTROL_REFUSED)
        return;
    if (operation->latency == ISA_LATENCY_MEMORY) {
        trace_memory(wave, record, operation, text);
        return;
    }
    if (type == GCN_TYPE_M)
        add_scalar(wave, record->mask_destination, 2, text);
    else if (is_vector && (operation->traits & GCN_TRAIT_SCALAR_RESULT) == 0)
        add_vector(wave, record->destination, gcn_type_registers(type), text);
    else if (type != GCN_TYPE_N && !is_compare && instruction->op != GCN_OP_s_setreg_b32)
        add_scalar(wave, record->destination, gcn_type_registers(type), text);
    if ((operation->traits & GCN_TRAIT_CARRY_OUT) != 0)
        add_scalar(wave, record->mask_destination, 2, text);
    if ((operation->traits & GCN_TRAIT_WRITES_EXEC) != 0 ||
        operation->latency == ISA_LATENCY_SCALAR_LONG)
        add_scalar(wave, GCN_EXEC, 2, text);
    if ((operation->traits & GCN_TRAIT_WRITES_SCC) != 0)
        text_add(text, " scc=%u", (unsigned)wave->scc);
}
