/* SPDX-License-Identifier: MIT */
/* One array of 64 MB: what faults, fetches, the tracking of writes and revocation cost beyond the
 * device's transfers. */
#include "faults.h"
#include "large_array.h"

#include <stdlib.h>

#define FAULTS_PER_CYCLE 64
#define BLOCKS_PER_CYCLE 8

/* G4: one fault of a page, and a block of 2 MB. */
#define ALLOWED_PAGE_US 10.0
#define ALLOWED_BLOCK_US 100.0
#define ALLOWED_WORD_BYTES (2.0 * 1048576)

static unsigned cycles(const struct bench *bench)
{
    return bench->is_quick ? 2 : 8;
}

static unsigned long long count_of(int statistic)
{
    unsigned long long count;
    gpuvm_must(gpuvm_stat(statistic, &count), "gpuvm_stat");
    return count;
}

/* Times one access, with what the device needed for it apart. */
static double timed_access(struct large_array *array, size_t page,
                           double (*access)(struct large_array *, size_t), struct samples *samples)
{
    double copied = copy_seconds(array->bench);
    double elapsed_us = access(array, page);
    double transfer_us = 1e6 * (copy_seconds(array->bench) - copied);
    samples_add(samples, elapsed_us - transfer_us, transfer_us);
    return elapsed_us;
}

/* Random pages, few enough that no neighbour is fetched along. `prepare` puts the array into the
 * state to fault from. */
static double random_accesses(struct large_array *array, const char *name,
                              void (*prepare)(struct large_array *),
                              double (*access)(struct large_array *, size_t))
{
    struct samples samples = {0};
    size_t pages[FAULTS_PER_CYCLE];
    size_t first = large_first_page(array);
    large_relink(array);
    for (unsigned cycle = 0; cycle < cycles(array->bench); cycle++) {
        prepare(array);
        large_shuffle(array, pages, FAULTS_PER_CYCLE, large_last_page(array) - first);
        for (unsigned i = 0; i < FAULTS_PER_CYCLE; i++) {
            double end = now_seconds() + 1e-6 * array->work_us;
            while (now_seconds() < end) {
            }
            timed_access(array, first + pages[i], access, &samples);
        }
    }
    double median_us = summarize(samples.values_us, samples.used).median;
    report_samples(array->bench, name, &samples);
    return median_us;
}

/* A fault is to fetch one page here, whatever the kernels before took. */
static double measure_page_fault(struct large_array *array, const char *name,
                                 double (*access)(struct large_array *, size_t))
{
    double fault_us = random_accesses(array, name, large_give_to_device, access);
    struct gpuvm_array_info info;
    gpuvm_must(gpuvm_array_info(array->host, &info), "gpuvm_array_info");
    double faults = (double)(info.read_faults + info.write_faults);
    char line[64];
    snprintf(line, sizeof(line), "%s: bytes", name);
    report_number(array->bench, line, faults > 0 ? (double)info.fetched_bytes / faults : 0, "B");
    return fault_us;
}

static void measure_faults(struct large_array *array)
{
    double read_us = measure_page_fault(array, "read fault, random page", large_read);
    double write_us = measure_page_fault(array, "write fault, random page", large_write);
    array->kernel_us = 1000;
    measure_page_fault(array, "read fault after kernels of 1 ms", large_read);
    array->kernel_us = 0;
    array->work_us = 50;
    double rare_us = random_accesses(array, "read fault, 50 us after the one before",
                                     large_give_to_device, large_read);
    array->work_us = 0;
    report_verdict(array->bench, "G4", "read fault, 1 page", read_us, ALLOWED_PAGE_US, "us");
    report_verdict(array->bench, "G4", "write fault, 1 page", write_us, ALLOWED_PAGE_US, "us");
    report_verdict(array->bench, "G4", "read fault, 50 us after another", rare_us, ALLOWED_PAGE_US,
                   "us");
    /* Machines differ in what it takes to wake a processor, and from minute to minute. */
    if (array->bench->floor_us > 0) {
        report_number(array->bench, "read fault over the kernel alone",
                      read_us / array->bench->floor_us, "times");
    }
    random_accesses(array, "first write, random page", large_share, large_write);
}

/* All pages in order. Accesses that took a fault are told by what was fetched. */
static double sweep(struct large_array *array, struct samples *blocks, unsigned long long *faults)
{
    double sum_us = 0;
    double copied_all = copy_seconds(array->bench);
    *faults = count_of(GPUVM_STAT_PAGEFAULTS);
    for (size_t page = large_first_page(array); page < large_last_page(array); page++) {
        unsigned long long bytes = count_of(GPUVM_STAT_BYTES_FROM_DEVICE);
        double copied = copy_seconds(array->bench);
        double elapsed_us = large_read(array, page);
        double transfer_us = 1e6 * (copy_seconds(array->bench) - copied);
        sum_us += elapsed_us;
        if (count_of(GPUVM_STAT_BYTES_FROM_DEVICE) - bytes == LARGE_BLOCK_BYTES) {
            samples_add(blocks, elapsed_us - transfer_us, transfer_us);
        }
    }
    *faults = count_of(GPUVM_STAT_PAGEFAULTS) - *faults;
    return sum_us - 1e6 * (copy_seconds(array->bench) - copied_all);
}

/* A sweep after a fresh link, and one that the library has learnt to expect. */
static void measure_sweeps(struct large_array *array)
{
    struct samples fresh = {0};
    struct samples learnt = {0};
    struct samples blocks = {0};
    unsigned long long fresh_faults = 0;
    unsigned long long learnt_faults = 0;
    for (unsigned cycle = 0; cycle < cycles(array->bench) / 2; cycle++) {
        large_relink(array);
        large_give_to_device(array);
        double copied = copy_seconds(array->bench);
        double beyond_us = sweep(array, &blocks, &fresh_faults);
        samples_add(&fresh, beyond_us, 1e6 * (copy_seconds(array->bench) - copied));
    }
    for (unsigned cycle = 0; cycle < cycles(array->bench); cycle++) {
        struct samples ignored = {0};
        double copied = copy_seconds(array->bench);
        double start = now_seconds();
        large_give_to_device(array);
        double given_us = 1e6 * (now_seconds() - start - (copy_seconds(array->bench) - copied));
        double beyond_us = sweep(array, &ignored, &learnt_faults);
        samples_free(&ignored);
        if (cycle >= cycles(array->bench) / 2) {
            samples_add(&learnt, given_us + beyond_us, 1e6 * (copy_seconds(array->bench) - copied));
        }
    }
    report_samples(array->bench, "sweep of 64 MB, fresh", &fresh);
    report_number(array->bench, "sweep, fresh: faults", (double)fresh_faults, "");
    report_samples(array->bench, "kernel and sweep, learnt", &learnt);
    report_number(array->bench, "sweep, learnt: faults", (double)learnt_faults, "");
    double block_us = summarize(blocks.values_us, blocks.used).median;
    bool has_blocks = blocks.used > 0;
    report_samples(array->bench, "fault that fetches 2 MB", &blocks);
    if (has_blocks) {
        report_verdict(array->bench, "G4", "fault that fetches 2 MB", block_us, ALLOWED_BLOCK_US,
                       "us");
    }
}

/* Fetches a block by gpuvm_host_begin, or by touching its pages in order. */
static void fetch_block(struct large_array *array, size_t block, bool is_explicit,
                        struct samples *samples)
{
    size_t first = large_block_page(array, block);
    size_t count = LARGE_BLOCK_BYTES / array->page_bytes;
    unsigned char *address = array->host + first * array->page_bytes;
    address -= (uintptr_t)address % array->page_bytes;
    double touched_us = 0;
    double copied = copy_seconds(array->bench);
    double start = now_seconds();
    if (is_explicit) {
        gpuvm_must(gpuvm_host_begin(address, LARGE_BLOCK_BYTES, GPUVM_READ_ONLY),
                   "gpuvm_host_begin");
        touched_us = 1e6 * (now_seconds() - start);
    }
    for (size_t page = first; page < first + count; page++) {
        double access_us = large_read(array, page);
        touched_us += is_explicit ? 0 : access_us;
    }
    double transfer_us = 1e6 * (copy_seconds(array->bench) - copied);
    samples_add(samples, touched_us - transfer_us, transfer_us);
    if (is_explicit) {
        gpuvm_must(gpuvm_host_end(address, LARGE_BLOCK_BYTES), "gpuvm_host_end");
    }
}

static void measure_blocks(struct large_array *array)
{
    struct samples explicit_fetch = {0};
    struct samples touched = {0};
    size_t blocks[BLOCKS_PER_CYCLE];
    for (unsigned cycle = 0; cycle < cycles(array->bench); cycle++) {
        bool is_explicit = cycle % 2 == 0;
        large_relink(array);
        large_give_to_device(array);
        large_shuffle(array, blocks, BLOCKS_PER_CYCLE, large_blocks(array));
        for (unsigned i = 0; i < BLOCKS_PER_CYCLE; i++) {
            fetch_block(array, blocks[i], is_explicit, is_explicit ? &explicit_fetch : &touched);
        }
    }
    double explicit_us = summarize(explicit_fetch.values_us, explicit_fetch.used).median;
    report_samples(array->bench, "host_begin of a random 2 MB", &explicit_fetch);
    report_samples(array->bench, "random 2 MB, page by page", &touched);
    report_verdict(array->bench, "G4", "host_begin of a random 2 MB", explicit_us, ALLOWED_BLOCK_US,
                   "us");
}

static double timed_call(struct large_array *array, bool is_begin, int flags,
                         struct samples *samples)
{
    double copied = copy_seconds(array->bench);
    double start = now_seconds();
    if (is_begin) {
        gpuvm_must(gpuvm_kernel_begin(array->host, 0, flags), "gpuvm_kernel_begin");
    } else {
        gpuvm_must(gpuvm_kernel_end(array->host, 0), "gpuvm_kernel_end");
    }
    double elapsed_us = 1e6 * (now_seconds() - start);
    double transfer_us = 1e6 * (copy_seconds(array->bench) - copied);
    samples_add(samples, elapsed_us - transfer_us, transfer_us);
    return elapsed_us;
}

/* Calls on an array that both sides have and that neither has written since; revoked for the first
 * time, and later. */
static void measure_calls(struct large_array *array)
{
    struct samples read_only = {0};
    struct samples begin = {0};
    struct samples revoke[2] = {{0}, {0}};
    struct samples owned = {0};
    for (unsigned cycle = 0; cycle < cycles(array->bench); cycle++) {
        if (cycle % 2 == 0) {
            large_relink(array);
        } else {
            gpuvm_must(gpuvm_host_begin(array->host, LARGE_BYTES, GPUVM_READ_ONLY),
                       "gpuvm_host_begin");
            gpuvm_must(gpuvm_host_end(array->host, LARGE_BYTES), "gpuvm_host_end");
        }
        large_share(array);
        timed_call(array, true, GPUVM_READ_ONLY, &read_only);
        gpuvm_must(gpuvm_kernel_end(array->host, 0), "gpuvm_kernel_end");
        timed_call(array, true, GPUVM_READ_WRITE, &begin);
        timed_call(array, false, 0, &revoke[cycle % 2]);
        timed_call(array, true, GPUVM_READ_WRITE, &owned);
        timed_call(array, false, 0, &owned);
    }
    report_samples(array->bench, "begin, READ_ONLY, 64 MB clean", &read_only);
    report_samples(array->bench, "begin, READ_WRITE, 64 MB clean", &begin);
    report_samples(array->bench, "end that revokes 64 MB, first", &revoke[0]);
    report_samples(array->bench, "end that revokes 64 MB, again", &revoke[1]);
    report_samples(array->bench, "begin or end, device-owned 64 MB", &owned);
}

/* Every page written while both sides had it, and the begin that finds this out; the second time it
 * is expected. */
static void measure_dense_writes(struct large_array *array)
{
    static const char *const names[] = {"first writes to all pages, fresh",
                                        "first writes to all pages, learnt"};
    static const char *const begins[] = {"begin after these, fresh", "begin after these, learnt"};
    large_relink(array);
    large_share(array);
    for (unsigned turn = 0; turn < 2; turn++) {
        struct samples writes = {0};
        struct samples begin = {0};
        for (unsigned cycle = 0; cycle < (turn ? cycles(array->bench) : 1); cycle++) {
            double sum_us = 0;
            for (size_t page = large_first_page(array); page < large_last_page(array); page++) {
                sum_us += large_write(array, page);
            }
            samples_add(&writes, sum_us, 0);
            timed_call(array, true, GPUVM_READ_ONLY, &begin);
            gpuvm_must(gpuvm_kernel_end(array->host, 0), "gpuvm_kernel_end");
        }
        report_samples(array->bench, names[turn], &writes);
        report_samples(array->bench, begins[turn], &begin);
    }
}

/* One word of 64 MB that only the device has. */
static void measure_word(struct large_array *array)
{
    large_relink(array);
    large_give_to_device(array);
    unsigned long long bytes = count_of(GPUVM_STAT_BYTES_FROM_DEVICE);
    large_read(array, array->pages / 2);
    bytes = count_of(GPUVM_STAT_BYTES_FROM_DEVICE) - bytes;
    report_verdict(array->bench, "bytes", "read of one word of 64 MB", (double)bytes,
                   ALLOWED_WORD_BYTES, "B");
}

void measure_pages(struct bench *bench)
{
    struct large_array array;
    large_open(&array, bench);
    measure_word(&array);
    measure_faults(&array);
    measure_sweeps(&array);
    measure_blocks(&array);
    measure_calls(&array);
    measure_dense_writes(&array);
    report_number(bench, "longest service of a fault",
                  1e-3 * (double)count_of(GPUVM_STAT_LONGEST_FAULT_NS), "us");
    large_close(&array);
}
