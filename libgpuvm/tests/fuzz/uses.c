/* SPDX-License-Identifier: MIT */
/* Devices' uses of arrays: begins, kernels, checksums, ends. */
#include "worker.h"

#include <stdlib.h>

enum { SEVERAL = 6, ALLOCATION_TRIES = 4 };

/* An array on a device. */
struct use {
    struct array *array;
    unsigned device;
};

static bool does_write(int flags)
{
    return (flags & GPUVM_WRITE_ONLY) != 0;
}

/* Correct sharing: one device, or several that only read. */
static bool may_begin(const struct array *array, unsigned device, int flags)
{
    if (!array->links[device].is_linked)
        return false;
    for (unsigned i = 0; i < fuzz.devices; i++) {
        const struct link *link = &array->links[i];
        if (i != device && link->depth > 0 && (does_write(flags) || does_write(link->flags)))
            return false;
    }
    return true;
}

static int pick_flags(struct worker *worker)
{
    unsigned roll = (unsigned)dice_below(&worker->dice, 10);
    return roll < 4 ? GPUVM_READ_ONLY : roll < 8 ? GPUVM_READ_WRITE : GPUVM_WRITE_ONLY;
}

static void *inside(struct worker *worker, const struct array *array)
{
    bool is_start = dice_one_in(&worker->dice, 2);
    return array_host(array) + (is_start ? 0 : dice_below(&worker->dice, array->bytes));
}

/* The first of the devices that use the array, counted from a random one. */
static bool pick_use(struct worker *worker, bool must_write, struct use *use)
{
    struct array *array = pick_array(worker, is_used);
    unsigned start = (unsigned)dice_below(&worker->dice, fuzz.devices);
    for (unsigned i = 0; array != NULL && i < fuzz.devices; i++) {
        unsigned device = (start + i) % fuzz.devices;
        const struct link *link = &array->links[device];
        if (link->depth > 0 && (!must_write || does_write(link->flags))) {
            *use = (struct use){array, device};
            return true;
        }
    }
    return false;
}

/* ---- Kernels ---- */

static struct operand operand_of(struct worker *worker, const struct use *use)
{
    const struct array *array = use->array;
    const struct link *link = &array->links[use->device];
    struct operand operand = {link->buffer, array_host(array), array->bytes};
    if (link->is_lazy || dice_one_in(&worker->dice, 8)) {
        operand.buffer = gpuvm_xlate(inside(worker, array), use->device);
        if (operand.buffer == NULL)
            fail(worker, array, "gpuvm_xlate: no buffer on device %u, which uses the array",
                 use->device);
        if (!link->is_lazy && operand.buffer != link->buffer)
            fail(worker, array, "gpuvm_xlate: another buffer on device %u", use->device);
        if (link->is_lazy && !fuzz.has_allocator) {
            if (operand.buffer != array_host(array))
                fail(worker, array, "gpuvm_xlate: not the array itself on device %u", use->device);
            operand.buffer = NULL;
        }
    }
    return operand;
}

static void launch(struct worker *worker, const struct use *target, const struct use *source,
                   const struct kernel_call *call)
{
    struct operand written = operand_of(worker, target), read = operand_of(worker, source);
    fuzz.kind->launch(target->device, call, &written, &read);
    kernel_apply(call, array_model(target->array), target->array->bytes, array_model(source->array),
                 source->array->bytes);
}

static void launch_fill(struct worker *worker, const struct use *use)
{
    struct kernel_call call = {.kind = KERNEL_FILL, .seed = (uint32_t)dice_next(&worker->dice)};
    note(worker, use->array, "kernel on device %u overwrites all", use->device);
    launch(worker, use, use, &call);
}

/* Another array that the same device uses; the array itself if there is none. */
static struct use pick_source(struct worker *worker, const struct use *target)
{
    struct use source;
    bool is_found = pick_use(worker, false, &source) && source.device == target->device;
    return is_found ? source : *target;
}

bool run_kernel(struct worker *worker)
{
    struct use target;
    if (!pick_use(worker, true, &target))
        return false;
    if (dice_one_in(&worker->dice, 6)) {
        launch_fill(worker, &target);
        return true;
    }
    struct use source = pick_source(worker, &target);
    size_t words = target.array->bytes / 4, first = 0, count = words;
    struct kernel_call call = {.kind = KERNEL_UPDATE, .seed = (uint32_t)dice_next(&worker->dice)};
    if (source.array != target.array)
        call.kind = KERNEL_COMBINE;
    if (words > 0 && dice_one_in(&worker->dice, 2))
        pick_range(&worker->dice, words, &first, &count);
    call.first = first;
    call.end = first + count;
    call.has_tail = first + count == words;
    note(worker, target.array, "kernel on device %u: words %zu to %zu%s", target.device, call.first,
         call.end, call.kind == KERNEL_COMBINE ? ", with another array" : "");
    if (call.kind == KERNEL_COMBINE)
        note(worker, source.array, "kernel on device %u reads it", target.device);
    launch(worker, &target, &source, &call);
    return true;
}

/* ---- Checksums ---- */

/* Why a checksum was wrong: where the device's copy differs now. */
static void explain(struct worker *worker, const struct use *use)
{
    struct operand operand = operand_of(worker, use);
    unsigned char *copy = malloc(operand.bytes);
    if (copy == NULL)
        return;
    fuzz.kind->peek(use->device, &operand, copy);
    compare_copy(worker, use->array->block, use->array->offset, use->array->bytes, copy,
                 "the device's copy");
    free(copy);
}

static void settle(struct worker *worker, unsigned slot)
{
    struct check *check = &worker->checks[slot];
    struct use use = {check->array, check->device};
    check->is_used = false;
    uint32_t got = fuzz.kind->checksum(check->device, worker->index * CHECKSUM_SLOTS + slot);
    if (got == check->expected)
        return;
    if (check->array->is_alive && check->array->links[check->device].depth > 0)
        explain(worker, &use);
    fail(worker, check->array,
         "the kernel of operation %llu read wrong data on device %u: checksum expected 0x%08x, "
         "got 0x%08x",
         check->operation, check->device, check->expected, got);
}

void settle_checks(struct worker *worker)
{
    bool is_finished[MAX_DEVICES] = {false};
    for (unsigned i = 0; i < CHECKSUM_SLOTS; i++) {
        struct check *check = &worker->checks[i];
        if (!check->is_used)
            continue;
        if (!is_finished[check->device])
            fuzz.kind->finish(check->device);
        is_finished[check->device] = true;
        settle(worker, i);
    }
}

static unsigned free_slot(struct worker *worker)
{
    for (unsigned i = 0; i < CHECKSUM_SLOTS; i++) {
        if (!worker->checks[i].is_used)
            return i;
    }
    settle_checks(worker);
    return 0;
}

static void start_checksum(struct worker *worker, const struct use *use)
{
    unsigned slot = free_slot(worker);
    uint32_t seed = (uint32_t)dice_next(&worker->dice);
    struct operand operand = operand_of(worker, use);
    note(worker, use->array, "checksum on device %u", use->device);
    worker->checks[slot] = (struct check){
        .is_used = true,
        .device = use->device,
        .expected = kernel_checksum(array_model(use->array), use->array->bytes, seed),
        .array = use->array,
        .operation = atomic_load(&worker->operations)};
    fuzz.kind->launch_checksum(use->device, &operand, seed, worker->index * CHECKSUM_SLOTS + slot);
    atomic_fetch_add(&worker->bytes_compared, use->array->bytes);
}

bool run_checksum(struct worker *worker)
{
    struct use use;
    if (!pick_use(worker, false, &use))
        return false;
    start_checksum(worker, &use);
    if (dice_one_in(&worker->dice, 3))
        settle_checks(worker);
    return true;
}

/* ---- Begin ---- */

static void count_begin(struct use *use, int flags)
{
    struct link *link = &use->array->links[use->device];
    link->depth++;
    link->flags |= flags;
}

/* After an error the array must be as it was: the host may touch it if it could before. */
static void compare_after_error(struct worker *worker, struct array *array)
{
    note(worker, array, "that failed as it was told");
    if (!array_in_use(array) && dice_one_in(&worker->dice, 2))
        compare(worker, array->block, array->offset, array->bytes, "after a failed begin");
}

/* One begin, or one of several arrays; false: the device has no memory for their buffers. */
static bool begin(struct worker *worker, unsigned n, struct use *uses, void **hosts,
                  const int *flags)
{
    unsigned device = uses[0].device, denied = 0;
    for (unsigned i = 0; i < n; i++)
        uses[i].array->is_in_call = true;
    for (int result = -1; result != 0 && denied < ALLOCATION_TRIES;) {
        result = n == 1 ? gpuvm_kernel_begin(hosts[0], device, flags[0])
                        : gpuvm_kernel_begin_many(n, hosts, device, flags);
        if (result != 0 && !is_injected(worker, uses[0].array, "begin", result))
            expect(worker, uses[0].array, "begin", result, 0);
        denied = result == 0 ? 0 : result == GPUVM_EDEVALLOC ? denied + 1 : denied;
        for (unsigned i = 0; result != 0 && i < n; i++)
            compare_after_error(worker, uses[i].array);
    }
    for (unsigned i = 0; i < n; i++)
        uses[i].array->is_in_call = false;
    return denied == 0;
}

/* What WRITE_ONLY promises is kept at once. */
static void after_begin(struct worker *worker, unsigned n, struct use *uses, const int *flags)
{
    for (unsigned i = 0; i < n; i++)
        count_begin(&uses[i], flags[i]);
    for (unsigned i = 0; i < n; i++) {
        if (flags[i] == GPUVM_WRITE_ONLY)
            launch_fill(worker, &uses[i]);
    }
}

bool begin_one(struct worker *worker)
{
    struct array *array = pick_array(worker, is_any);
    struct use use = {array, (unsigned)dice_below(&worker->dice, fuzz.devices)};
    int flags = pick_flags(worker);
    if (array == NULL || !may_begin(array, use.device, flags))
        return false;
    void *host = inside(worker, array);
    note(worker, array, "begin on device %u, flags 0x%x", use.device, (unsigned)flags);
    if (!begin(worker, 1, &use, &host, &flags))
        return false;
    after_begin(worker, 1, &use, &flags);
    return true;
}

static unsigned pick_several(struct worker *worker, struct use *uses, void **hosts, int *flags)
{
    unsigned n = 0, device = (unsigned)dice_below(&worker->dice, fuzz.devices);
    unsigned start = (unsigned)dice_below(&worker->dice, ARRAYS);
    for (unsigned i = 0; i < ARRAYS && n < SEVERAL; i++) {
        struct array *array = &worker->arrays[(start + i) % ARRAYS];
        flags[n] = pick_flags(worker);
        if (!array->is_alive || !may_begin(array, device, flags[n]) ||
            dice_one_in(&worker->dice, 4))
            continue;
        hosts[n] = inside(worker, array);
        uses[n++] = (struct use){array, device};
    }
    return n;
}

bool begin_several(struct worker *worker)
{
    struct use uses[SEVERAL];
    void *hosts[SEVERAL];
    int flags[SEVERAL + 1];
    unsigned n = pick_several(worker, uses, hosts, flags);
    if (n < 2)
        return false;
    for (unsigned i = 0; i < n; i++)
        note(worker, uses[i].array, "begin_many on device %u with %u others, flags 0x%x",
             uses[i].device, n - 1, (unsigned)flags[i]);
    if (!begin(worker, n, uses, hosts, flags))
        return false;
    after_begin(worker, n, uses, flags);
    for (unsigned i = (unsigned)dice_below(&worker->dice, 4); i > 0; i--)
        run_kernel(worker);
    return true;
}

/* ---- End ---- */

static void count_end(struct use *use)
{
    struct link *link = &use->array->links[use->device];
    if (--link->depth == 0)
        link->flags = 0;
}

static void end(struct worker *worker, unsigned n, struct use *uses)
{
    void *hosts[SEVERAL];
    for (unsigned i = 0; i < n; i++) {
        hosts[i] = inside(worker, uses[i].array);
        note(worker, uses[i].array, "end on device %u, with %u others", uses[i].device, n - 1);
    }
    for (int result = -1; result != 0;) {
        result = n == 1 ? gpuvm_kernel_end(hosts[0], uses[0].device)
                        : gpuvm_kernel_end_many(n, hosts, uses[0].device);
        if (result != 0 && !is_injected(worker, uses[0].array, "end", result))
            expect(worker, uses[0].array, "end", result, 0);
    }
    for (unsigned i = 0; i < n; i++)
        count_end(&uses[i]);
}

bool end_one(struct worker *worker)
{
    struct use use;
    if (!pick_use(worker, false, &use))
        return false;
    end(worker, 1, &use);
    return true;
}

bool end_several(struct worker *worker)
{
    struct use uses[SEVERAL];
    unsigned n = 0, device = (unsigned)dice_below(&worker->dice, fuzz.devices);
    for (unsigned i = 0; i < ARRAYS && n < SEVERAL; i++) {
        struct array *array = &worker->arrays[i];
        if (array->is_alive && array->links[device].depth > 0 && !dice_one_in(&worker->dice, 4))
            uses[n++] = (struct use){array, device};
    }
    if (n < 2)
        return false;
    end(worker, n, uses);
    return true;
}

void end_all_uses(struct worker *worker)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        struct array *array = &worker->arrays[i];
        for (unsigned device = 0; array->is_alive && device < fuzz.devices; device++) {
            while (array->links[device].depth > 0)
                end(worker, 1, &(struct use){array, device});
        }
    }
}

bool use_once(struct worker *worker, struct array *array, unsigned device, int flags)
{
    struct use use = {array, device};
    void *host = inside(worker, array);
    note(worker, array, "a round on device %u, flags 0x%x", device, (unsigned)flags);
    if (!begin(worker, 1, &use, &host, &flags))
        return false;
    after_begin(worker, 1, &use, &flags);
    struct kernel_call call = {.kind = KERNEL_UPDATE,
                               .end = array->bytes / 4,
                               .has_tail = true,
                               .seed = (uint32_t)dice_next(&worker->dice)};
    if (does_write(flags))
        launch(worker, &use, &use, &call);
    else
        start_checksum(worker, &use);
    end(worker, 1, &use);
    return true;
}
