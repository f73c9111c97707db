/* SPDX-License-Identifier: MIT */
#include "gpu/coalescer.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"

#define LINE_MASK (~(uint64_t)(LINE_BYTES - 1))

static uint64_t quarter_lanes(const struct isa_memory_request *request, unsigned quarter)
{
    return request->lanes >> (quarter * QUARTER_LANES) & low_mask(QUARTER_LANES);
}

/* The access to `line` that leaves `bytes` free, or a new one. Lanes next to each other mostly
 * share a line. */
static struct access *find_access(struct access_list *list, uint64_t line, uint64_t bytes,
                                  uint64_t within)
{
    struct access *access;

    for (uint32_t i = 0; i < list->count; i++) {
        access = &list->accesses[i];
        if (access->line == line && (access->mask & bytes) == 0 && (access->mask & ~within) == 0)
            return access;
    }
    access = &list->accesses[list->count++];
    *access = (struct access){.line = line};
    return access;
}

static void add_part(struct access_list *list, uint64_t line, uint64_t mask, unsigned lane)
{
    struct access *access = list->count > 0 ? &list->accesses[list->count - 1] : NULL;

    if (access == NULL || access->line != line)
        access = find_access(list, line, 0, UINT64_MAX);
    access->mask |= mask;
    access->lanes |= UINT64_C(1) << lane;
}

static void add_element(struct access_list *list, uint64_t address, unsigned bytes, unsigned lane)
{
    unsigned offset = (unsigned)(address % LINE_BYTES);
    uint64_t line = address & LINE_MASK;

    add_part(list, line, low_mask(bytes) << offset, lane);
    if (offset + bytes > LINE_BYTES)
        add_part(list, line + LINE_BYTES, low_mask(offset + bytes - LINE_BYTES), lane);
}

static void add_atomic(struct access_list *list, const struct isa_memory_request *request,
                       uint64_t address, unsigned lane)
{
    unsigned offset = (unsigned)(address % LINE_BYTES);
    uint64_t bytes = low_mask(request->element_bytes) << offset;
    uint64_t half = offset < LINE_BYTES / 2 ? low_mask(LINE_BYTES / 2) : ~low_mask(LINE_BYTES / 2);
    struct access *access;

    check(offset % request->element_bytes == 0, "an atomic at the odd address %llx",
          (unsigned long long)address);
    access = find_access(list, address & LINE_MASK, bytes,
                         rmw_has_compare(request->rmw) ? half : UINT64_MAX);
    access->mask |= bytes;
    access->lanes |= UINT64_C(1) << lane;
}

void coalescer_add(const struct isa_memory_request *request, uint64_t lanes,
                   struct access_list *list)
{
    const uint64_t *address = request->address;

    lanes &= request->lanes;
    list->count = 0;
    if (request->kind == ISA_MEMORY_ATOMIC) {
        for_each_bit(lane, lanes) add_atomic(list, request, address[lane], lane);
        return;
    }
    for_each_bit(lane, lanes) add_element(list, address[lane], request->element_bytes, lane);
}

bool quarter_is_linear(const struct isa_memory_request *request, unsigned quarter)
{
    const uint64_t *address = &request->address[quarter * QUARTER_LANES];
    uint64_t lanes = quarter_lanes(request, quarter), rest = lanes;
    unsigned first;
    bool is_uniform = true, is_contiguous = true;

    if (lanes == 0)
        return true;
    first = lowest_bit(lanes);
    for_each_bit(lane, rest)
    {
        is_uniform &= address[lane] == address[first];
        is_contiguous &=
            address[lane] == address[first] + (uint64_t)(lane - first) * request->element_bytes;
    }
    return is_uniform || is_contiguous;
}

static uint32_t bytes_of(const struct isa_memory_request *request, unsigned byte, unsigned lane)
{
    return request->data[byte / 4][lane] >> (byte % 4 * 8) & 0xff;
}

static void store_lane(const struct isa_memory_request *request, unsigned lane, uint64_t line,
                       unsigned char *data)
{
    int64_t offset = (int64_t)(request->address[lane] - line);

    if (request->element_bytes % 4 == 0 && offset >= 0 &&
        offset + request->element_bytes <= LINE_BYTES) {
        for (unsigned i = 0; i < request->element_bytes / 4u; i++)
            memcpy(data + offset + 4 * i, &request->data[i][lane], 4);
        return;
    }
    for (unsigned i = 0; i < request->element_bytes; i++)
        if (offset + i >= 0 && offset + i < LINE_BYTES)
            data[offset + i] = (unsigned char)bytes_of(request, i, lane);
}

static void put_word(unsigned char *place, const uint32_t data[][ISA_MAX_LANES], unsigned lane,
                     unsigned bytes)
{
    memcpy(place, &data[0][lane], 4);
    if (bytes == 8)
        memcpy(place + 4, &data[1][lane], 4);
}

static void atomic_lane(const struct isa_memory_request *request, unsigned lane, uint64_t line,
                        unsigned char *data)
{
    unsigned offset = (unsigned)(request->address[lane] - line);

    if (!rmw_has_compare(request->rmw)) {
        put_word(data + offset, request->data, lane, request->element_bytes);
        return;
    }
    offset %= LINE_BYTES / 2;
    put_word(data + offset, request->data, lane, request->element_bytes);
    put_word(data + LINE_BYTES / 2 + offset, request->compare, lane, request->element_bytes);
}

void access_to_message(const struct isa_memory_request *request, const struct access *access,
                       struct message *message)
{
    uint64_t lanes = access->lanes;

    message->addr = access->line;
    message->mask = access->mask;
    if (request->kind == ISA_MEMORY_ATOMIC) {
        message->rmw = request->rmw;
        message->word_bytes = request->element_bytes;
        message->returns = request->returns;
        for_each_bit(lane, lanes) atomic_lane(request, lane, access->line, message->data);
    } else if (request->kind == ISA_MEMORY_STORE) {
        for_each_bit(lane, lanes) store_lane(request, lane, access->line, message->data);
    }
}

static void load_lane(struct isa_memory_request *request, unsigned lane,
                      const struct message *reply)
{
    int64_t offset = (int64_t)(request->address[lane] - reply->addr);
    unsigned bytes = request->element_bytes;

    if (offset >= 0 && offset + bytes <= LINE_BYTES && bytes % 4 == 0) {
        for (unsigned i = 0; i < bytes / 4; i++)
            memcpy(&request->data[i][lane], reply->data + offset + 4 * i, 4);
        return;
    }
    for (unsigned i = 0; i < bytes; i++) {
        if (offset + i < 0 || offset + i >= LINE_BYTES)
            continue;
        request->data[i / 4][lane] &= ~(UINT32_C(0xff) << (i % 4 * 8));
        request->data[i / 4][lane] |= (uint32_t)reply->data[offset + i] << (i % 4 * 8);
    }
}

void access_from_reply(struct isa_memory_request *request, uint64_t lanes,
                       const struct message *reply)
{
    for_each_bit(lane, lanes) load_lane(request, lane, reply);
}
