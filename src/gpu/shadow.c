/* SPDX-License-Identifier: MIT */
#include "gpu/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"

enum { FIRST_CAPACITY = 1024 };

/* Bytes as bits of masks: byte i of the line is bit i. */
struct shadow_line {
    uint64_t addr; /* | 1: the entry is in use */
    uint64_t known, overlapped;
    unsigned char data[LINE_BYTES];
    uint16_t pending[LINE_BYTES];
    struct shadow_store stores[LINE_BYTES];
};

/* Open addressing; at most half full. */
struct shadow {
    struct shadow_line *lines;
    uint64_t capacity, used;
};

struct shadow *shadow_create(void)
{
    struct shadow *shadow = allocate(1, sizeof *shadow);

    shadow->capacity = FIRST_CAPACITY;
    shadow->lines = allocate(shadow->capacity, sizeof *shadow->lines);
    return shadow;
}

void shadow_destroy(struct shadow *shadow)
{
    if (shadow == NULL)
        return;
    free(shadow->lines);
    free(shadow);
}

void shadow_clear(struct shadow *shadow)
{
    memset(shadow->lines, 0, shadow->capacity * sizeof *shadow->lines);
    shadow->used = 0;
}

/* The line's entry, or the free one where it belongs. */
static struct shadow_line *find_line(const struct shadow *shadow, uint64_t addr)
{
    uint64_t place = addr / LINE_BYTES * UINT64_C(0x9e3779b97f4a7c15) >> 20;

    for (;; place++) {
        struct shadow_line *line = &shadow->lines[place & (shadow->capacity - 1)];

        if (line->addr == 0 || line->addr == (addr | 1))
            return line;
    }
}

static void shadow_grow(struct shadow *shadow)
{
    struct shadow old = *shadow;

    shadow->capacity *= 2;
    shadow->lines = allocate(shadow->capacity, sizeof *shadow->lines);
    for (uint64_t i = 0; i < old.capacity; i++)
        if (old.lines[i].addr != 0)
            *find_line(shadow, old.lines[i].addr & ~UINT64_C(1)) = old.lines[i];
    free(old.lines);
}

static struct shadow_line *claim_line(struct shadow *shadow, uint64_t addr)
{
    struct shadow_line *line = find_line(shadow, addr);

    if (line->addr != 0)
        return line;
    if (2 * shadow->used >= shadow->capacity) {
        shadow_grow(shadow);
        line = find_line(shadow, addr);
    }
    line->addr = addr | 1;
    shadow->used++;
    return line;
}

void shadow_sent(struct shadow *shadow, uint64_t addr, uint64_t mask)
{
    struct shadow_line *line = claim_line(shadow, addr);

    for_each_bit(byte, mask)
    {
        if (line->pending[byte]++ > 0)
            line->overlapped |= UINT64_C(1) << byte;
    }
}

static void set_byte(struct shadow_line *line, unsigned byte, const unsigned char *data,
                     const struct shadow_store *store)
{
    uint64_t bit = UINT64_C(1) << byte;

    check(line->pending[byte] > 0, "a store to %#llx that was not sent is answered",
          (unsigned long long)(line->addr - 1 + byte));
    line->pending[byte]--;
    line->stores[byte] = *store;
    line->known &= ~bit;
    if (line->pending[byte] > 0)
        return;
    if (data != NULL && (line->overlapped & bit) == 0) {
        line->known |= bit;
        line->data[byte] = data[byte];
    }
    line->overlapped &= ~bit;
}

void shadow_stored(struct shadow *shadow, uint64_t addr, uint64_t mask, const unsigned char *data,
                   const struct shadow_store *store)
{
    struct shadow_line *line = claim_line(shadow, addr);

    for_each_bit(byte, mask) set_byte(line, byte, data, store);
}

uint64_t shadow_old(const struct shadow *shadow, uint64_t addr, uint64_t mask,
                    const unsigned char *data, uint16_t unit, uint64_t sent,
                    struct shadow_store *store)
{
    const struct shadow_line *line = find_line(shadow, addr);
    uint64_t known = mask & line->known, old = 0;

    if (line->addr == 0)
        return 0;
    for_each_bit(byte, known)
    {
        const struct shadow_store *last = &line->stores[byte];

        if (line->pending[byte] > 0 || last->unit == unit || last->cycle >= sent ||
            data[byte] == line->data[byte])
            continue;
        if (old == 0)
            *store = *last;
        old |= UINT64_C(1) << byte;
    }
    return old;
}
