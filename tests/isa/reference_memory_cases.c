/* SPDX-License-Identifier: MIT */
/*
 * Cases of memory instructions: begin, a server of the request over a plain array, finish. They
 * are checked against addresses and values worked out here from the instruction's operands. Lanes
 * are served in ascending order, here and in the expectation.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/read_modify_write.h"
#include "reference_cases.h"

enum memory_space { SPACE_LDS, SPACE_BUFFER, SPACE_SCALAR };
enum memory_mode {
    MODE_OFF,
    MODE_ADDR64,
    MODE_OFFEN,
    MODE_IDXEN,
    MODE_BOTH,
    MODE_BOUNDED,
    MODE_SCRATCH,
    MODE_COUNT
};

struct memory_op {
    enum memory_space space;
    enum isa_memory_kind kind;
    unsigned bytes;  /* of an element; scalar loads: in all */
    unsigned second; /* distance of a second element in bytes; 0: none */
    unsigned offset; /* bytes */
    enum memory_mode mode;
    bool is_signed, returns, register_offset;
    char atomic[16]; /* a name of reference_atomic */
};

#define MEMORY_OPS 400
static struct memory_op memory_ops[MEMORY_OPS];
static unsigned memory_op_count;

#define ADDRESS_REGISTER 4
#define DATA_REGISTER 8
#define SECOND_REGISTER 12
#define RESULT_REGISTER 24
#define OFFSET_SCALAR 16
#define BOUNDED_BYTES 1024u
#define STRIDE_BYTES 48u

static uint64_t read_bytes(const unsigned char *memory, uint64_t place, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)memory[(place + i) % HARNESS_MEMORY_BYTES] << (8 * i);
    return value;
}

static void write_bytes(unsigned char *memory, uint64_t place, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        memory[(place + i) % HARNESS_MEMORY_BYTES] = (unsigned char)(value >> (8 * i));
}

/* The server: knows the request and nothing of instructions. */
static void serve_atomic(unsigned char *memory, struct isa_memory_request *request, unsigned lane,
                         uint64_t place)
{
    bool wide = request->element_bytes == 8;
    uint64_t old = read_bytes(memory, place, request->element_bytes);
    uint64_t operand = request->data[0][lane], compare = request->compare[0][lane], new;

    if (wide) {
        operand |= (uint64_t)request->data[1][lane] << 32;
        compare |= (uint64_t)request->compare[1][lane] << 32;
        new = rmw_apply_64(request->rmw, old, operand, compare);
    } else {
        new = rmw_apply_32(request->rmw, (uint32_t)old, (uint32_t)operand, (uint32_t)compare);
    }
    write_bytes(memory, place, request->element_bytes, new);
    if (request->returns) {
        request->data[0][lane] = (uint32_t)old;
        if (wide)
            request->data[1][lane] = (uint32_t)(old >> 32);
    }
}

static void serve_element(unsigned char *memory, struct isa_memory_request *request, unsigned lane,
                          uint64_t place, unsigned dword)
{
    for (unsigned done = 0; done < request->element_bytes; done += 4, dword++) {
        unsigned bytes = request->element_bytes < 4 ? request->element_bytes : 4;

        if (request->kind == ISA_MEMORY_LOAD)
            request->data[dword][lane] = (uint32_t)read_bytes(memory, place + done, bytes);
        else
            write_bytes(memory, place + done, bytes, request->data[dword][lane]);
    }
}

void reference_serve(unsigned char *memory, struct isa_memory_request *request)
{
    uint64_t origin = request->space == ISA_SPACE_LOCAL ? 0 : HARNESS_MEMORY_ADDRESS;

    if (request->kind == ISA_MEMORY_SCALAR_LOAD) {
        for (unsigned i = 0; i < request->element_bytes / 4u; i++)
            request->scalar[i] =
                (uint32_t)read_bytes(memory, request->address[0] - origin + 4 * i, 4);
        return;
    }
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint64_t place = request->address[lane] - origin;
        unsigned dwords = (request->element_bytes + 3u) / 4u;

        if (request->kind == ISA_MEMORY_ATOMIC) {
            if ((request->lanes >> lane) & 1)
                serve_atomic(memory, request, lane, place);
            continue;
        }
        if ((request->lanes >> lane) & 1)
            serve_element(memory, request, lane, place, 0);
        if (request->second_delta && ((request->second_lanes >> lane) & 1))
            serve_element(memory, request, lane, place + (uint64_t)(int64_t)request->second_delta,
                          dwords);
    }
}

/* Where a lane's access goes, from the registers; false: dropped by the range check. */
static bool place_of(const struct gcn_wave *wave, const struct memory_op *op, unsigned lane,
                     uint64_t *place)
{
    uint64_t first = wave->vector[ADDRESS_REGISTER][lane];
    uint64_t second = wave->vector[ADDRESS_REGISTER + 1][lane];
    uint64_t scalar = op->register_offset ? wave->scalar[OFFSET_SCALAR] : 0;
    uint64_t offset = op->offset + scalar;

    *place = offset;
    if (op->space == SPACE_LDS)
        *place = (first + op->offset) & 0xffff;
    else if (op->mode == MODE_ADDR64)
        *place = offset + (first | second << 32);
    else if (op->mode == MODE_OFFEN || op->mode == MODE_BOUNDED)
        *place = offset + first;
    else if (op->mode == MODE_IDXEN)
        *place = offset + first * STRIDE_BYTES;
    else if (op->mode == MODE_BOTH)
        *place = offset + first * STRIDE_BYTES + second;
    else if (op->mode == MODE_SCRATCH) /* a row of 64 lanes' dwords for each dword of the offset */
        *place = scalar + (op->offset + first) / 4 * 256 + lane * 4 + (op->offset + first) % 4;
    /* Addresses are aligned down: in the LDS to the element, elsewhere to a dword at most. */
    uint64_t align = op->space == SPACE_LDS || op->bytes < 4 ? op->bytes : 4;

    *place -= *place % align;
    if (op->mode == MODE_BOTH)
        return op->offset + second < STRIDE_BYTES;
    return op->mode != MODE_BOUNDED || first + op->offset + op->bytes <= BOUNDED_BYTES;
}

static uint64_t data_of(const struct gcn_wave *wave, unsigned index, unsigned bytes, unsigned lane)
{
    uint64_t value = wave->vector[index][lane];

    return bytes == 8 ? value | (uint64_t)wave->vector[index + 1][lane] << 32 : value;
}

static void expect_result(struct harness *harness, const struct memory_op *op, unsigned lane,
                          unsigned index, uint64_t place, bool inside)
{
    for (unsigned done = 0; done < op->bytes; done += 4, index++) {
        unsigned bytes = op->bytes < 4 ? op->bytes : 4;
        uint32_t value = (uint32_t)read_bytes(harness->expected_memory, place + done, bytes);

        if (op->is_signed)
            value = (uint32_t)((int32_t)(value << (32 - 8 * bytes)) >> (32 - 8 * bytes));
        harness->expected->vector[index][lane] = inside ? value : 0;
    }
}

static void expect_store(struct harness *harness, const struct memory_op *op, unsigned lane,
                         unsigned index, uint64_t place)
{
    for (unsigned done = 0; done < op->bytes; done += 4, index++)
        write_bytes(harness->expected_memory, place + done, op->bytes < 4 ? op->bytes : 4,
                    harness->start->vector[index][lane]);
}

static void expect_atomic(struct harness *harness, const struct harness_case *this,
                          const struct memory_op *op, unsigned lane, uint64_t place)
{
    /* Buffers have both operands in one run of registers, LDS in two. */
    unsigned data = op->space == SPACE_LDS ? DATA_REGISTER : RESULT_REGISTER;
    unsigned second = op->space == SPACE_LDS ? SECOND_REGISTER : data + op->bytes / 4;
    uint64_t old = read_bytes(harness->expected_memory, place, op->bytes);
    bool known;
    uint64_t new = reference_atomic(op->atomic, 8 * op->bytes, old,
                                    data_of(harness->start, data, op->bytes, lane),
                                    data_of(harness->start, second, op->bytes, lane), &known);

    if (!known)
        harness_fail(harness, this, "the reference does not know %s", op->atomic);
    if (op->returns)
        expect_result(harness, op, lane, RESULT_REGISTER, place, true);
    write_bytes(harness->expected_memory, place, op->bytes, new);
}

static void expect_lane(struct harness *harness, const struct harness_case *this, unsigned lane)
{
    const struct memory_op *op = &memory_ops[this->extra];
    /* Store data of buffers stands where loads put theirs. */
    unsigned data = op->space == SPACE_LDS ? DATA_REGISTER : RESULT_REGISTER;
    uint64_t place;
    bool inside = place_of(harness->start, op, lane, &place);

    if (op->kind == ISA_MEMORY_LOAD) {
        expect_result(harness, op, lane, RESULT_REGISTER, place, inside);
        if (op->second)
            expect_result(harness, op, lane, RESULT_REGISTER + op->bytes / 4, place + op->second,
                          inside);
    } else if (op->kind == ISA_MEMORY_ATOMIC) {
        expect_atomic(harness, this, op, lane, place);
    } else if (inside) {
        expect_store(harness, op, lane, data, place);
        if (op->second)
            expect_store(harness, op, lane, SECOND_REGISTER, place + op->second);
    }
}

static void expect_scalar(struct harness *harness, const struct memory_op *op)
{
    uint64_t place = op->register_offset ? harness->start->scalar[OFFSET_SCALAR] & ~3u : op->offset;

    for (unsigned i = 0; i < op->bytes / 4; i++)
        harness->expected->scalar[12 + i] =
            (uint32_t)read_bytes(harness->expected_memory, place + 4 * i, 4);
}

/* The buffer descriptor in s[8:11], and a pair s[4:5] for scalar loads. */
static void fill_descriptor(struct gcn_wave *wave, const struct memory_op *op)
{
    uint32_t stride = op->mode == MODE_IDXEN || op->mode == MODE_BOTH ? STRIDE_BYTES : 0;
    bool scratch = op->mode == MODE_SCRATCH;

    case_write_scalar(wave, 4, 'l', HARNESS_MEMORY_ADDRESS);
    case_write_scalar(wave, 8, 'l', HARNESS_MEMORY_ADDRESS | (uint64_t)stride << 48);
    wave->scalar[10] = op->mode == MODE_BOUNDED ? BOUNDED_BYTES : UINT32_MAX;
    wave->scalar[11] = 0x0100f000;
    if (scratch) { /* swizzle; add the lane number; 64 lanes a row, elements of 4 bytes */
        wave->scalar[9] |= 1u << 31;
        wave->scalar[11] = 0x0000f000 | 1u << 23 | 3u << 21 | 1u << 19;
    }
    wave->scalar[OFFSET_SCALAR] = 4096;
    wave->scalar[GCN_M0] = UINT32_MAX;
}

static void fill_addresses(struct harness *harness, const struct memory_op *op)
{
    uint32_t align = op->space == SPACE_LDS ? op->bytes : op->bytes < 4 ? op->bytes : 4;
    /* Few places make lanes meet; many do not. */
    uint32_t range = harness_random(harness) & 64 ? 64 : 2000;

    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint32_t *first = &harness->start->vector[ADDRESS_REGISTER][lane];
        uint32_t *second = &harness->start->vector[ADDRESS_REGISTER + 1][lane];
        uint32_t choice = (uint32_t)(harness_random(harness) >> 24);

        *first = choice % range * align % 2048;
        *second = op->mode == MODE_BOTH ? choice / 4096 % 3 * op->bytes : 0;
        if (op->mode == MODE_IDXEN || op->mode == MODE_BOTH)
            *first = choice % 256;
        if (op->mode == MODE_SCRATCH)
            *first = choice % 32 * align;
        if (op->mode <= MODE_OFFEN && (choice >> 20) % 8 == 0)
            *first += 1; /* not aligned */
    }
}

static void fill_memory_case(struct harness *harness, const struct harness_case *this)
{
    const struct memory_op *op = &memory_ops[this->extra];
    char type = op->atomic[0] == 'f' ? (op->bytes == 8 ? 'd' : 'f') : op->bytes == 8 ? 'l' : 'i';
    unsigned piece = op->bytes < 8 ? 4 : 8;

    harness_fill(harness, this);
    fill_descriptor(harness->start, op);
    if (op->space == SPACE_SCALAR) /* its two low bits do not count */
        harness->start->scalar[OFFSET_SCALAR] += (harness_random(harness) >> 20) % 8;
    fill_addresses(harness, op);
    for (unsigned index = DATA_REGISTER; index < HARNESS_REGISTERS; index += 2) {
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            case_write_vector(harness->start, index, 'l', lane,
                              op->bytes == 8 ? harness_value(harness, type)
                                             : harness_value(harness, type) |
                                                   harness_value(harness, type) << 32);
    }
    for (unsigned i = 0; i < HARNESS_MEMORY_BYTES; i += piece)
        write_bytes(harness->memory, i, piece, harness_value(harness, type));
    /* Values that compare-and-swaps find. */
    for (unsigned lane = 0; lane < GCN_LANES && op->kind == ISA_MEMORY_ATOMIC; lane += 2) {
        uint64_t place;

        place_of(harness->start, op, lane, &place);
        write_bytes(
            harness->memory, place, op->bytes,
            data_of(harness->start,
                    op->space == SPACE_LDS ? DATA_REGISTER : RESULT_REGISTER + op->bytes / 4,
                    op->bytes, lane));
    }
    harness->start->base.lds = harness->memory;
    harness->start->base.lds_bytes = HARNESS_MEMORY_BYTES;
}

static bool run_memory(struct harness *harness, const struct harness_case *this)
{
    static unsigned char before[HARNESS_MEMORY_BYTES];
    static struct isa_memory_request request;
    const struct memory_op *op = &memory_ops[this->extra];
    bool ok = true;

    fill_memory_case(harness, this);
    memcpy(before, harness->memory, sizeof before);
    memcpy(harness->expected_memory, harness->memory, HARNESS_MEMORY_BYTES);
    *harness->expected = *harness->start;
    harness->expected->base.pc += this->decoded[0]->bytes;
    if (op->space == SPACE_SCALAR)
        expect_scalar(harness, op);
    for (unsigned lane = 0; op->space != SPACE_SCALAR && lane < GCN_LANES; lane++) {
        if ((harness->start->base.active >> lane) & 1)
            expect_lane(harness, this, lane);
    }
    for (int variant = 0; ok && variant < HARNESS_VARIANTS; variant++) {
        const struct isa *isa = harness->isa[variant];

        memcpy(harness->memory, before, sizeof before);
        *harness->after = *harness->start;
        memset(&request, 0xa5, sizeof request);
        isa->begin(&harness->after->base, this->decoded[variant], &request);
        if ((this->decoded[variant]->flags & ISA_COUNTS_EXP) != 0)
            isa->store_data(&harness->after->base, this->decoded[variant], &request);
        reference_serve(harness->memory, &request);
        if (request.kind == ISA_MEMORY_LOAD || request.kind == ISA_MEMORY_SCALAR_LOAD ||
            (request.kind == ISA_MEMORY_ATOMIC && request.returns))
            isa->finish(&harness->after->base, this->decoded[variant], &request);
        ok = harness_compare(harness, this, variant);
        if (ok && memcmp(harness->memory, harness->expected_memory, HARNESS_MEMORY_BYTES) != 0) {
            harness_fail(harness, this, "memory differs");
            ok = false;
        }
    }
    harness->start->base.lds = NULL;
    harness->start->base.lds_bytes = 0;
    return ok;
}

/* ds_swizzle: values go between lanes, memory is not touched. */
static bool run_swizzle(struct harness *harness, const struct harness_case *this)
{
    static struct isa_memory_request request;
    bool ok = true;

    harness_fill(harness, this);
    *harness->expected = *harness->start;
    harness->expected->base.pc += this->decoded[0]->bytes;
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        unsigned quad = (lane & 60) + ((this->extra >> (2 * (lane & 3))) & 3);
        unsigned group = ((lane & this->extra) | ((this->extra >> 5) & 31)) & 31;
        unsigned from =
            this->extra & 0x8000 ? quad : (lane & 32) + (group ^ ((this->extra >> 10) & 31));

        if ((harness->start->base.active >> lane) & 1)
            harness->expected->vector[RESULT_REGISTER][lane] =
                (harness->start->base.active >> from) & 1 ? harness->start->vector[4][from] : 0;
    }
    for (int variant = 0; ok && variant < HARNESS_VARIANTS; variant++) {
        *harness->after = *harness->start;
        memset(&request, 0xa5, sizeof request);
        harness->isa[variant]->begin(&harness->after->base, this->decoded[variant], &request);
        if (request.lanes != 0)
            harness_fail(harness, this, "asks memory for lanes %llx",
                         (unsigned long long)request.lanes);
        harness->isa[variant]->finish(&harness->after->base, this->decoded[variant], &request);
        ok = harness_compare(harness, this, variant);
    }
    return ok;
}

#include "reference_memory_list.h"
