/* SPDX-License-Identifier: MIT */
/* Elements of formatted buffers from and to colors: between what memory has and what registers
 * have. `word` is the buffer descriptor's last, which a request keeps as its format. */
#ifndef ISA_GCN_MEMORY_FORMAT_H
#define ISA_GCN_MEMORY_FORMAT_H

#include "base/bits.h"
#include "isa/gcn/gcn.h"

/* Why a format cannot be had, or NULL; `bytes` of an element of it. */
const char *gcn_check_format(uint32_t word, unsigned *bytes);

/* The first components of the color that request->data is, lane by lane. */
void gcn_load_format(const struct isa_memory_request *request, unsigned components,
                     uint32_t (*color)[ISA_MAX_LANES]);
/* Puts into request->data the elements that the first components of a color become. */
void gcn_store_format(struct isa_memory_request *request, unsigned components,
                      const uint32_t (*color)[ISA_MAX_LANES]);

#endif
