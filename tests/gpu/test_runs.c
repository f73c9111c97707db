/* SPDX-License-Identifier: MIT */
/* Runs of lanes: whose accesses to one line are one access (cu.coalesced_lanes). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/rig.h"

static struct rig rig;
static struct tape tape;

/* Accesses of a load of 64 lanes that lie `stride` bytes apart; all leave in one cycle. */
static uint32_t accesses_of(uint64_t lanes, uint64_t stride)
{
    uint64_t buffer;
    uint32_t count;

    rig_init(&rig);
    rig.parameters.coalesced_lanes = lanes;
    rig.parameters.load_linear_cycles = rig.parameters.load_cycles = 1;
    rig.parameters.vmem_requests_per_cycle = 64;
    buffer = rig_allocate(&rig, 1 << 20);
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, stride);
    tape_load(&tape, 1, 0, buffer, 4);
    tape_wait(&tape, 0, 7, 15);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    count = rig_count_messages(&rig, MESSAGE_LOAD);
    rig_finish(&rig);
    return count;
}

static void lanes_of_a_run_share_accesses(void **state)
{
    (void)state;
    for (uint64_t lanes = 16; lanes <= 64; lanes *= 2) {
        assert_int_equal(accesses_of(lanes, 0), 64 / lanes);
        assert_int_equal(accesses_of(lanes, 4), 4); /* a line has 16 words */
        assert_int_equal(accesses_of(lanes, 64), 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"runs/lanes_of_a_run_share_accesses", lanes_of_a_run_share_accesses, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
