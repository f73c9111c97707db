/* SPDX-License-Identifier: MIT */
/*
 * The fake device (fake.h). One in-order queue a device: kernels and transfers take tickets and
 * pass one at a time. Kernels run on the device's thread, transfers on the thread that asks. A
 * child of fork() has no such thread and must not use the device.
 */
#include "fake.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Where the costs (kernel_launch_us, copy_launch_us, to_device_mb_s, from_device_mb_s) come from.
 * Table 1 of the paper: start of a kernel 55 and 100 us, start of a copy 150 and 600 us. Tables 2
 * and 3: in an iteration full copying moves the matrix (2048 x 2048 floats) and three vectors of
 * 2048 floats up and down again. That takes 8 commands:
 *
 *     2 * (2048 * 2048 + 3 * 2048) * 4 B = 33.604 MB
 *
 * It spends 18097 us (C2050) and 17549 us (HD5830) from the start to the end of copies on the
 * device. That leaves the starting out, which the tables have under overhead: 1447 us, against
 * 8 * 150 + 55 = 1255; 4330 us, against 8 * 600 + 100 = 4900. So
 *
 *     C2050:  33.604 MB / 18097 us = 1857 MB/s
 *     HD5830: 33.604 MB / 17549 us = 1915 MB/s
 *
 * The tables do not tell the two directions apart; both get this rate. The kernel itself takes 998
 * and 1321 us: that is the caller's argument of fake_launch.
 */
const struct fake_costs fake_free = {0};
const struct fake_costs fake_c2050 = {55, 150, 1857, 1857};
const struct fake_costs fake_hd5830 = {100, 600, 1915, 1915};

enum {
    GUARD_BYTES = 64,
    GUARD_PATTERN = 0xA7,
    FRESH_PATTERN = 0xB5,
    MAPPED_BYTES = 256 << 10, /* from here on a buffer is a mapping between unreadable pages */
    FAULT_KINDS = 3,
};

/* A buffer's handle is its header's address with this bit set: no address at all, so a library that
 * follows it by mistake stops. */
static const uintptr_t handle_bit = (uintptr_t)1 << 62;

struct fake_buffer {
    struct fake *fake;
    bool is_alive;
    unsigned char *data;
    size_t bytes;
    void *memory;        /* what holds the data and its guards */
    size_t mapped_bytes; /* 0: memory is malloc'ed */
    struct fake_buffer *next_made;
};

struct job {
    void (*kernel)(void *argument);
    void *argument;
    double cost_seconds;
    double given_at;
    unsigned long long ticket;
    struct job *next;
};

struct fake {
    struct gpuvm_device device;
    struct gpuvm_device_ops operations;
    struct fake_options options;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards all below */
    pthread_cond_t given;  /* a kernel, or the end: the thread of kernels waits for it */
    pthread_cond_t over;   /* a command: its successor may wait for it */
    unsigned long long issued, served; /* tickets */
    struct job *first_job;             /* the queue of kernels */
    bool is_closing;
    double free_at;                              /* when the last command was over */
    unsigned long long until_fault[FAULT_KINDS]; /* 0: none; n: the n-th from now */
    double slow_read_us;
    struct fake_totals totals;
    struct fake_buffer *made; /* all headers, the released too: they tell a use after release */
};

/* A test that breaks the fake's rules, or a library that does, has no way to go on. */
static void stop(const char *what)
{
    fprintf(stderr, "fake device: %s\n", what);
    abort();
}

/* ---- Time ---- */

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void spin_until(double end)
{
    while (now_seconds() < end)
        ;
}

/* ---- The queue ---- */

/* Waits until every ticket before this one is served. The mutex is held. */
static void wait_for_turn(struct fake *fake, unsigned long long ticket)
{
    while (fake->served < ticket)
        pthread_cond_wait(&fake->over, &fake->mutex);
}

/* Ends the command whose turn it is. The mutex is held. */
static void end_turn(struct fake *fake)
{
    fake->free_at = now_seconds();
    fake->served++;
    pthread_cond_broadcast(&fake->over);
}

/* The next kernel when its turn has come; NULL: the device closes. The mutex is held. */
static struct job *next_job(struct fake *fake)
{
    while (fake->first_job == NULL && !fake->is_closing)
        pthread_cond_wait(&fake->given, &fake->mutex);
    struct job *job = fake->first_job;
    if (job != NULL) {
        fake->first_job = job->next;
        wait_for_turn(fake, job->ticket);
    }
    return job;
}

static void *run_kernels(void *argument)
{
    struct fake *fake = argument;
    pthread_mutex_lock(&fake->mutex);
    for (struct job *job; (job = next_job(fake)) != NULL; free(job)) {
        /* From when it could start, so that the time to wake this thread is not paid on top. */
        double start = job->given_at > fake->free_at ? job->given_at : fake->free_at;
        pthread_mutex_unlock(&fake->mutex);
        job->kernel(job->argument);
        if (job->cost_seconds > 0)
            spin_until(start + job->cost_seconds);
        pthread_mutex_lock(&fake->mutex);
        fake->totals.kernels++;
        fake->totals.kernel_seconds += now_seconds() - start;
        end_turn(fake);
    }
    pthread_mutex_unlock(&fake->mutex);
    return NULL;
}

void fake_launch(struct fake *fake, void (*kernel)(void *argument), void *argument,
                 double microseconds)
{
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        stop("out of memory");
    double cost_us = fake->options.costs.kernel_launch_us + microseconds;
    *job = (struct job){.kernel = kernel, .argument = argument, .cost_seconds = cost_us * 1e-6};
    pthread_mutex_lock(&fake->mutex);
    job->given_at = now_seconds();
    job->ticket = fake->issued++;
    struct job **end = &fake->first_job;
    while (*end != NULL)
        end = &(*end)->next;
    *end = job;
    pthread_cond_broadcast(&fake->given);
    pthread_mutex_unlock(&fake->mutex);
}

void fake_finish(struct fake *fake)
{
    pthread_mutex_lock(&fake->mutex);
    wait_for_turn(fake, fake->issued);
    pthread_mutex_unlock(&fake->mutex);
}

/* ---- Buffers ---- */

static struct fake_buffer *buffer_of(void *handle)
{
    uintptr_t bits = (uintptr_t)handle;
    if ((bits & handle_bit) == 0)
        stop("not a buffer");
    struct fake_buffer *buffer = (struct fake_buffer *)(bits & ~handle_bit);
    if (!buffer->is_alive)
        stop("a released buffer is used");
    return buffer;
}

static void check_guards(const struct fake_buffer *buffer)
{
    const unsigned char *before = buffer->data - GUARD_BYTES;
    const unsigned char *after = buffer->data + buffer->bytes;
    for (unsigned i = 0; i < GUARD_BYTES; i++) {
        if (before[i] != GUARD_PATTERN || after[i] != GUARD_PATTERN)
            stop("bytes beside a buffer were written");
    }
}

/* Finds memory for the data and its guards; large ones between two unreadable pages. */
static bool get_memory(struct fake_buffer *buffer, size_t nbytes)
{
    if (nbytes < MAPPED_BYTES) {
        size_t whole = (nbytes + 2 * GUARD_BYTES + 63) / 64 * 64;
        buffer->memory = aligned_alloc(64, whole);
        buffer->data = (unsigned char *)buffer->memory + GUARD_BYTES;
        return buffer->memory != NULL;
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t inner = page + (nbytes + GUARD_BYTES + page - 1) / page * page;
    size_t whole = inner + 2 * page;
    unsigned char *memory = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    buffer->memory = memory;
    buffer->mapped_bytes = whole;
    buffer->data = memory + 2 * page;
    return mprotect(memory + page, inner, PROT_READ | PROT_WRITE) == 0;
}

/* Whether this command is the one that was told to fail. The mutex is held. */
static bool is_to_fail(struct fake *fake, enum fake_fault what)
{
    return fake->until_fault[what] != 0 && --fake->until_fault[what] == 0;
}

/* A buffer, still without its patterns, or NULL. The mutex is held. */
static struct fake_buffer *make_buffer(struct fake *fake, size_t nbytes)
{
    size_t limit = fake->options.memory_bytes;
    bool is_full = limit != 0 && fake->totals.buffer_bytes + nbytes > limit;
    if (is_to_fail(fake, FAKE_FAIL_ALLOCATE) || is_full)
        return NULL;
    struct fake_buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL || !get_memory(buffer, nbytes))
        stop("out of memory");
    buffer->fake = fake;
    buffer->next_made = fake->made;
    fake->made = buffer;
    buffer->bytes = nbytes;
    buffer->is_alive = true;
    fake->totals.buffers++;
    fake->totals.buffer_bytes += nbytes;
    return buffer;
}

void *fake_allocate(struct fake *fake, size_t nbytes)
{
    pthread_mutex_lock(&fake->mutex);
    struct fake_buffer *buffer = make_buffer(fake, nbytes);
    pthread_mutex_unlock(&fake->mutex);
    if (buffer == NULL)
        return NULL;
    memset(buffer->data - GUARD_BYTES, GUARD_PATTERN, GUARD_BYTES);
    memset(buffer->data, FRESH_PATTERN, nbytes);
    memset(buffer->data + nbytes, GUARD_PATTERN, GUARD_BYTES);
    return (void *)((uintptr_t)buffer | handle_bit);
}

/* Commands that were given before may still use the buffer: they pass first. */
void fake_release(struct fake *fake, void *handle)
{
    struct fake_buffer *buffer = buffer_of(handle);
    if (buffer->fake != fake)
        stop("a buffer of another device is released");
    fake_finish(fake);
    check_guards(buffer);
    pthread_mutex_lock(&fake->mutex);
    fake->totals.buffers--;
    fake->totals.buffer_bytes -= buffer->bytes;
    buffer->is_alive = false;
    if (buffer->mapped_bytes == 0)
        free(buffer->memory);
    else
        munmap(buffer->memory, buffer->mapped_bytes);
    pthread_mutex_unlock(&fake->mutex);
}

void *fake_data(void *handle)
{
    return buffer_of(handle)->data;
}

static void *allocate_for_library(void *user, unsigned idev, size_t nbytes)
{
    return fake_allocate(((struct fake **)user)[idev], nbytes);
}

static void release_for_library(void *user, unsigned idev, void *devbuf)
{
    fake_release(((struct fake **)user)[idev], devbuf);
}

const struct gpuvm_allocator fake_allocator = {.allocate = allocate_for_library,
                                               .release = release_for_library};

/* ---- Transfers ---- */

/* Stops the test if the batch is wrong; the sum of its bytes. */
static size_t check_segments(struct fake *fake, const struct gpuvm_segment *segments, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gpuvm_segment *part = &segments[i];
        const struct fake_buffer *buffer = buffer_of(part->devbuf);
        if (buffer->fake != fake)
            stop("a transfer names a buffer of another device");
        if (part->offset > buffer->bytes || part->nbytes > buffer->bytes - part->offset)
            stop("a transfer reaches beyond its buffer");
        check_guards(buffer);
        total += part->nbytes;
    }
    return total;
}

/* Copies the first `limit` bytes of the batch. */
static void copy_segments(const struct gpuvm_segment *segments, size_t limit, bool is_read)
{
    for (size_t i = 0; limit > 0; i++) {
        const struct gpuvm_segment *segment = &segments[i];
        size_t part = segment->nbytes < limit ? segment->nbytes : limit;
        unsigned char *data = buffer_of(segment->devbuf)->data + segment->offset;
        if (is_read)
            memcpy(segment->host, data, part);
        else
            memcpy(data, segment->host, part);
        limit -= part;
    }
}

static double copy_cost_seconds(const struct fake_costs *costs, size_t bytes, bool is_read)
{
    double rate_mb_s = is_read ? costs->from_device_mb_s : costs->to_device_mb_s;
    double bytes_us = rate_mb_s > 0 ? (double)bytes / rate_mb_s : 0;
    return (costs->copy_launch_us + bytes_us) * 1e-6;
}

static void count_transfer(struct fake_totals *totals, size_t bytes, size_t segments, bool is_read)
{
    *(is_read ? &totals->bytes_from_device : &totals->bytes_to_device) += bytes;
    *(is_read ? &totals->segments_from_device : &totals->segments_to_device) += segments;
    *(is_read ? &totals->transfers_from_device : &totals->transfers_to_device) += 1;
}

/*
 * One batch. A command that is told to fail copies the first half before it does, as a broken
 * transfer may, and is not counted.
 */
static int transfer(struct fake *fake, const struct gpuvm_segment *segments, size_t count,
                    bool is_read)
{
    size_t bytes = check_segments(fake, segments, count);
    pthread_mutex_lock(&fake->mutex);
    wait_for_turn(fake, fake->issued++);
    bool is_failing = is_to_fail(fake, is_read ? FAKE_FAIL_READ : FAKE_FAIL_WRITE);
    double slow_us = is_read ? fake->slow_read_us : 0;
    double start = now_seconds();
    pthread_mutex_unlock(&fake->mutex);

    copy_segments(segments, is_failing ? bytes / 2 : bytes, is_read);
    if (slow_us > 0)
        usleep((useconds_t)slow_us);
    double cost_seconds = slow_us * 1e-6 + copy_cost_seconds(&fake->options.costs, bytes, is_read);
    if (cost_seconds > 0)
        spin_until(start + cost_seconds);

    pthread_mutex_lock(&fake->mutex);
    fake->totals.copy_seconds += now_seconds() - start;
    if (!is_failing)
        count_transfer(&fake->totals, bytes, count, is_read);
    end_turn(fake);
    pthread_mutex_unlock(&fake->mutex);
    return is_failing ? -1 : 0;
}

static int read_segments(void *device, const struct gpuvm_segment *segments, size_t count)
{
    return transfer(device, segments, count, true);
}

static int write_segments(void *device, const struct gpuvm_segment *segments, size_t count)
{
    return transfer(device, segments, count, false);
}

static int finish_device(void *device)
{
    fake_finish(device);
    return 0;
}

static void *reach_buffer(void *device, void *devbuf, size_t nbytes)
{
    struct fake_buffer *buffer = buffer_of(devbuf);
    if (buffer->fake != device || nbytes > buffer->bytes)
        stop("reach names a wrong buffer or length");
    return buffer->data;
}

/* ---- The device ---- */

/* It takes no signals: they are the test's. */
static bool start_thread(struct fake *fake)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&fake->thread, NULL, run_kernels, fake);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

struct fake *fake_create(const struct fake_options *options)
{
    struct fake *fake = calloc(1, sizeof *fake);
    if (fake == NULL)
        return NULL;
    fake->options = *options;
    fake->operations =
        (struct gpuvm_device_ops){.size = sizeof fake->operations,
                                  .features = options->has_svm ? GPUVM_DEVICE_SVM : 0,
                                  .read = read_segments,
                                  .write = write_segments,
                                  .finish = finish_device,
                                  .reach = options->has_reach ? reach_buffer : NULL};
    fake->device = (struct gpuvm_device){.ops = &fake->operations, .device = fake};
    pthread_mutex_init(&fake->mutex, NULL);
    pthread_cond_init(&fake->given, NULL);
    pthread_cond_init(&fake->over, NULL);
    if (!start_thread(fake)) {
        free(fake);
        return NULL;
    }
    return fake;
}

bool fake_destroy(struct fake *fake)
{
    pthread_mutex_lock(&fake->mutex);
    bool is_empty = fake->totals.buffers == 0;
    fake->is_closing = is_empty;
    pthread_cond_broadcast(&fake->given);
    pthread_mutex_unlock(&fake->mutex);
    if (!is_empty)
        return false;
    pthread_join(fake->thread, NULL);
    for (struct fake_buffer *buffer = fake->made, *next; buffer != NULL; buffer = next) {
        next = buffer->next_made;
        free(buffer);
    }
    pthread_cond_destroy(&fake->given);
    pthread_cond_destroy(&fake->over);
    pthread_mutex_destroy(&fake->mutex);
    free(fake);
    return true;
}

struct gpuvm_device *fake_device(struct fake *fake)
{
    return &fake->device;
}

void fake_inject(struct fake *fake, enum fake_fault what, unsigned after)
{
    pthread_mutex_lock(&fake->mutex);
    fake->until_fault[what] = (unsigned long long)after + 1;
    pthread_mutex_unlock(&fake->mutex);
}

void fake_slow_reads(struct fake *fake, double microseconds)
{
    pthread_mutex_lock(&fake->mutex);
    fake->slow_read_us = microseconds;
    pthread_mutex_unlock(&fake->mutex);
}

struct fake_totals fake_totals(struct fake *fake)
{
    pthread_mutex_lock(&fake->mutex);
    struct fake_totals totals = fake->totals;
    pthread_mutex_unlock(&fake->mutex);
    return totals;
}

void fake_reset_totals(struct fake *fake)
{
    pthread_mutex_lock(&fake->mutex);
    fake->totals = (struct fake_totals){.buffers = fake->totals.buffers,
                                        .buffer_bytes = fake->totals.buffer_bytes};
    pthread_mutex_unlock(&fake->mutex);
}
