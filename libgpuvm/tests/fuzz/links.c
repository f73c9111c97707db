/* SPDX-License-Identifier: MIT */
/* Linking and unlinking, and the buffers that the library asks for. */
#include "worker.h"

#include <stdlib.h>

_Thread_local struct worker *this_worker;

bool is_injected(struct worker *worker, const struct array *array, const char *call, int result)
{
    bool is_failure = result == GPUVM_ERROR || result == GPUVM_EDEVALLOC;
    if (result == GPUVM_EDEVALLOC && atomic_load(&fuzz.has_budgets))
        return true;
    if (!is_failure || fuzz.kind->inject == NULL)
        return false;
    /* Memory of a fake device also runs out by itself. */
    if (result == GPUVM_ERROR && atomic_fetch_add(&fuzz.failures, 1) >= atomic_load(&fuzz.injected))
        fail(worker, array, "%s failed, and no device was told to", call);
    return true;
}

/* ---- Buffers on demand ---- */

/* Those that the library has, and what they may take together. */
static struct {
    pthread_mutex_t lock;
    size_t budgets[MAX_DEVICES]; /* 0: no limit */
    struct made {
        void *buffer; /* NULL: free */
        unsigned device;
        size_t bytes;
    } list[ARRAYS * MAX_THREADS * MAX_DEVICES];
} made = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The bytes of a device's buffers, and a free place in the list. */
static size_t add_up(unsigned device, struct made **free_place)
{
    size_t sum = 0;
    for (size_t i = 0; i < sizeof made.list / sizeof *made.list; i++) {
        if (made.list[i].buffer == NULL)
            *free_place = &made.list[i];
        else if (made.list[i].device == device)
            sum += made.list[i].bytes;
    }
    return sum;
}

static void *allocate(void *user, unsigned device, size_t bytes)
{
    (void)user;
    struct made *place = NULL;
    void *buffer = fuzz.kind->allocate(device, bytes);
    if (buffer == NULL)
        return NULL;
    pthread_mutex_lock(&made.lock);
    size_t sum = add_up(device, &place) + bytes, budget = made.budgets[device];
    if (place == NULL)
        fail(this_worker, NULL, "the library asks for more buffers than there are links");
    *place = (struct made){buffer, device, bytes};
    pthread_mutex_unlock(&made.lock);
    /* Other threads' budgets come at any time. */
    if (budget != 0 && sum > budget && fuzz.options.threads == 1)
        fail(this_worker, NULL, "buffers of %zu bytes on device %u, whose budget is %zu", sum,
             device, budget);
    return buffer;
}

static void release(void *user, unsigned device, void *buffer)
{
    (void)user;
    pthread_mutex_lock(&made.lock);
    for (size_t i = 0; i < sizeof made.list / sizeof *made.list; i++) {
        if (made.list[i].buffer == buffer)
            made.list[i].buffer = NULL;
    }
    pthread_mutex_unlock(&made.lock);
    fuzz.kind->release(device, buffer);
}

/* Device memory as a cache: no limit, or from an eighth of what the buffers take now to a little
 * more. */
bool change_budget(struct worker *worker)
{
    unsigned device = (unsigned)dice_below(&worker->dice, fuzz.devices);
    uint64_t roll = dice_next(&worker->dice);
    struct made *place;
    if (!fuzz.has_allocator)
        return false;
    atomic_store(&fuzz.has_budgets, true);
    pthread_mutex_lock(&made.lock);
    size_t least = add_up(device, &place) / 8 + 4096;
    size_t budget = dice_one_in(&worker->dice, 4) ? 0 : least + roll % (8 * least);
    expect(worker, NULL, "gpuvm_set_budget", gpuvm_set_budget(device, budget), 0);
    made.budgets[device] = budget;
    pthread_mutex_unlock(&made.lock);
    return true;
}

void forget_budgets(void)
{
    atomic_store(&fuzz.has_budgets, false);
    for (unsigned i = 0; i < MAX_DEVICES; i++)
        made.budgets[i] = 0;
}

static bool unlink_once(struct worker *worker, struct array *array, unsigned device);

/* Gives up the buffer of an array that is not needed now, by unlinking it: the library allows that
 * here. */
static int collect(void *user, unsigned device, size_t bytes)
{
    (void)user, (void)bytes;
    struct worker *worker = this_worker;
    for (unsigned i = 0; worker != NULL && i < ARRAYS; i++) {
        struct array *array = &worker->arrays[i];
        if (!array->is_alive || array->is_in_call || array_in_use(array))
            continue;
        if (array->links[device].is_lazy && unlink_once(worker, array, device)) {
            note(worker, array, "unlinked from device %u: its memory was full", device);
            atomic_fetch_add(&fuzz.collected, 1);
            return 1;
        }
    }
    return 0;
}

const struct gpuvm_allocator fuzz_allocator = {
    .allocate = allocate, .release = release, .collect = collect};

/* ---- Links ---- */

/* A buffer of ours whose contents the model takes over: the kernel may run after the link. */
static void fill_on_device(struct worker *worker, struct array *array, unsigned device)
{
    struct kernel_call call = {.kind = KERNEL_FILL, .seed = (uint32_t)dice_next(&worker->dice)};
    struct operand operand = {array->links[device].buffer, array_host(array), array->bytes};
    fuzz.kind->launch(device, &call, &operand, &operand);
    kernel_apply(&call, array_model(array), array->bytes, NULL, 0);
}

/* Links on a device; false: the device has no memory left. */
static bool link_on(struct worker *worker, struct array *array, unsigned device, int flags)
{
    struct link *link = &array->links[device];
    bool is_lazy = flags == GPUVM_ON_HOST && dice_one_in(&worker->dice, 2);
    void *buffer = is_lazy ? NULL : fuzz.kind->allocate(device, array->bytes);
    if (!is_lazy && buffer == NULL)
        return false;
    *link = (struct link){.is_linked = true, .is_lazy = is_lazy, .buffer = buffer};
    if (flags == GPUVM_ON_DEVICE)
        fill_on_device(worker, array, device);
    int result;
    while ((result = gpuvm_link(array_host(array), array->bytes, device, buffer, flags)) != 0) {
        if (!is_injected(worker, array, "gpuvm_link", result))
            expect(worker, array, "gpuvm_link", result, 0);
    }
    return true;
}

bool link_array(struct worker *worker)
{
    struct array *array = place_array(worker);
    if (array == NULL)
        return false;
    unsigned device = (unsigned)dice_below(&worker->dice, fuzz.devices);
    int flags = dice_one_in(&worker->dice, 5) ? GPUVM_ON_DEVICE : GPUVM_ON_HOST;
    array->is_alive = array->is_in_call = true;
    if (!link_on(worker, array, device, flags)) {
        array->is_alive = array->is_in_call = false;
        return false;
    }
    array->is_in_call = false;
    note(worker, array, "linked on device %u, flags 0x%x%s", device, (unsigned)flags,
         array->links[device].is_lazy ? ", buffer on demand" : "");
    expect(worker, array, "gpuvm_array_info", gpuvm_array_info(array_host(array), &array->info), 0);
    return true;
}

bool link_further(struct worker *worker)
{
    struct array *array = pick_array(worker, is_idle);
    unsigned device = (unsigned)dice_below(&worker->dice, fuzz.devices);
    if (array == NULL || array->links[device].is_linked)
        return false;
    if (!link_on(worker, array, device, GPUVM_ON_HOST))
        return false;
    note(worker, array, "linked also on device %u%s", device,
         array->links[device].is_lazy ? ", buffer on demand" : "");
    return true;
}

/* One try; false: the device was told to fail, and the array is still linked. */
static bool unlink_once(struct worker *worker, struct array *array, unsigned device)
{
    struct link *link = &array->links[device];
    unsigned char *inside = array_host(array) + dice_below(&worker->dice, array->bytes);
    int result = gpuvm_unlink(inside, device);
    if (result != 0) {
        if (!is_injected(worker, array, "gpuvm_unlink", result))
            expect(worker, array, "gpuvm_unlink", result, 0);
        return false;
    }
    if (link->buffer != NULL)
        fuzz.kind->release(device, link->buffer);
    *link = (struct link){0};
    array->is_alive = false;
    for (unsigned i = 0; i < fuzz.devices; i++)
        array->is_alive |= array->links[i].is_linked;
    if (!fuzz.has_sync_back)
        rewrite(worker, array);
    return true;
}

static void unlink_from(struct worker *worker, struct array *array, unsigned device)
{
    note(worker, array, "gpuvm_unlink from device %u", device);
    while (!unlink_once(worker, array, device))
        note(worker, array, "gpuvm_unlink failed as it was told");
}

void unlink_fully(struct worker *worker, struct array *array)
{
    for (unsigned i = 0; i < fuzz.devices; i++) {
        if (array->links[i].is_linked)
            unlink_from(worker, array, i);
    }
}

bool unlink_array(struct worker *worker)
{
    struct array *array = pick_array(worker, is_idle);
    if (array == NULL)
        return false;
    unsigned device = (unsigned)dice_below(&worker->dice, fuzz.devices);
    if (dice_one_in(&worker->dice, 2))
        unlink_fully(worker, array);
    else if (array->links[device].is_linked)
        unlink_from(worker, array, device);
    else
        expect(worker, array, "gpuvm_unlink from a device that has no link",
               gpuvm_unlink(array_host(array), device), 0);
    if (!array->is_alive && dice_one_in(&worker->dice, 2))
        compare(worker, array->block, array->offset, array->bytes, "after gpuvm_unlink");
    return true;
}

void forget_links(struct worker *worker, struct array *array)
{
    (void)worker;
    for (unsigned i = 0; i < fuzz.devices; i++) {
        if (array->links[i].buffer != NULL)
            fuzz.kind->release(i, array->links[i].buffer);
        array->links[i] = (struct link){0};
    }
    array->is_alive = false;
}
