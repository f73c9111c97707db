/* SPDX-License-Identifier: MIT */
/* How much moves. What gpuvm_stat counts and what the devices count is the same, always. */
#include "rig.h"

#define BIG ((size_t)(IS_SANITIZED ? 8 : 64) << 20)
#define BLOCK ((size_t)2 << 20)

static void start(struct rig *rig, const struct setting *setting)
{
    rig_start(rig, setting, 0);
    if (rig->is_svm && !rig->is_direct)
        contract_skip("on svm an array with a buffer is copied whole");
}

static struct fake_totals totals_of(const struct rig *rig)
{
    struct fake_totals sum = {0};

    for (unsigned i = 0; i < rig->devices; i++) {
        struct fake_totals totals = fake_totals(rig->fakes[i]);

        sum.bytes_to_device += totals.bytes_to_device;
        sum.bytes_from_device += totals.bytes_from_device;
        sum.transfers_to_device += totals.transfers_to_device;
        sum.transfers_from_device += totals.transfers_from_device;
    }
    return sum;
}

static void reset(struct rig *rig, struct fake_totals *before)
{
    for (unsigned i = 0; i < rig->devices; i++)
        fake_reset_totals(rig->fakes[i]);
    before->bytes_to_device = contract_stat(GPUVM_STAT_BYTES_TO_DEVICE);
    before->bytes_from_device = contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE);
    before->transfers_to_device = contract_stat(GPUVM_STAT_TRANSFERS_TO_DEVICE);
    before->transfers_from_device = contract_stat(GPUVM_STAT_TRANSFERS_FROM_DEVICE);
}

/* What gpuvm_stat counted since reset; without reach it must be what the devices counted. */
static struct fake_totals since(const struct rig *rig, const struct setting *setting,
                                const struct fake_totals *before)
{
    struct fake_totals devices = totals_of(rig), library;

    library.bytes_to_device = contract_stat(GPUVM_STAT_BYTES_TO_DEVICE) - before->bytes_to_device;
    library.bytes_from_device =
        contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE) - before->bytes_from_device;
    library.transfers_to_device =
        contract_stat(GPUVM_STAT_TRANSFERS_TO_DEVICE) - before->transfers_to_device;
    library.transfers_from_device =
        contract_stat(GPUVM_STAT_TRANSFERS_FROM_DEVICE) - before->transfers_from_device;
    if (!setting->has_reach) {
        expect_equal(library.bytes_to_device, devices.bytes_to_device);
        expect_equal(library.bytes_from_device, devices.bytes_from_device);
        expect_equal(library.transfers_to_device, devices.transfers_to_device);
        expect_equal(library.transfers_from_device, devices.transfers_from_device);
    }
    return library;
}

/* One word of 64 MB, anywhere: at most 2 MB come. */
static void test_one_word(const struct setting *setting)
{
    static const double where[] = {0.5, 0.001, 0.9999, 0.25};
    struct rig rig;
    struct array array;
    struct fake_totals before;

    start(&rig, setting);
    array_make(&array, &rig, contract_allocate(BIG), WORDS(BIG));
    for (int i = 0; i < 4; i++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        reset(&rig, &before);
        array_check_part(&array, (size_t)(where[i] * (double)array.words), 1);
        expect_at_most(since(&rig, setting, &before).bytes_from_device, BLOCK);
        expect_equal(since(&rig, setting, &before).bytes_to_device, 0);
    }
    array_end(&array);
    rig_stop(&rig);
}

/* The program finds what it has just read counted, however soon it asks. (It reads after every
 * other kernel: a page that it always reads comes before it asks.) */
static void test_counted_at_once(const struct setting *setting)
{
    size_t page_bytes = contract_page_bytes(), uncounted = 0;
    struct rig rig;
    struct array array;

    start(&rig, setting);
    array_make(&array, &rig, contract_map(page_bytes), WORDS(page_bytes));
    for (int i = 1; i <= SCALED(3000); i++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        (void)*(volatile uint32_t *)array.host;
        if (contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE) != (unsigned long long)i * page_bytes)
            uncounted++;
    }
    expect_equal(uncounted, 0);
    array_end(&array);
    rig_stop(&rig);
}

/* The host writes one word of what the device also has, and a kernel reads: at most 2 MB go. */
static void test_one_write(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    struct fake_totals before;

    start(&rig, setting);
    array_make(&array, &rig, contract_allocate(BIG), WORDS(BIG));
    array_check_device(&array, 0);
    for (int i = 0; i < 4; i++) {
        array_write(&array, array.words / 4 * (size_t)i + 100, 1);
        reset(&rig, &before);
        array_check_device(&array, 0);
        expect_at_most(since(&rig, setting, &before).bytes_to_device, BLOCK);
        expect_equal(since(&rig, setting, &before).bytes_from_device, 0);
    }
    array_end(&array);
    rig_stop(&rig);
}

/* Nothing touched: with edges, only they come; without, nothing moves. */
static void test_untouched(const struct setting *setting)
{
    enum { ROUNDS = 100 };
    size_t page_bytes = contract_page_bytes();

    for (int is_aligned = 0; is_aligned < 2; is_aligned++) {
        struct rig rig;
        struct array array;
        struct fake_totals before, moved;
        size_t nbytes = BIG / 16, edges = 0;
        char *host = contract_map(nbytes + page_bytes);

        if (!is_aligned) {
            host += 100;
            edges = page_bytes;
        }
        start(&rig, setting);
        array_make(&array, &rig, host, WORDS(nbytes));
        for (unsigned i = 0; i < rig.devices; i++)
            array_check_device(&array, i);
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        reset(&rig, &before);
        for (int round = 0; round < ROUNDS; round++)
            array_run(&array, 0, round % 4 ? GPUVM_READ_WRITE : GPUVM_READ_ONLY);
        rig_wait(&rig);
        moved = since(&rig, setting, &before);
        expect_equal(moved.bytes_to_device, 0);
        expect_at_most(moved.bytes_from_device, edges * ROUNDS * 3 / 4);
        expect_at_most(moved.transfers_from_device,
                       is_aligned ? 0 : ROUNDS * 3 / 4 * (setting->has_reach ? 2 : 1));
        expect_equal(contract_stat(GPUVM_STAT_PAGEFAULTS), 0);
        array_end(&array);
        rig_stop(&rig);
    }
}

/* READ_ONLY uses bring nothing back; WRITE_ONLY uses send nothing. */
static void test_directions(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    struct fake_totals before, moved;

    start(&rig, setting);
    array_make(&array, &rig, contract_map(BIG / 16), WORDS(BIG / 16));
    reset(&rig, &before);
    array_run(&array, 0, GPUVM_WRITE_ONLY);
    rig_wait(&rig);
    moved = since(&rig, setting, &before);
    expect_equal(moved.bytes_to_device + moved.bytes_from_device, 0);
    array_check(&array);
    for (unsigned i = 0; i < rig.devices; i++)
        array_check_device(&array, i);
    reset(&rig, &before);
    for (int round = 0; round < 20; round++)
        for (unsigned i = 0; i < rig.devices; i++) {
            array_check(&array);
            array_check_device(&array, i);
        }
    moved = since(&rig, setting, &before);
    expect_equal(moved.bytes_to_device + moved.bytes_from_device, 0);
    array_end(&array);
    rig_stop(&rig);
}

/* Edges of all arrays of one kernel travel in one transfer. */
static void test_batches(const struct setting *setting)
{
    enum { COUNT = 8, ROUNDS = 10 };
    struct array arrays[COUNT];
    void *hosts[COUNT];
    int flags[COUNT];
    struct rig rig;
    struct fake_totals before, moved;

    start(&rig, setting);
    for (int i = 0; i < COUNT; i++) {
        array_make(&arrays[i], &rig, (char *)contract_allocate(9000) + 20, 2048);
        hosts[i] = arrays[i].host;
        flags[i] = GPUVM_READ_WRITE;
        array_check_device(&arrays[i], 0);
    }
    reset(&rig, &before);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++)
            array_write(&arrays[i], 100, 3);
        expect_equal(gpuvm_kernel_begin_many(COUNT, hosts, 0, flags), 0);
        for (int i = 0; i < COUNT; i++)
            array_launch(&arrays[i], 0, GPUVM_READ_WRITE);
        expect_equal(gpuvm_kernel_end_many(COUNT, hosts, 0), 0);
        for (int i = 0; i < COUNT; i++)
            array_check(&arrays[i]);
    }
    moved = since(&rig, setting, &before);
    if (!setting->has_reach) {
        expect_at_most(moved.transfers_to_device, ROUNDS);
        expect_at_most(moved.transfers_from_device, ROUNDS);
    }
    expect_at_most(moved.bytes_to_device, ROUNDS * COUNT * 8192);
    expect_at_most(moved.bytes_from_device, ROUNDS * COUNT * 8192);
    for (int i = 0; i < COUNT; i++)
        array_end(&arrays[i]);
    rig_stop(&rig);
}

/* Whatever happens, the counts agree. */
static void test_counts_agree(const struct setting *setting)
{
    uint64_t state = 20110301;
    struct rig rig;
    struct array arrays[3];
    struct fake_totals before;

    start(&rig, setting);
    array_make(&arrays[0], &rig, contract_map(BIG / 16), WORDS(BIG / 16));
    array_make(&arrays[1], &rig, contract_allocate(BIG / 64), WORDS(BIG / 64));
    array_make(&arrays[2], &rig, contract_allocate(30000), 7500);
    reset(&rig, &before);
    for (int round = 0; round < SCALED(300); round++) {
        struct array *array = &arrays[rig_random(&state) % 3];
        unsigned device = rig_random(&state) % rig.devices;
        size_t first = rig_random(&state) % array->words;
        size_t count = rig_random(&state) % (array->words - first) / (1 + rig_random(&state) % 50);

        switch (rig_random(&state) % 6) {
        case 0:
            array_write(array, first, count);
            break;
        case 1:
            array_check_part(array, first, count);
            break;
        case 2:
            array_check_device(array, device);
            break;
        case 3:
            array_run(array, device, GPUVM_WRITE_ONLY);
            break;
        default:
            array_run(array, device, GPUVM_READ_WRITE);
        }
        since(&rig, setting, &before);
    }
    for (int i = 0; i < 3; i++)
        array_end(&arrays[i]);
    since(&rig, setting, &before);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"counted_at_once", test_counted_at_once, ON_ANY_ONE},
    {"one_word", test_one_word, ON_ONE | ON_TWO_REACH},
    {"one_write", test_one_write, ON_ONE | ON_ONE_REACH},
    {"untouched", test_untouched, ON_ALL},
    {"directions", test_directions, ON_ALL},
    {"batches", test_batches, ON_ALL},
    {"counts_agree", test_counts_agree, ON_ALL},
};

CONTRACT_MAIN(tests)
