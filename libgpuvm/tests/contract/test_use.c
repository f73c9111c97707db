/* SPDX-License-Identifier: MIT */
/* What the calls do when they are used as they should be: where the data are after them. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGES 64

static size_t page_words(void)
{
    return contract_page_bytes() / sizeof(uint32_t);
}

/* Arrays of each kind: of whole pages, with edges, all edge. */
static bool is_unwatched(const struct rig *rig)
{
    return rig->is_svm || contract_is_rung("eager");
}

static void make_three(struct array *arrays, struct rig *rig)
{
    char *map = contract_map((size_t)PAGES * 4 * contract_page_bytes());

    array_make(&arrays[0], rig, map, PAGES * page_words());
    array_make(&arrays[1], rig, map + (PAGES + 1) * contract_page_bytes() + 52,
               PAGES * page_words() - 100);
    array_make(&arrays[2], rig, map + (2 * PAGES + 2) * contract_page_bytes() + 8, 999);
}

static void end_three(struct array *arrays)
{
    for (int i = 0; i < 3; i++)
        array_end(&arrays[i]);
}

/* The host's and devices' uses in turn, everywhere and in parts. */
static void test_turns(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];

    rig_start(&rig, setting, 0);
    make_three(arrays, &rig);
    for (unsigned round = 0; round < 12; round++)
        for (int i = 0; i < 3; i++) {
            struct array *array = &arrays[i];
            size_t words = array->words;
            unsigned device = round % rig.devices;

            array_run(array, device, GPUVM_READ_WRITE);
            if (round & 1)
                array_check_part(array, words / 3, words / 5);
            array_check_device(array, rig.devices - 1);
            array_write(array, words / 2 + round, round * 7);
            if (round & 2)
                array_write(array, 0, words);
            array_check_device(array, device);
            array_run(array, device, GPUVM_WRITE_ONLY);
            array_run(array, rig.devices - 1 - device, GPUVM_READ_WRITE);
            array_write(array, 0, 1);
            array_write(array, words - 1, 1);
            if (round & 4)
                array_check(array);
        }
    end_three(arrays);
    rig_stop(&rig);
}

static void test_interior_pointers(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];

    rig_start(&rig, setting, 0);
    make_three(arrays, &rig);
    for (int i = 0; i < 3; i++) {
        struct array *array = &arrays[i];
        char *last = (char *)(array->host + array->words) - 1;
        struct gpuvm_array_info info;

        expect_equal(gpuvm_kernel_begin(last, 0, GPUVM_READ_WRITE), 0);
        array_launch(array, 0, GPUVM_READ_WRITE);
        expect_equal(gpuvm_kernel_end((char *)array->host + 1, 0), 0);
        expect_equal(gpuvm_array_info(last, &info), 0);
        expect(info.host == array->host);
        array_check(array);
    }
    end_three(arrays);
    rig_stop(&rig);
}

/* The last end counts, with the union of the flags. */
static void test_nested(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];

    rig_start(&rig, setting, 0);
    make_three(arrays, &rig);
    for (int i = 0; i < 3; i++) {
        struct array *array = &arrays[i];

        expect_equal(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_ONLY), 0);
        array_launch(array, 0, GPUVM_READ_ONLY);
        expect_equal(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_WRITE), 0);
        array_launch(array, 0, GPUVM_READ_WRITE);
        expect_equal(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_ONLY), 0);
        expect_equal(gpuvm_kernel_end(array->host, 0), 0);
        expect_equal(gpuvm_kernel_end(array->host, 0), 0);
        expect_equal(gpuvm_unlink(array->host, 0), GPUVM_ESTATE); /* still in use */
        array_launch(array, 0, GPUVM_READ_WRITE);
        expect_equal(gpuvm_kernel_end(array->host, 0), 0);
        expect_equal(gpuvm_kernel_end(array->host, 0), GPUVM_ESTATE);
        array_check(array);
    }
    end_three(arrays);
    rig_stop(&rig);
}

static void test_two_devices(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];

    rig_start(&rig, setting, 0);
    make_three(arrays, &rig);
    for (int i = 0; i < 3; i++) {
        void *host = arrays[i].host;

        array_run(&arrays[i], 1, GPUVM_READ_WRITE);
        expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_READ_ONLY), 0);
        expect_equal(gpuvm_kernel_begin(host, 1, GPUVM_READ_ONLY), 0);
        array_launch(&arrays[i], 0, GPUVM_READ_ONLY);
        array_launch(&arrays[i], 1, GPUVM_READ_ONLY);
        expect_equal(gpuvm_kernel_begin(host, 1, GPUVM_READ_WRITE), GPUVM_ESTATE);
        expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_WRITE_ONLY), GPUVM_ESTATE);
        expect_equal(gpuvm_kernel_end(host, 0), 0);
        expect_equal(gpuvm_kernel_end(host, 0), GPUVM_ESTATE);
        rig_wait(&rig);
        expect_equal(gpuvm_kernel_begin(host, 1, GPUVM_READ_WRITE), 0);
        array_launch(&arrays[i], 1, GPUVM_READ_WRITE);
        expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_READ_ONLY), GPUVM_ESTATE);
        expect_equal(gpuvm_kernel_end(host, 1), 0);
        expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_READ_ONLY), GPUVM_ESTATE);
        expect_equal(gpuvm_kernel_end(host, 1), 0);
        array_check_device(&arrays[i], 0);
    }
    end_three(arrays);
    rig_stop(&rig);
}

/* The last link to go is the one that has the data. */
static void test_unlink_order(const struct setting *setting)
{
    for (unsigned first = 0; first < 2; first++) {
        struct rig rig;
        struct array arrays[3];

        rig_start(&rig, setting, 0);
        make_three(arrays, &rig);
        for (int i = 0; i < 3; i++) {
            array_run(&arrays[i], first, GPUVM_READ_WRITE);
            expect_equal(gpuvm_unlink(arrays[i].host, first), 0);
            expect_equal(gpuvm_unlink(arrays[i].host, first), 0);
            array_check_device(&arrays[i], 1 - first);
            expect_equal(gpuvm_unlink(arrays[i].host, 1 - first), 0);
            rig_wait(&rig);
            array_check(&arrays[i]);
            array_drop(&arrays[i]);
        }
        rig_stop(&rig);
    }
}

struct filling {
    uint32_t *words;
    size_t count;
};

static void fill_kernel(void *argument)
{
    const struct filling *filling = argument;

    for (size_t i = 0; i < filling->count; i++)
        filling->words[i] = rig_mix(77, (uint32_t)i);
}

/* Data that only the device has from the start. */
static void test_on_device(const struct setting *setting)
{
    size_t words = PAGES * page_words() - 33;
    struct filling filling = {NULL, words}, model = {contract_allocate(words * 4), words};
    uint32_t *host = contract_allocate(words * 4);
    struct rig rig;
    void *buffer;

    rig_start(&rig, setting, 0);
    buffer = fake_allocate(rig.fakes[0], words * 4);
    filling.words = fake_data(buffer);
    memset(host, 0x11, words * 4);
    fake_launch(rig.fakes[0], fill_kernel, &filling, 0);
    expect_equal(gpuvm_link(host, words * 4, 0, buffer, GPUVM_ON_DEVICE), 0);
    fill_kernel(&model);
    expect_bytes(host, model.words, words * 4);
    expect_equal(gpuvm_unlink(host, 0), 0);
    expect_bytes(host, model.words, words * 4);
    memset(host, 0x22, words * 4);
    expect_equal(gpuvm_link(host, words * 4, 0, buffer, GPUVM_ON_DEVICE), 0);
    expect_equal(gpuvm_unlink(host, 0), 0); /* brings the data back unseen */
    expect_bytes(host, model.words, words * 4);
    fake_release(rig.fakes[0], buffer);
    rig_stop(&rig);
}

/* With the option, unlink moves nothing, and the memory is ordinary afterwards. */
static void test_no_sync_back(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];

    rig_start(&rig, setting, GPUVM_UNLINK_NO_SYNC_BACK);
    make_three(arrays, &rig);
    for (int i = 0; i < 3; i++) {
        size_t nbytes = arrays[i].words * 4;
        unsigned long long before;

        array_run(&arrays[i], 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        before = contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE);
        for (unsigned device = 0; device < rig.devices; device++)
            expect_equal(gpuvm_unlink(arrays[i].host, device), 0);
        expect_equal(contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE), before);
        memset(arrays[i].host, 3, nbytes);
        memset(arrays[i].model, 3, nbytes);
        expect_bytes(arrays[i].host, arrays[i].model, nbytes);
        array_drop(&arrays[i]);
    }
    rig_stop(&rig);
}

/* An explicit touch: no fault comes after it. */
static void test_host_begin(const struct setting *setting)
{
    static const int flags[] = {GPUVM_READ_ONLY, GPUVM_READ_WRITE, GPUVM_WRITE_ONLY};
    struct rig rig;
    struct array arrays[3];

    rig_start(&rig, setting, 0);
    make_three(arrays, &rig);
    for (unsigned round = 0; round < 9; round++) {
        char *start = (char *)arrays[0].host;
        size_t nbytes = (size_t)((char *)(arrays[2].host + arrays[2].words) - start);
        unsigned long long faults;

        for (int i = 0; i < 3; i++)
            array_run(&arrays[i], round % rig.devices, GPUVM_READ_WRITE);
        if (round % 2) /* several devices have it, first writes are watched */
            for (int i = 0; i < 3; i++)
                array_check_device(&arrays[i], 0);
        expect_equal(gpuvm_host_begin(start, nbytes, flags[round % 3]), 0);
        faults = contract_stat(GPUVM_STAT_PAGEFAULTS);
        for (int i = 0; i < 3; i++) {
            if (flags[round % 3] & GPUVM_WRITE_ONLY)
                array_write(&arrays[i], 0, arrays[i].words);
            array_check(&arrays[i]);
        }
        expect_equal(contract_stat(GPUVM_STAT_PAGEFAULTS), faults);
        expect_equal(gpuvm_host_end(start, nbytes), 0);
        for (int i = 0; i < 3; i++)
            array_check_device(&arrays[i], 0);
    }
    end_three(arrays);
    rig_stop(&rig);
}

/* A kernel that takes its time to look at its input, given when it was launched. */
struct late {
    uint32_t *words, *expected;
    size_t count;
};

static void late_kernel(void *argument)
{
    struct late *late = argument;

    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    contract_expect_bytes(__FILE__, __LINE__, "what a late kernel sees", late->words,
                          late->expected, late->count * 4);
}

/* After a READ_ONLY use the host may write at once, and begin anew; the kernel before may still be
 * reading. */
static void test_late_reader(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];
    struct late lates[4];

    rig_start(&rig, setting, 0);
    make_three(arrays, &rig);
    for (int i = 0; i < 3; i++) {
        struct array *array = &arrays[i];

        for (uint32_t round = 0; round < 4; round++) {
            struct late *late = &lates[round];

            for (size_t word = 0; word < array->words; word++)
                array->host[word] = rig_mix(round, (uint32_t)word);
            late->count = array->words;
            late->expected = contract_allocate(late->count * 4);
            memcpy(late->expected, array->host, late->count * 4);
            expect_equal(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_ONLY), 0);
            late->words = array_device_words(array, 0);
            fake_launch(rig.fakes[0], late_kernel, late, 0);
            expect_equal(gpuvm_kernel_end(array->host, 0), 0);
        }
        rig_wait(&rig);
        memcpy(array->model, array->host, array->words * 4);
        for (uint32_t round = 0; round < 4; round++)
            free(lates[round].expected);
    }
    end_three(arrays);
    rig_stop(&rig);
}

static void test_array_info(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];
    struct gpuvm_array_info info;
    char other;

    rig_start(&rig, setting, 0);
    make_three(arrays, &rig);
    expect_equal(gpuvm_array_info(arrays[0].host, NULL), GPUVM_ENULL);
    expect_equal(gpuvm_array_info(NULL, &info), GPUVM_ENULL);
    expect_equal(gpuvm_array_info(&other, &info), GPUVM_EHOSTPTR);
    for (int i = 0; i < 3; i++) {
        size_t pages = i == 0 ? PAGES : i == 1 ? PAGES - 2 : 0;

        expect_equal(gpuvm_array_info(arrays[i].host, &info), 0);
        expect(info.host == arrays[i].host && info.bytes == arrays[i].words * 4);
        expect_equal(info.links, rig.devices);
        expect_equal(info.page_bytes, contract_page_bytes());
        expect_equal(info.read_faults + info.write_faults + info.tracking_faults, 0);
        if (is_unwatched(&rig)) {
            array_run(&arrays[i], 0, GPUVM_READ_WRITE);
            continue;
        }
        expect_equal(info.pages, pages);
        expect_equal(!!info.eager, i == 2);
        expect_equal(info.host_pages, pages);
        array_run(&arrays[i], 0, GPUVM_READ_WRITE);
        expect_equal(gpuvm_array_info(arrays[i].host, &info), 0);
        expect_equal(info.host_pages, 0);
        array_check_part(&arrays[i], arrays[i].words / 2, 1);
        expect_equal(gpuvm_array_info(arrays[i].host, &info), 0);
        expect_equal(info.read_faults + info.write_faults, i == 2 ? 0 : 1);
        expect_equal(info.host_pages * info.page_bytes, info.fetched_bytes);
        expect(i == 2 || info.host_pages > 0);
        array_check(&arrays[i]);
        array_check_device(&arrays[i], 0);
        array_write(&arrays[i], arrays[i].words / 2, 1);
        expect_equal(gpuvm_array_info(arrays[i].host, &info), 0);
        expect_equal(info.host_pages, pages);
        expect_at_most(info.tracked_pages, pages);
        expect(info.bytes_to_device > 0 && info.bytes_from_device >= info.fetched_bytes);
    }
    end_three(arrays);
    rig_stop(&rig);
}

static const char *reason(void)
{
    const char *text = NULL;
    expect_equal(gpuvm_stat(GPUVM_STAT_RUNG_REASON, &text), 0);
    return text;
}

/* Each statistic has the type that gpuvm.h names, and nothing is written beyond it. */
static void test_stat(const struct setting *setting)
{
    for (int flags = 0; flags <= GPUVM_STAT; flags += GPUVM_STAT) {
        struct rig rig;
        struct array arrays[3];
        struct {
            int enabled, guard_a;
            unsigned devices, guard_b;
            double seconds;
            const char *rung;
        } got = {-1, 123, 77, 456, -1.0, NULL};

        rig_start(&rig, setting, flags);
        make_three(arrays, &rig);
        array_run(&arrays[0], 0, GPUVM_READ_WRITE);
        array_check(&arrays[0]);
        expect_equal(gpuvm_stat(GPUVM_STAT_ENABLED, &got.enabled), 0);
        expect_equal(gpuvm_stat(GPUVM_STAT_NDEVS, &got.devices), 0);
        expect_equal(got.enabled, flags == GPUVM_STAT);
        expect_equal(got.devices, rig.devices);
        expect(got.guard_a == 123 && got.guard_b == 456);
        for (int i = GPUVM_STAT_COPY_TIME; i <= GPUVM_STAT_PAGEFAULT_TIME; i++)
            if (i != GPUVM_STAT_PAGEFAULTS) {
                got.seconds = -1;
                expect_equal(gpuvm_stat(i, &got.seconds), 0);
                expect(got.seconds >= 0 && got.seconds < 60);
            }
        expect_equal(gpuvm_stat(GPUVM_STAT_RUNG, &got.rung), 0);
        expect(got.rung != NULL && (getenv("GPUVM_BACKEND") == NULL || contract_is_rung(got.rung)));
        expect(reason() != NULL);
        expect_equal(contract_stat(GPUVM_STAT_PAGEFAULTS),
                     contract_stat(GPUVM_STAT_READ_FAULTS) +
                         contract_stat(GPUVM_STAT_WRITE_FAULTS) +
                         contract_stat(GPUVM_STAT_TRACKING_FAULTS));
        expect(is_unwatched(&rig) || contract_stat(GPUVM_STAT_PAGEFAULTS) > 0);
        expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 3);
        expect(rig.is_svm || contract_stat(GPUVM_STAT_EAGER_ARRAYS) == 0);
        expect_equal(contract_stat(GPUVM_STAT_UNMAPPED_ARRAYS), 0);
        expect_equal(contract_stat(GPUVM_STAT_REPORTS), 0);
        expect_equal(gpuvm_stat(GPUVM_STAT_RUNG, NULL), GPUVM_ENULL);
        expect_equal(gpuvm_stat(0, &got), GPUVM_EARG);
        expect_equal(gpuvm_stat(GPUVM_STAT_EVICTIONS + 1, &got), GPUVM_EARG);
        end_three(arrays);
        rig_stop(&rig);
    }
}

static const struct test tests[] = {
    {"turns", test_turns, ON_ALL},
    {"interior_pointers", test_interior_pointers, ON_ALL},
    {"nested", test_nested, ON_ALL},
    {"two_devices", test_two_devices, ON_ANY_TWO},
    {"unlink_order", test_unlink_order, ON_ANY_TWO},
    {"on_device", test_on_device, ON_ALL},
    {"no_sync_back", test_no_sync_back, ON_ALL},
    {"host_begin", test_host_begin, ON_ALL},
    {"late_reader", test_late_reader, ON_ALL},
    {"array_info", test_array_info, ON_ALL},
    {"stat", test_stat, ON_ALL},
};

CONTRACT_MAIN(tests)
