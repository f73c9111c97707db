/* SPDX-License-Identifier: MIT */
/* Programs that are right only because the wavefronts of a work-group advance at one pace, and
 * work-groups that wait for others. They end, and with the same results, on both models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/kernels.h"

static const char source[] =
    "kernel void reduce_in_place(global int *out, global const int *in)\n"
    "{\n"
    "    local volatile int a[256];\n"
    "    int l = get_local_id(0);\n"
    "    a[l] = in[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int s = 128; s > 0; s >>= 1)\n" /* no barrier between the steps */
    "        if (l < s)\n"
    "            a[l] += a[l + s];\n"
    "    if (l == 0) out[get_group_id(0)] = a[0];\n"
    "}\n"
    "kernel void reduce_unrolled(global int *out, global const int *in)\n"
    "{\n"
    "    local volatile int a[256];\n"
    "    int l = get_local_id(0);\n"
    "    a[l] = in[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l < 128) a[l] += a[l + 128];\n"
    "    if (l < 64) a[l] += a[l + 64];\n"
    "    if (l < 32) {\n"
    "        a[l] += a[l + 32]; a[l] += a[l + 16]; a[l] += a[l + 8];\n"
    "        a[l] += a[l + 4]; a[l] += a[l + 2]; a[l] += a[l + 1];\n"
    "    }\n"
    "    if (l == 0) out[get_group_id(0)] = a[0];\n"
    "}\n"
    "kernel void shift_in_place(global int *out, global const int *in)\n"
    "{\n"
    "    local int a[256];\n"
    "    int l = get_local_id(0), before, after;\n"
    "    a[l] = in[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    before = a[(l + 255) % 256];\n"
    "    after = a[(l + 1) % 256];\n"
    "    a[l] = before - after;\n" /* no barrier before the store */
    "    out[get_global_id(0)] = a[l];\n"
    "}\n"
    "kernel void histogram(global int *out, global const int *in)\n"
    "{\n"
    "    local int bins[256];\n"
    "    int l = get_local_id(0);\n"
    "    bins[l] = 0;\n" /* no barrier after it */
    "    atomic_inc(&bins[in[get_global_id(0)] & 255]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = bins[l];\n"
    "}\n"
    "kernel void count_each_other(global volatile int *out)\n"
    "{\n"
    "    int groups = get_num_groups(0);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        atomic_inc(out);\n"
    "        while (atomic_add(out, 0) < groups) ;\n"
    "        out[get_group_id(0) + 1] = groups;\n"
    "    }\n"
    "}\n";

enum { GROUPS = 12, ITEMS = 256, WORDS = GROUPS * ITEMS, MEMORY_BYTES = 1 << 16 };

static struct rig rig;
static struct real_kernel kernel;
static uint64_t out, in;

static void load(const char *name)
{
    rig_init(&rig);
    rig.isa = isa_gcn(false);
    rig.unit_count = 2;
    out = rig_allocate(&rig, MEMORY_BYTES);
    in = rig_allocate(&rig, MEMORY_BYTES);
    rig_build(&rig);
    kernel_load(&kernel, &rig, source, name);
    kernel_set(&kernel, &rig, 0, out);
    if (kernel.metadata->visible_argument_count > 1)
        kernel_set(&kernel, &rig, 1, in);
    for (uint32_t i = 0; i < WORDS; i++)
        rig_words(&rig, in)[i] = i * 2654435761u >> 20;
}

static void unload(void)
{
    kernel_finish(&kernel, &rig);
    rig_finish(&rig);
}

/* What the kernel gives where each statement of it is done by all work-items before the next. */
typedef int32_t expected_word(uint32_t word);

static int32_t input(uint32_t word)
{
    return (int32_t)(word * 2654435761u >> 20);
}

static int32_t sum_of_group(uint32_t group)
{
    int32_t sum = 0;

    for (uint32_t i = 0; i < ITEMS; i++)
        sum += input(group * ITEMS + i);
    return sum;
}

static int32_t difference_of_neighbours(uint32_t word)
{
    uint32_t first = word / ITEMS * ITEMS, item = word % ITEMS;

    return input(first + (item + ITEMS - 1) % ITEMS) - input(first + (item + 1) % ITEMS);
}

static int32_t how_often(uint32_t word)
{
    uint32_t first = word / ITEMS * ITEMS;
    int32_t count = 0;

    for (uint32_t i = 0; i < ITEMS; i++)
        count += (input(first + i) & 255) == (int32_t)(word % ITEMS);
    return count;
}

static void assert_words(const char *name, const char *model, uint32_t count,
                         expected_word *expected)
{
    const int32_t *words = (const int32_t *)rig_words(&rig, out);

    for (uint32_t i = 0; i < count; i++)
        if (words[i] != expected(i))
            fail_msg("%s, %s model: word %u is %d, not %d", name, model, i, words[i], expected(i));
}

static void run_both(const char *name, uint32_t count, expected_word *expected)
{
    load(name);
    kernel_prepare(&kernel, &rig, WORDS, 1, ITEMS, 1);
    rig_run_launch(&rig);
    assert_words(name, "timed", count, expected);
    memset(rig_words(&rig, out), 0, MEMORY_BYTES);
    assert_int_equal(rig_run_functional(&rig), FUNCTIONAL_DONE);
    assert_words(name, "functional", count, expected);
    unload();
}

static void a_reduction_in_place_after_one_barrier(void **state)
{
    run_both("reduce_in_place", GROUPS, sum_of_group);
    run_both("reduce_unrolled", GROUPS, sum_of_group);
}

static void neighbours_that_are_read_before_they_are_overwritten(void **state)
{
    run_both("shift_in_place", WORDS, difference_of_neighbours);
}

static void a_histogram_zeroed_without_a_barrier(void **state)
{
    run_both("histogram", WORDS, how_often);
}

/* As many as two compute units hold: 40 work-groups of a wavefront each. The functional device had
 * a number of its own, and groups beyond it never started. */
static void as_many_groups_as_the_gpu_holds_wait_for_each_other(void **state)
{
    enum { RESIDENT = 80 };

    load("count_each_other");
    kernel_prepare(&kernel, &rig, RESIDENT * 64, 1, 64, 1);
    rig_run_launch(&rig);
    for (uint32_t i = 0; i <= RESIDENT; i++)
        assert_int_equal(rig_words(&rig, out)[i], RESIDENT);
    memset(rig_words(&rig, out), 0, MEMORY_BYTES);
    assert_int_equal(functional_run(rig.device, &rig.launch, 10000000), FUNCTIONAL_DONE);
    for (uint32_t i = 0; i <= RESIDENT; i++)
        assert_int_equal(rig_words(&rig, out)[i], RESIDENT);
    unload();
}

/* One more than fits never ends, on either model. */
static void one_group_more_than_the_gpu_holds_waits_for_ever(void **state)
{
    load("count_each_other");
    kernel_prepare(&kernel, &rig, 81 * 64, 1, 64, 1);
    assert_int_equal(functional_run(rig.device, &rig.launch, 2000000), FUNCTIONAL_LIMIT);
    assert_int_equal(rig_words(&rig, out)[0], 80);
    memset(rig_words(&rig, out), 0, MEMORY_BYTES);
    assert_int_equal(rig_try(&rig), ENGINE_LIMIT);
    assert_int_equal(rig_words(&rig, out)[0], 80);
    unload();
}

/* A barrier ends the turn of the wavefront that opens it too. Whatever the quantum, all others come
 * to the next one before it goes on. */
static void the_last_at_a_barrier_waits_for_its_next_turn(void **state)
{
    static const uint32_t quanta[] = {1, 4, 64, 1000000};

    for (unsigned i = 0; i < 4; i++) {
        load("shift_in_place");
        rig.functional.quantum = quanta[i];
        kernel_prepare(&kernel, &rig, ITEMS, 1, ITEMS, 1);
        assert_int_equal(rig_run_functional(&rig), FUNCTIONAL_DONE);
        if (quanta[i] <= 4)
            assert_words("shift_in_place", "functional", ITEMS, difference_of_neighbours);
        else /* the first wavefront has its turn first, not the one that opened the barrier */
            assert_int_equal((int32_t)rig_words(&rig, out)[0], difference_of_neighbours(0));
        unload();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reduction_in_place_after_one_barrier),
        cmocka_unit_test(neighbours_that_are_read_before_they_are_overwritten),
        cmocka_unit_test(a_histogram_zeroed_without_a_barrier),
        cmocka_unit_test(as_many_groups_as_the_gpu_holds_wait_for_each_other),
        cmocka_unit_test(one_group_more_than_the_gpu_holds_waits_for_ever),
        cmocka_unit_test(the_last_at_a_barrier_waits_for_its_next_turn),
    };

    return cmocka_run_group_tests_name("gpu/pace", tests, NULL, NULL);
}
