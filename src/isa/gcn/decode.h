/* SPDX-License-Identifier: MIT */
/* What the two halves of the decoder share: instructions (decode.c) and operands
 * (decode_operand.c). Operand functions return NULL, or why the operand cannot be. */
#ifndef ISA_GCN_DECODE_H
#define ISA_GCN_DECODE_H

#include "isa/gcn/gcn.h"

/* Bits first..first+count-1 of a word. */
static inline uint32_t gcn_field(uint32_t word, unsigned first, unsigned count)
{
    return (word >> first) & ((1u << count) - 1);
}

/* How many consecutive registers a type takes. */
unsigned gcn_type_registers(enum gcn_type type);

/* Source operand number `code` (0 to 511) of the given type. */
const char *gcn_decode_source(struct gcn_operand *operand, unsigned code, enum gcn_type type,
                              uint32_t literal);

/* Checks `count` scalar registers from `code` on, as a destination or a base. */
const char *gcn_check_scalar(unsigned code, unsigned count);

/* Checks `count` vector registers from `index` on. */
const char *gcn_check_vector(unsigned index, unsigned count);

/* The operands of memory instructions. */
const char *gcn_decode_smrd(struct gcn_instruction *instruction,
                            const struct gcn_operation *operation);
const char *gcn_decode_ds(struct gcn_instruction *instruction,
                          const struct gcn_operation *operation);
const char *gcn_decode_mubuf(struct gcn_instruction *instruction,
                             const struct gcn_operation *operation);

/* The leading bits of a format; formats are told apart by them alone. */
struct gcn_encoding {
    uint32_t mask, match;
    enum gcn_format format;
    unsigned opcode_first, opcode_count;
    unsigned words;
};
extern const struct gcn_encoding gcn_encodings[GCN_FORMAT_COUNT];

/* The encoding that matches a first word, or NULL. */
const struct gcn_encoding *gcn_find_encoding(uint32_t word);

#endif
