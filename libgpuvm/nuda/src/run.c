/* SPDX-License-Identifier: MIT */
/*
 * nuda_run: finds the arrays, begins their use, starts the kernel, ends their use.
 *
 * What needs no collector happens in one go, guarded (collect.h): attempt(). It stops at what it
 * cannot do in there: an array that is not known yet, a full device. That is done outside, and it
 * is called again.
 */
#include "collect.h"
#include "device.h"
#include "memory.h"
#include "message.h"

#include <gpuvm.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARAMETERS 64
#define MOST_ARGUMENTS (2 * MOST_PARAMETERS + 3)
#define LOG_BYTES 3000
/* Beyond any device: buffers go when an allocation fails, the least recently used first. */
#define ENDLESS_BYTES (SIZE_MAX / 4)

/* What is known of a loop once it has been built: loop->state. */
struct state {
    struct nuda_device *device;
    void *kernel;         /* NULL: it runs on the host */
    pthread_mutex_t lock; /* of the kernel's arguments */
};

/* An array that the kernel uses, once, be it passed once or more often. */
struct use {
    void *base;
    int flags;
    void *buffer;
    unsigned long long bytes_up, bytes_down; /* before */
};

enum outcome { DONE, UNKNOWN_ARRAY, FULL, FAILED };

struct run {
    struct nuda_loop *loop;
    struct state *state;
    const size_t *count;
    void *const *values;
    enum outcome outcome;
    unsigned unknown;     /* UNKNOWN_ARRAY: the parameter */
    struct memory memory; /* of parameter `known`, to be linked */
    unsigned known;       /* MOST_PARAMETERS: none */
    int error;            /* FULL, FAILED: libgpuvm's */
    const char *failed;   /* FAILED: what */
    unsigned use_count;
    struct use uses[MOST_PARAMETERS];
    unsigned use_of[MOST_PARAMETERS];
    unsigned long long offset[MOST_PARAMETERS]; /* of a pointer into its array, bytes */
};

/* ---- Building ---- */

struct preparation {
    struct nuda_loop *loop;
    struct state *state;
};

static void build(struct nuda_loop *loop, struct state *state)
{
    char log[LOG_BYTES] = "";
    state->device = device_get();
    if (!state->device)
        return;
    state->kernel = state->device->operations->build(state->device, loop, log, sizeof(log));
    if (!state->kernel)
        message(loop, "%s does not take the kernel, the loop runs on the host: %s",
                state->device->name, log);
}

static void prepare(void *argument)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct preparation *preparation = argument;
    struct nuda_loop *loop = preparation->loop;
    pthread_mutex_lock(&lock);
    struct state *state = __atomic_load_n(&loop->state, __ATOMIC_ACQUIRE);
    if (!state && (state = calloc(1, sizeof(*state)))) {
        pthread_mutex_init(&state->lock, NULL);
        build(loop, state);
        __atomic_store_n(&loop->state, state, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    preparation->state = state;
}

static struct state *state_of(struct nuda_loop *loop)
{
    struct state *state = __atomic_load_n(&loop->state, __ATOMIC_ACQUIRE);
    struct preparation preparation = {.loop = loop};
    if (state)
        return state;
    collect_guard(prepare, &preparation);
    if (!preparation.state)
        message_fatal(loop, "no memory");
    return preparation.state;
}

/* ---- Arrays ---- */

static void *pointer_of(const struct run *run, unsigned parameter)
{
    return *(void *const *)run->values[parameter];
}

static void stop(struct run *run, enum outcome outcome, const char *what, int error)
{
    run->outcome = outcome;
    run->failed = what;
    run->error = error;
}

/* Links what was found outside. What libgpuvm has at that place otherwise is of memory that went
 * without its knowledge. */
static bool link_known(struct run *run)
{
    const struct memory *memory = &run->memory;
    int error = gpuvm_link(memory->base, memory->nbytes, 0, NULL, GPUVM_ON_HOST);
    if (error == GPUVM_ERANGE && gpuvm_forget(memory->base, memory->nbytes, GPUVM_READ_WRITE) >= 0)
        error = gpuvm_link(memory->base, memory->nbytes, 0, NULL, GPUVM_ON_HOST);
    if (error && error != GPUVM_ELINK) /* that: another thread was quicker */
        stop(run, FAILED, "an array is not taken", error);
    return run->outcome == DONE;
}

/* What is not written keeps its value, so it must be there, unless the loop fills the array. */
static int flags_of(const struct run *run, const struct nuda_parameter *parameter,
                    const struct gpuvm_array_info *info)
{
    size_t nbytes = parameter->size;
    if (parameter->use == NUDA_READ)
        return GPUVM_READ_ONLY;
    if (parameter->use != NUDA_OVERWRITE)
        return GPUVM_READ_WRITE;
    for (unsigned d = 0; d < run->loop->dimensions; d++)
        if (__builtin_mul_overflow(nbytes, run->count[d], &nbytes))
            return GPUVM_READ_WRITE;
    return nbytes >= info->bytes ? GPUVM_WRITE_ONLY : GPUVM_READ_WRITE;
}

static void add_use(struct run *run, unsigned parameter, const struct gpuvm_array_info *info)
{
    size_t offset = (size_t)((char *)pointer_of(run, parameter) - (char *)info->host);
    unsigned i = 0;
    while (i < run->use_count && run->uses[i].base != info->host)
        i++;
    if (i == run->use_count)
        run->uses[run->use_count++] = (struct use){.base = info->host,
                                                   .bytes_up = info->bytes_to_device,
                                                   .bytes_down = info->bytes_from_device};
    run->uses[i].flags |= flags_of(run, &run->loop->parameter[parameter], info);
    run->use_of[parameter] = i;
    run->offset[parameter] = offset;
}

/* Fills run->uses; false: see run->outcome. */
static bool find_arrays(struct run *run)
{
    run->use_count = 0;
    for (unsigned i = 0; i < run->loop->parameters; i++) {
        struct gpuvm_array_info info;
        if (run->loop->parameter[i].kind != NUDA_ARRAY)
            continue;
        bool is_linked = !gpuvm_array_info(pointer_of(run, i), &info);
        if (!is_linked && run->known == i)
            is_linked = link_known(run) && !gpuvm_array_info(pointer_of(run, i), &info);
        if (!is_linked && run->outcome == DONE) {
            run->outcome = UNKNOWN_ARRAY;
            run->unknown = i;
        }
        if (!is_linked)
            return false;
        add_use(run, i, &info);
    }
    return true;
}

/* Outside: what memory the pointer points into, or the end of the program. */
static void find_memory(struct run *run, const size_t array_bytes[])
{
    unsigned i = run->unknown;
    const char *name = run->loop->parameter[i].name;
    void *pointer = pointer_of(run, i);
    if (!pointer)
        message_fatal(run->loop, "`%s` is a null pointer", name);
    run->memory = memory_find(pointer, array_bytes ? array_bytes[i] : 0);
    run->known = i;
    if (run->memory.kind == MEMORY_STACK)
        message_fatal(
            run->loop,
            "`%s` points into a stack, which a device cannot share: take the array from malloc, "
            "or make it global",
            name);
    if (run->memory.kind == MEMORY_UNKNOWN)
        message_fatal(run->loop,
                      "`%s` points to memory of unknown length: take the array from malloc, "
                      "gpuvm_alloc or the "
                      "collector, or use a global one (of a program that has its table of symbols)",
                      name);
    if (!collect_watch(&run->memory))
        message_fatal(run->loop, "no memory");
}

/* ---- The launch ---- */

static bool start_kernel(struct run *run)
{
    struct nuda_loop *loop = run->loop;
    struct nuda_argument arguments[MOST_ARGUMENTS];
    unsigned long long counts[3];
    struct nuda_launch launch = {.dimensions = loop->dimensions, .arguments = arguments};
    for (unsigned i = 0; i < loop->parameters; i++) {
        const struct nuda_parameter *parameter = &loop->parameter[i];
        if (parameter->kind == NUDA_VALUE) {
            arguments[launch.argument_count++] =
                (struct nuda_argument){.value = run->values[i], .size = parameter->size};
            continue;
        }
        arguments[launch.argument_count++] =
            (struct nuda_argument){.buffer = run->uses[run->use_of[i]].buffer};
        arguments[launch.argument_count++] =
            (struct nuda_argument){.value = &run->offset[i], .size = sizeof(run->offset[i])};
    }
    for (unsigned d = 0; d < loop->dimensions; d++) {
        counts[d] = run->count[d];
        launch.count[d] = run->count[d];
        launch.block[d] = loop->block[d];
        arguments[launch.argument_count++] =
            (struct nuda_argument){.value = &counts[d], .size = sizeof(counts[d])};
    }
    pthread_mutex_lock(&run->state->lock);
    bool is_started =
        run->state->device->operations->launch(run->state->device, run->state->kernel, &launch);
    pthread_mutex_unlock(&run->state->lock);
    return is_started;
}

/* The arrays go to the device; false: see run->outcome. */
static bool begin_kernel(struct run *run, void *hosts[], bool *has_buffers)
{
    int flags[MOST_PARAMETERS], error;
    if (!find_arrays(run))
        return false;
    for (unsigned i = 0; i < run->use_count; i++) {
        hosts[i] = run->uses[i].base;
        flags[i] = run->uses[i].flags;
    }
    if ((error = gpuvm_kernel_begin_many(run->use_count, hosts, 0, flags))) {
        stop(run, error == GPUVM_EDEVALLOC ? FULL : FAILED, "arrays cannot go to the device",
             error);
        return false;
    }
    *has_buffers = true;
    for (unsigned i = 0; i < run->use_count; i++)
        *has_buffers = (run->uses[i].buffer = gpuvm_xlate(hosts[i], 0)) && *has_buffers;
    return true;
}

static void attempt(void *argument)
{
    struct run *run = argument;
    void *hosts[MOST_PARAMETERS];
    bool has_buffers;
    int error;
    run->outcome = DONE;
    gpuvm_calls_begin();
    bool is_begun = begin_kernel(run, hosts, &has_buffers);
    gpuvm_calls_end();
    if (!is_begun)
        return;
    bool is_started = has_buffers && start_kernel(run);
    if ((error = gpuvm_kernel_end_many(run->use_count, hosts, 0)) || !is_started)
        stop(run, FAILED, is_started ? "the device failed" : "the kernel does not start", error);
}

static void trace(const struct run *run)
{
    unsigned long long up = 0, down = 0;
    for (unsigned i = 0; i < run->use_count; i++) {
        struct gpuvm_array_info info;
        if (gpuvm_array_info(run->uses[i].base, &info))
            continue;
        up += info.bytes_to_device - run->uses[i].bytes_up;
        down += info.bytes_from_device - run->uses[i].bytes_down;
    }
    size_t iterations = 1;
    for (unsigned d = 0; d < run->loop->dimensions; d++)
        iterations *= run->count[d];
    message(run->loop, "%zu iterations on the device: %u arrays, %llu bytes up, %llu bytes down",
            iterations, run->use_count, up, down);
}

/* A full device: garbage goes first, then what other loops used longest ago. */
static void make_room(struct run *run, unsigned tries)
{
    if (tries == 0 && collect_now())
        return;
    if (tries > 1)
        message_fatal(run->loop, "%s is full: the arrays of this loop do not fit together",
                      run->state->device->name);
    gpuvm_set_budget(0, ENDLESS_BYTES);
}

static void run_on_device(struct run *run, const size_t array_bytes[])
{
    unsigned tries = 0;
    for (;;) {
        collect_guard(attempt, run);
        if (run->outcome == UNKNOWN_ARRAY)
            find_memory(run, array_bytes);
        else if (run->outcome == FULL)
            make_room(run, tries++);
        else
            break;
    }
    if (tries > 0)
        gpuvm_set_budget(0, 0);
    if (run->outcome == FAILED)
        message_fatal(run->loop, "%s: %s: %s", run->state->device->name, run->failed,
                      gpuvm_strerror(run->error));
    if (message_level() > 0)
        trace(run);
}

bool nuda_run(struct nuda_loop *loop, const size_t count[], void *const values[],
              const size_t array_bytes[])
{
    collect_start();
    struct state *state = state_of(loop);
    if (!state->kernel) {
        if (message_level() > 0)
            message(loop, "on the host");
        return false;
    }
    for (unsigned d = 0; d < loop->dimensions; d++)
        if (count[d] == 0)
            return true;
    if (loop->parameters > MOST_PARAMETERS)
        message_fatal(loop, "%u parameters, %d are the maximum", loop->parameters, MOST_PARAMETERS);
    struct run run = {
        .loop = loop, .state = state, .count = count, .values = values, .known = MOST_PARAMETERS};
    run_on_device(&run, array_bytes);
    return true;
}
