/* SPDX-License-Identifier: MIT */
#include "gpu/local_blocks.h"

#include "base/bits.h"

enum { MAX_BLOCKS = 4 * ISA_MAX_LANES }; /* two elements, each may lie in two */

struct blocks {
    unsigned shift;
    bool is_load;
    uint32_t count;
    uint64_t block[MAX_BLOCKS];
};

static void add_block(struct blocks *blocks, uint64_t block)
{
    uint32_t oldest = blocks->is_load || blocks->count == 0 ? 0 : blocks->count - 1;

    for (uint32_t i = blocks->count; i-- > oldest;)
        if (blocks->block[i] == block)
            return;
    blocks->block[blocks->count++] = block;
}

static void add_element(struct blocks *blocks, uint64_t address, unsigned bytes)
{
    add_block(blocks, address >> blocks->shift);
    add_block(blocks, (address + bytes - 1) >> blocks->shift);
}

struct local_cost local_blocks_cost(const struct isa_memory_request *request, unsigned block_bytes,
                                    unsigned store_cycles)
{
    struct blocks blocks = {.shift = lowest_bit(block_bytes),
                            .is_load = request->kind == ISA_MEMORY_LOAD};
    uint64_t delta = (uint64_t)(int64_t)request->second_delta;
    uint64_t second = delta == 0 ? 0 : request->second_lanes, lanes = request->lanes | second;
    uint32_t bytes = (count_bits(request->lanes) + count_bits(second)) * request->element_bytes;
    uint32_t min = (bytes + block_bytes - 1) / block_bytes;
    uint32_t each = blocks.is_load ? 1 : store_cycles;

    for_each_bit(lane, lanes)
    {
        if ((request->lanes >> lane & 1) != 0)
            add_element(&blocks, request->address[lane], request->element_bytes);
        if ((second >> lane & 1) != 0)
            add_element(&blocks, request->address[lane] + delta, request->element_bytes);
    }
    if (blocks.count == 0)
        return (struct local_cost){.cycles = 1};
    return (struct local_cost){
        .cycles = (blocks.count - 1) * each + 1,
        .conflict = blocks.count > min ? (blocks.count - min) * each : 0,
    };
}
