/* SPDX-License-Identifier: MIT */
#include "gpu/local_memory.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "gpu/coalescer.h"

static void load_element(const unsigned char *place, struct isa_memory_request *request,
                         unsigned first, unsigned lane)
{
    unsigned bytes = request->element_bytes;

    if (bytes < 4) {
        request->data[first][lane] = 0;
        memcpy(&request->data[first][lane], place, bytes); /* little-endian hosts only */
        return;
    }
    for (unsigned i = 0; i < bytes / 4; i++)
        memcpy(&request->data[first + i][lane], place + 4 * i, 4);
}

static void store_element(unsigned char *place, const struct isa_memory_request *request,
                          unsigned first, unsigned lane)
{
    unsigned bytes = request->element_bytes;

    if (bytes < 4) {
        memcpy(place, &request->data[first][lane], bytes);
        return;
    }
    for (unsigned i = 0; i < bytes / 4; i++)
        memcpy(place + 4 * i, &request->data[first + i][lane], 4);
}

static void update_32(unsigned char *place, struct isa_memory_request *request, unsigned lane)
{
    uint32_t old, new;

    memcpy(&old, place, 4);
    new = rmw_apply_32(request->rmw, old, request->data[0][lane], request->compare[0][lane]);
    memcpy(place, &new, 4);
    request->data[0][lane] = old;
}

static void update_64(unsigned char *place, struct isa_memory_request *request, unsigned lane)
{
    uint64_t operand = request->data[0][lane] | (uint64_t)request->data[1][lane] << 32;
    uint64_t compare = request->compare[0][lane] | (uint64_t)request->compare[1][lane] << 32;
    uint64_t old, new;

    memcpy(&old, place, 8);
    new = rmw_apply_64(request->rmw, old, operand, compare);
    memcpy(place, &new, 8);
    request->data[0][lane] = (uint32_t)old;
    request->data[1][lane] = (uint32_t)(old >> 32);
}

static void access_element(unsigned char *place, struct isa_memory_request *request, unsigned first,
                           unsigned lane)
{
    if (request->kind == ISA_MEMORY_LOAD)
        load_element(place, request, first, lane);
    else if (request->kind == ISA_MEMORY_STORE)
        store_element(place, request, first, lane);
    else if (request->element_bytes == 8)
        update_64(place, request, lane);
    else
        update_32(place, request, lane);
}

/* Lanes whose second element is served. */
static uint64_t second_lanes(const struct isa_memory_request *request)
{
    return request->second_delta != 0 ? request->second_lanes : 0;
}

static void access_one_by_one(unsigned char *memory, struct isa_memory_request *request)
{
    unsigned second = request->element_bytes < 4 ? 1 : request->element_bytes / 4;
    uint64_t lanes = request->lanes | second_lanes(request);

    for_each_bit(lane, lanes)
    {
        unsigned char *place = memory + request->address[lane];

        if ((request->lanes >> lane & 1) != 0)
            access_element(place, request, 0, lane);
        if ((second_lanes(request) >> lane & 1) != 0)
            access_element(place + request->second_delta, request, second, lane);
    }
}

/* The common widths, with the width known to the compiler and no bit search while all lanes are
 * active. `base` is the host address of address 0. */
#define PLACE(lane, i) ((void *)(uintptr_t)(base + request->address[lane] + 4 * (i)))
#define FAST_ACCESS(name, count, copy)                                                             \
    static void name(uint64_t base, struct isa_memory_request *request, uint64_t lanes,            \
                     unsigned first)                                                               \
    {                                                                                              \
        if (lanes == UINT64_MAX) {                                                                 \
            for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)                                  \
                for (unsigned i = 0; i < (count); i++)                                             \
                    copy(&request->data[first + i][lane], PLACE(lane, i));                         \
            return;                                                                                \
        }                                                                                          \
        for_each_bit(lane, lanes)                                                                  \
        {                                                                                          \
            for (unsigned i = 0; i < (count); i++)                                                 \
                copy(&request->data[first + i][lane], PLACE(lane, i));                             \
        }                                                                                          \
    }
#define LOAD_DWORD(data, place) memcpy(data, place, 4)
#define STORE_DWORD(data, place) memcpy(place, data, 4)
FAST_ACCESS(load_dwords, 1, LOAD_DWORD)
FAST_ACCESS(load_pairs, 2, LOAD_DWORD)
FAST_ACCESS(store_dwords, 1, STORE_DWORD)
FAST_ACCESS(store_pairs, 2, STORE_DWORD)

bool memory_access_dwords(uint64_t base, struct isa_memory_request *request)
{
    bool is_pair = request->element_bytes == 8;
    bool is_load = request->kind == ISA_MEMORY_LOAD;
    void (*access)(uint64_t, struct isa_memory_request *, uint64_t, unsigned) =
        is_load ? (is_pair ? load_pairs : load_dwords) : (is_pair ? store_pairs : store_dwords);

    if ((!is_pair && request->element_bytes != 4) ||
        (!is_load && (request->kind != ISA_MEMORY_STORE || request->second_delta != 0)))
        return false;
    access(base, request, request->lanes, 0);
    if (request->second_delta != 0)
        access(base + (uint64_t)(int64_t)request->second_delta, request, request->second_lanes,
               request->element_bytes / 4u);
    return true;
}

void local_memory_access(unsigned char *memory, struct isa_memory_request *request)
{
    if (!memory_access_dwords((uintptr_t)memory, request))
        access_one_by_one(memory, request);
}

static bool lane_outside(const struct isa_memory_request *request, unsigned lane, uint32_t bytes)
{
    uint64_t address = request->address[lane];
    uint64_t second = address + (uint64_t)(int64_t)request->second_delta;

    return ((request->lanes >> lane & 1) != 0 &&
            (address >= bytes || bytes - address < request->element_bytes)) ||
           ((second_lanes(request) >> lane & 1) != 0 &&
            (second >= bytes || bytes - second < request->element_bytes));
}

int local_memory_outside(const struct isa_memory_request *request, uint32_t bytes)
{
    uint64_t limit = (uint64_t)bytes - request->element_bytes, over = 0;
    uint64_t delta = (uint64_t)(int64_t)request->second_delta;
    uint64_t lanes = request->lanes | second_lanes(request);

    /* A difference below zero has its highest bit set. Inactive lanes may hold anything: then the
     * exact way decides. */
    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
        over |= (limit - request->address[lane]) | request->address[lane];
    for (unsigned lane = 0; delta != 0 && lane < ISA_MAX_LANES; lane++)
        over |= (limit - request->address[lane] - delta) | (request->address[lane] + delta);
    if (over >> 63 == 0 && bytes >= request->element_bytes)
        return -1;
    for_each_bit(lane, lanes)
    {
        if (lane_outside(request, lane, bytes))
            return (int)lane;
    }
    return -1;
}

enum { MAX_BANKS = 64, MAX_WORDS = 256 };

/* The words that the lanes of one pass touch, by bank. */
struct pass {
    unsigned banks;
    bool is_atomic;
    uint32_t load;             /* words of the busiest bank */
    uint64_t seen;             /* banks with a word */
    uint32_t first[MAX_BANKS]; /* their first word: enough for accesses without conflicts */
    uint8_t count[MAX_BANKS];
    uint32_t extra_count;
    uint32_t extra[MAX_WORDS]; /* the others */
};

static bool is_known(const struct pass *pass, unsigned bank, uint32_t word)
{
    if (pass->first[bank] == word)
        return true;
    for (uint32_t i = 0; i < pass->extra_count; i++)
        if (pass->extra[i] == word)
            return true;
    return false;
}

static void pass_add(struct pass *pass, uint32_t word)
{
    unsigned bank = word & (pass->banks - 1);

    if ((pass->seen >> bank & 1) == 0) {
        pass->seen |= UINT64_C(1) << bank;
        pass->first[bank] = word;
        pass->count[bank] = 1;
    } else if (pass->is_atomic || !is_known(pass, bank, word)) {
        pass->count[bank]++;
        pass->extra[pass->extra_count++] = word;
    }
    if (pass->count[bank] > pass->load)
        pass->load = pass->count[bank];
}

static unsigned element_words(const struct isa_memory_request *request)
{
    return request->element_bytes < 4 ? 1 : request->element_bytes / 4;
}

static void pass_init(struct pass *pass, unsigned banks, bool is_atomic)
{
    pass->banks = banks; /* first and count are valid for banks in `seen` only */
    pass->is_atomic = is_atomic;
    pass->load = 1;
    pass->seen = 0;
    pass->extra_count = 0;
}

/* Which elements a pass serves, and of which lanes. */
struct served {
    uint64_t first, second;
};

/* How far addresses lie from a first one: the bits in which any differs from it, and the bits of
 * all differences to it. */
struct spread {
    uint64_t from, bits, behind;
};

/* Adds the addresses of lanes, each `offset` bytes further. */
static void spread_add(struct spread *spread, const uint64_t *address, uint64_t lanes,
                       uint64_t offset)
{
    uint64_t from = spread->from - offset, bits = 0, behind = 0;
    unsigned first = lowest_bit(lanes), count = count_bits(lanes);

    if (lanes >> first == low_mask(count)) { /* in a row: the compiler's loop over many at once */
        for (unsigned lane = first; lane < first + count; lane++) {
            bits |= (address[lane] + offset) ^ spread->from;
            behind |= address[lane] - from;
        }
    } else {
        for_each_bit(lane, lanes)
        {
            bits |= (address[lane] + offset) ^ spread->from;
            behind |= address[lane] - from;
        }
    }
    spread->bits |= bits;
    spread->behind |= behind;
}

/* Whether all words of a pass of loads or stores lie within as many in a row as there are banks.
 * Then no two of them lie in one bank. False tells nothing. */
static bool is_within_banks(const struct isa_memory_request *request, unsigned banks,
                            struct served served)
{
    uint64_t last = 4 * ((uint64_t)element_words(request) - 1), limit = 4 * (uint64_t)banks;
    uint64_t delta = (uint64_t)(int64_t)request->second_delta;
    struct spread spread = {0};

    if (request->kind == ISA_MEMORY_ATOMIC || served.first == 0)
        return false;
    spread.from = request->address[lowest_bit(served.first)] & ~(uint64_t)3;
    spread_add(&spread, request->address, served.first, 0);
    if (last > 0)
        spread_add(&spread, request->address, served.first, last);
    if (served.second != 0)
        spread_add(&spread, request->address, served.second, delta);
    if (served.second != 0 && last > 0)
        spread_add(&spread, request->address, served.second, delta + last);
    return spread.bits < limit || spread.behind < limit;
}

static uint32_t pass_cycles(const struct isa_memory_request *request, unsigned banks,
                            struct served served)
{
    unsigned words = element_words(request);
    uint64_t lanes = served.first | served.second;
    struct pass pass;

    if (is_within_banks(request, banks, served))
        return 1;
    pass_init(&pass, banks, request->kind == ISA_MEMORY_ATOMIC);
    for_each_bit(lane, lanes)
    {
        uint32_t word = (uint32_t)(request->address[lane] >> 2);
        uint32_t second =
            (uint32_t)((request->address[lane] + (uint64_t)(int64_t)request->second_delta) >> 2);

        for (unsigned i = 0; (served.first >> lane & 1) != 0 && i < words; i++)
            pass_add(&pass, word + i);
        for (unsigned i = 0; (served.second >> lane & 1) != 0 && i < words; i++)
            pass_add(&pass, second + i);
    }
    return pass.load;
}

/* How many there are, and for wavefronts of how many lanes. */
struct banks {
    unsigned count, wave_lanes;
};

/* Lanes of a pass, when it serves `words` words of each. They are as many as 32 banks are made for,
 * and more where there are more banks. */
static unsigned pass_lanes(const struct banks *banks, unsigned words)
{
    unsigned lanes = words > 1 ? 16 : 32;

    if (banks->count > 32)
        lanes *= banks->count / 32;
    return lanes < banks->wave_lanes ? lanes : banks->wave_lanes;
}

/* All passes, when a pass serves `words` words of each of its lanes. */
static uint32_t passes_cycles(const struct isa_memory_request *request, const struct banks *banks,
                              unsigned words, struct served served)
{
    unsigned lanes = pass_lanes(banks, words);
    uint32_t cycles = 0;

    for (unsigned first = 0; first < banks->wave_lanes; first += lanes) {
        uint64_t mask = low_mask(lanes) << first;

        cycles += pass_cycles(request, banks->count,
                              (struct served){served.first & mask, served.second & mask});
    }
    return cycles;
}

static uint32_t cycles_min(const struct banks *banks, unsigned words)
{
    unsigned lanes = pass_lanes(banks, words);

    return (lanes * words + banks->count - 1) / banks->count * (banks->wave_lanes / lanes);
}

struct local_cost local_memory_cost(const struct isa_memory_request *request, unsigned banks,
                                    unsigned wave_lanes)
{
    const struct banks all_banks = {banks, wave_lanes};
    unsigned each = element_words(request), words = each * (request->second_delta != 0 ? 2 : 1);
    struct served all = {request->lanes, second_lanes(request)};
    uint32_t min = cycles_min(&all_banks, words);
    struct local_cost cost = {.cycles = passes_cycles(request, &all_banks, words, all)};

    if (request->second_delta != 0 && cost.cycles > min) {
        uint32_t apart =
            passes_cycles(request, &all_banks, each, (struct served){.first = all.first}) +
            passes_cycles(request, &all_banks, each, (struct served){.second = all.second});

        cost.cycles = apart < cost.cycles ? apart : cost.cycles;
    }
    if (request->kind == ISA_MEMORY_ATOMIC && rmw_has_compare(request->rmw)) {
        cost.cycles *= 2; /* operand and compare value come one after the other */
        min *= 2;
    }
    cost.conflict = cost.cycles > min ? cost.cycles - min : 0;
    return cost;
}
