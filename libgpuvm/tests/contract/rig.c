/* SPDX-License-Identifier: MIT */
/* Fake devices and arrays with models; see rig.h. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

struct launch {
    struct array *array;
    uint32_t *words; /* the device's */
    int flags;
    uint32_t seed;
};

uint32_t rig_mix(uint32_t a, uint32_t b)
{
    uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;

    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

uint32_t rig_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return rig_mix((uint32_t)(*state >> 32), (uint32_t)*state);
}

void rig_make(struct rig *rig, const struct setting *setting)
{
    struct fake_options options = {.has_reach = setting->has_reach,
                                   .has_svm = contract_is_rung("svm")};

    memset(rig, 0, sizeof *rig);
    rig->devices = setting->devices;
    rig->is_svm = options.has_svm;
    rig->is_direct = options.has_svm && !setting->has_reach;
    for (unsigned i = 0; i < rig->devices; i++) {
        rig->fakes[i] = fake_create(&options);
        expect(rig->fakes[i] != NULL);
        rig->handles[i] = fake_device(rig->fakes[i]);
    }
}

void rig_init(struct rig *rig, int flags)
{
    int error = gpuvm_init(rig->devices, rig->handles, GPUVM_OPS | flags);

    if (error == GPUVM_EPROT && getenv("GPUVM_BACKEND") != NULL)
        contract_skip("the kernel does not offer the rung %s to this user",
                      getenv("GPUVM_BACKEND"));
    expect_equal(error, 0);
}

void rig_start(struct rig *rig, const struct setting *setting, int flags)
{
    rig_make(rig, setting);
    rig_init(rig, flags);
}

void rig_wait(struct rig *rig)
{
    for (unsigned i = 0; i < rig->devices; i++)
        fake_finish(rig->fakes[i]);
}

void rig_destroy(struct rig *rig)
{
    for (unsigned i = 0; i < rig->devices; i++)
        expect(fake_destroy(rig->fakes[i]));
}

void rig_stop(struct rig *rig)
{
    rig_wait(rig);
    expect_equal(gpuvm_finish(), 0);
    rig_destroy(rig);
}

void array_fill(struct array *array, struct rig *rig, void *host, size_t words, uint32_t seed)
{
    memset(array, 0, sizeof *array);
    array->rig = rig;
    array->host = host;
    array->words = words;
    array->seed = seed;
    array->model = contract_allocate(words * sizeof *array->model);
    for (size_t i = 0; i < words; i++)
        array->model[i] = rig_mix(seed, (uint32_t)i);
    memcpy(array->host, array->model, words * sizeof *array->model);
}

void array_link(struct array *array, unsigned device)
{
    size_t nbytes = array->words * sizeof *array->host;

    array->links |= 1u << device;
    if (!array->rig->is_direct) {
        array->buffers[device] = fake_allocate(array->rig->fakes[device], nbytes);
        expect(array->buffers[device] != NULL);
    }
    expect_equal(gpuvm_link(array->host, nbytes, device, array->buffers[device], GPUVM_ON_HOST), 0);
}

void array_make(struct array *array, struct rig *rig, void *host, size_t words)
{
    static uint32_t seed;

    array_fill(array, rig, host, words, ++seed);
    for (unsigned i = 0; i < rig->devices; i++)
        array_link(array, i);
}

void array_drop(struct array *array)
{
    for (unsigned i = 0; i < array->rig->devices; i++)
        if (array->buffers[i] != NULL)
            fake_release(array->rig->fakes[i], array->buffers[i]);
    free(array->model);
    memset(array, 0, sizeof *array);
}

void array_end(struct array *array)
{
    rig_wait(array->rig);
    for (unsigned i = 0; i < array->rig->devices; i++)
        if (array->links & 1u << i)
            expect_equal(gpuvm_unlink(array->host, i), 0);
    array_check(array);
    array_drop(array);
}

/* The recurrence of all kernels. */
static void step(uint32_t *words, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        words[i] = words[i] * 1664525u + 1013904223u + (uint32_t)i + seed;
}

static void overwrite(uint32_t *words, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        words[i] = rig_mix(seed, (uint32_t)i);
}

/* Runs on the device's thread. */
static void kernel(void *argument)
{
    struct launch *launch = argument;
    struct array *array = launch->array;

    if (launch->flags == GPUVM_WRITE_ONLY) {
        overwrite(launch->words, array->words, launch->seed);
        overwrite(array->model, array->words, launch->seed);
    } else {
        contract_expect_bytes(__FILE__, __LINE__, "what a kernel sees", launch->words, array->model,
                              array->words * sizeof *array->model);
        if (launch->flags == GPUVM_READ_WRITE) {
            step(launch->words, array->words, launch->seed);
            step(array->model, array->words, launch->seed);
        }
    }
    free(launch);
}

uint32_t *array_device_words(const struct array *array, unsigned device)
{
    void *buffer = gpuvm_xlate(array->host, device);

    return buffer == array->host ? buffer : fake_data(buffer);
}

void array_launch(struct array *array, unsigned device, int flags)
{
    struct launch *launch = contract_allocate(sizeof *launch);

    *launch = (struct launch){array, array_device_words(array, device), flags, array->seed++};
    fake_launch(array->rig->fakes[device], kernel, launch, 0);
}

void array_run(struct array *array, unsigned device, int flags)
{
    rig_wait(array->rig); /* of another device: they share the model */
    expect_equal(gpuvm_kernel_begin(array->host, device, flags), 0);
    array_launch(array, device, flags);
    expect_equal(gpuvm_kernel_end(array->host, device), 0);
}

void array_check_device(struct array *array, unsigned device)
{
    array_run(array, device, GPUVM_READ_ONLY);
    fake_finish(array->rig->fakes[device]);
}

/* The host's touch comes first: the library has to wait for kernels, not the test. */
void array_check_part(struct array *array, size_t first, size_t count)
{
    uint32_t *seen = contract_allocate(count * sizeof *seen + 1);

    memcpy(seen, array->host + first, count * sizeof *seen);
    rig_wait(array->rig);
    expect_bytes(seen, array->model + first, count * sizeof *seen);
    free(seen);
}

void array_check(struct array *array)
{
    array_check_part(array, 0, array->words);
}

void array_write(struct array *array, size_t first, size_t count)
{
    array->seed++;
    for (size_t i = first; i < first + count; i++)
        array->host[i] = rig_mix(array->seed, (uint32_t)i);
    rig_wait(array->rig);
    for (size_t i = first; i < first + count; i++)
        array->model[i] = rig_mix(array->seed, (uint32_t)i);
}
