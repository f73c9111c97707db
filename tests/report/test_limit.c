/* SPDX-License-Identifier: MIT */
/* Which part is named for which statistics: report/limit.h with a few values, all others 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/limit.h"

struct value {
    const char *name;
    double value;
};

/* Two compute units of four SIMDs, four channels, for 1,000 cycles, with 8 wavefronts each. */
static const struct value machine[] = {
    {"kernel.cycles", 1000},
    {"cu.wavefronts.count", 2000},
    {"cu.wavefronts.sum", 16000},
    {"cu.busy_cycles", 2000},
    {"set.cu.simds", 4},
    {"set.gpu.compute_units", 2},
    {"set.address.slices", 2},
    {"set.address.channels_per_slice", 2},
    {"set.l1.ports", 4},
    {"set.l2.ports", 2},
    {"set.cu.vmem_issue_cycles", 50},
    {"set.cu.lds_latency_cycles", 30},
    {"set.dram.request_cycles", 50},
    {"set.dram.reply_cycles", 50},
    {"set.dram.tcl", 20},
    {"set.dram.trcdr", 20},
    {"set.dram.burst_cycles", 2},
    {"set.cu.fetch_request_cycles", 1},
    {"set.instruction.reply_cycles", 12},
    {"set.scalar.reply_cycles", 16},
    {"dram.read_queue.count", 4000},
    {"dispatcher.busy_cycles", 1000},
    {"set.dispatcher.shader_engines", 1},
    {"cu.instructions_vmem", 100},
    {"cu.address_cycles", 400},
    {"cu.load_stack.instructions", 100},
};

static struct value chosen[24];

static bool find(const struct value *values, size_t count, const char *name, double *value)
{
    for (size_t i = 0; i < count && values[i].name != NULL; i++)
        if (strcmp(values[i].name, name) == 0) {
            *value = values[i].value;
            return true;
        }
    return false;
}

static bool value_of(const struct formula_names *names, const char *name, double *value)
{
    (void)names;
    if (!find(chosen, sizeof chosen / sizeof chosen[0], name, value) &&
        !find(machine, sizeof machine / sizeof machine[0], name, value))
        *value = 0;
    return true;
}

/* With these values beside the machine's; NULL name at their end. */
static struct limits estimate(const struct value *values)
{
    static const struct formula_names names = {.value = value_of};
    struct limits limits;

    memset(chosen, 0, sizeof chosen);
    for (size_t i = 0; values[i].name != NULL; i++)
        chosen[i] = values[i];
    limits_estimate(&limits, &names);
    return limits;
}

static const char *name_of(const struct limits *limits)
{
    enum limit_name name = limits_choose(limits);

    return name == LIMIT_NOTHING ? "none" : limit_descriptions[name].name;
}

static void assert_limit(const struct value *values, const char *name)
{
    struct limits limits = estimate(values);

    assert_string_equal(name_of(&limits), name);
}

#define END                                                                                        \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

static void wavefronts_that_execute_name_issue(void **state)
{
    (void)state;
    assert_limit((struct value[]){{"cu.wavefront_time.go", 16000}, {"cu.valu_cycles", 7000}, END},
                 "issue");
}

/* What a wavefront does while its load is on its way makes nothing later. */
static void work_in_the_shadow_of_a_load_is_no_time(void **state)
{
    struct value values[] = {{"cu.wavefront_time.go", 9000},  {"cu.wavefront_time.vm", 7000},
                             {"cu.load_stack.return", 60000}, {"cu.load_stack.cycles", 60000},
                             {"cu.hidden_vmem_cycles", 0},    END};

    (void)state;
    assert_limit(values, "issue");
    assert_true(estimate(values).time[LIMIT_ISSUE] > 0.5);
    values[4].value = 6000;
    assert_limit(values, "latency");
    assert_true(estimate(values).time[LIMIT_ISSUE] < 0.25);
}

/* An L1 without a free MSHR waits for what its misses wait for. */
static void a_full_mshr_file_is_followed_to_what_is_behind_it(void **state)
{
    struct value values[] = {{"cu.wavefront_time.vm", 16000},     {"cu.load_stack.l1_mshr", 50000},
                             {"cu.load_stack.dram_queue", 40000}, {"cu.load_stack.dram", 2000},
                             {"cu.load_stack.return", 2000},      {"dram.waiting_cycles", 3600},
                             {"cu.load_stack.cycles", 94000},     END};

    (void)state;
    assert_limit(values, "dram");
    values[2].value = 0; /* nothing queues behind them: entries and latency set the pace */
    values[4].value = 40000;
    values[5].value = 0;
    assert_true(limits_gain(&(struct limits[]){estimate(values)}[0], LIMIT_L1_MSHR) > 0.3);
    assert_limit(values, "latency");
}

/* Requests in front of the network wait for L2 where its far end has no room, and L2 for memory. */
static void the_network_is_followed_to_memory(void **state)
{
    struct value values[] = {{"cu.wavefront_time.vm", 16000},
                             {"cu.load_stack.network_queue", 60000},
                             {"cu.load_stack.l2_mshr", 9000},
                             {"cu.load_stack.dram_queue", 9000},
                             {"crossbar.requests.stall_room_cycles", 5000},
                             {"crossbar.requests.stall_link_cycles", 0},
                             {"crossbar.requests.link_busy_cycles", 1900},
                             {"crossbar.requests.messages", 950},
                             {"cu.load_stack.cycles", 78000},
                             END};

    (void)state;
    assert_limit(values, "dram");
    values[4].value = 0;
    values[5].value = 5000;
    assert_limit(values, "crossbar");
    values[7].value = 1900; /* each message takes one cycle however wide the link is */
    assert_limit(values, "none");
}

/* Twice the banks do not help while the vector ALUs have no time to spare. */
static void another_busy_part_bounds_the_gain(void **state)
{
    struct value values[] = {{"cu.wavefront_time.lds", 16000},
                             {"cu.lds_latency.count", 100},
                             {"cu.lds_latency.sum", 30000},
                             {"cu.lds_cycles", 1900},
                             {"cu.valu_cycles", 0},
                             END};

    (void)state;
    assert_limit(values, "lds");
    values[4].value = 7800;
    assert_limit(values, "none");
}

static void kernels_add_up_by_their_cycles(void **state)
{
    struct limits sum = {0}, first, second;

    (void)state;
    first =
        estimate((struct value[]){{"cu.wavefront_time.go", 16000}, {"cu.valu_cycles", 7000}, END});
    second = estimate((struct value[]){{"cu.wavefront_time.vm", 16000},
                                       {"cu.load_stack.return", 60000},
                                       {"cu.load_stack.cycles", 60000},
                                       {"kernel.cycles", 3000},
                                       END});
    limits_add(&sum, &first);
    assert_string_equal(name_of(&sum), "issue");
    limits_add(&sum, &second);
    assert_string_equal(name_of(&sum), "latency");
    assert_true(sum.cycles == 4000);
    assert_true(limits_gain(&sum, LIMIT_LATENCY) < limits_gain(&second, LIMIT_LATENCY));
}

/* Nothing ran: nothing is divided by nothing. */
static void no_statistics_have_no_limit(void **state)
{
    (void)state;
    assert_limit(
        (struct value[]){
            {"kernel.cycles", 0}, {"cu.wavefronts.count", 0}, {"cu.wavefronts.sum", 0}, END},
        "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wavefronts_that_execute_name_issue),
        cmocka_unit_test(work_in_the_shadow_of_a_load_is_no_time),
        cmocka_unit_test(a_full_mshr_file_is_followed_to_what_is_behind_it),
        cmocka_unit_test(the_network_is_followed_to_memory),
        cmocka_unit_test(another_busy_part_bounds_the_gain),
        cmocka_unit_test(kernels_add_up_by_their_cycles),
        cmocka_unit_test(no_statistics_have_no_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
