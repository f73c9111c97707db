/* SPDX-License-Identifier: MIT */
/*
 * Fake devices with the library on top, and arrays that know what they must hold. Each has a model,
 * a second copy that the library never sees. Every kernel and every write of the host changes it in
 * the same way. Kernels compare what they find with the model before they change it, so both
 * directions are checked. All comparisons are exact; the kernels' recurrence does not converge, so
 * that nothing old can pass for new.
 */
#ifndef CONTRACT_RIG_H
#define CONTRACT_RIG_H

#include "contract.h"
#include "fake.h"
#include "gpuvm.h"

#include <stdint.h>

#define RIG_DEVICES 2

/* On the rung svm a setting with reach means: with buffers all the same, which are then copied
 * eagerly. */

struct rig {
    unsigned devices;
    bool is_svm;
    bool is_direct; /* devices work on the host's memory: arrays have no buffers */
    struct fake *fakes[RIG_DEVICES];
    void *handles[RIG_DEVICES]; /* what gpuvm_init takes */
};

/* Makes the devices; with rig_start, also starts the library (flags: options). Skips the test if
 * the rung does not work. */
void rig_make(struct rig *rig, const struct setting *setting);
void rig_start(struct rig *rig, const struct setting *setting, int flags);
/* gpuvm_init for the devices that are made. */
void rig_init(struct rig *rig, int flags);
/* Waits for all kernels; stops the library; destroys the devices, which checks their buffers. */
void rig_wait(struct rig *rig);
void rig_stop(struct rig *rig);
/* Destroys the devices only. */
void rig_destroy(struct rig *rig);

struct array {
    struct rig *rig;
    uint32_t *host, *model;
    size_t words;
    void *buffers[RIG_DEVICES];
    unsigned links; /* a bit a device */
    uint32_t seed;
};

#define WORDS(nbytes) ((nbytes) / sizeof(uint32_t))

/* Fills host and model, and links on all devices of the rig. */
void array_make(struct array *array, struct rig *rig, void *host, size_t words);
/* The parts of this: host and model get numbers that follow from the seed; buffers; link. */
void array_fill(struct array *array, struct rig *rig, void *host, size_t words, uint32_t seed);
void array_link(struct array *array, unsigned device);
/* Unlinks everywhere, compares, and frees model and buffers (the host memory is the caller's). */
void array_end(struct array *array);
void array_drop(struct array *array); /* without unlink and comparison */

/* begin, one kernel (as array_launch), end. */
void array_run(struct array *array, unsigned device, int flags);
/* READ_ONLY: compares; READ_WRITE: compares and steps; WRITE_ONLY: overwrites all. Returns at once.
 */
void array_launch(struct array *array, unsigned device, int flags);
/* Where a kernel finds the array. */
uint32_t *array_device_words(const struct array *array, unsigned device);
/* READ_ONLY use, waited for: what the device has equals the model. */
void array_check_device(struct array *array, unsigned device);

/* The host compares (all, or words [first, first + count)); it writes new numbers. */
void array_check(struct array *array);
void array_check_part(struct array *array, size_t first, size_t count);
void array_write(struct array *array, size_t first, size_t count);

/* A number that follows from two others and looks random. */
uint32_t rig_mix(uint32_t a, uint32_t b);
/* The next of a sequence of such numbers. */
uint32_t rig_random(uint64_t *state);

#endif
