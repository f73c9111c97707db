/* SPDX-License-Identifier: MIT */
/* Another memory part is other numbers: a DDR3 channel of 64 bits, whose one burst is a line.
 * Numbers that contradict each other are refused. */
#include "cmocka_all.h"

#include <string.h>

#include "dram_bed.h"
#include "mem/dram_model.h"

/* DDR3-1066 7-7-7, 2 Gbit x8, at 533 MHz: JEDEC JESD79-3, speed bins and timing parameters. */
static struct dram_parameters ddr3(void)
{
    struct dram_parameters parameters = dram_bed_defaults();

    parameters.burst_bytes = 64; /* eight beats on 64 pins */
    parameters.burst_cycles = parameters.tccds = parameters.tccdl = 4;
    parameters.banks = 8;
    parameters.bank_groups = 1;
    parameters.row_bytes = 8192;
    parameters.tcl = parameters.trcdr = parameters.trcdw = parameters.trp = 7;
    parameters.twl = 6;
    parameters.tras = 20;
    parameters.trc = 27;
    parameters.trrd = parameters.twtr = parameters.trtp = 4;
    parameters.tfaw = 20;
    parameters.twr = 8;
    parameters.trtw = 7;
    parameters.trefi = 4160;
    parameters.trfc = 86;
    return parameters;
}

static void one_burst_is_a_line(void **state)
{
    struct dram_parameters p = ddr3();
    struct dram_bed *bed = dram_bed_create(&p);
    uint64_t activated;

    (void)state;
    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_run(bed);
    activated = bed->sent_at[0] + 1 + p.request_cycles;
    assert_int_equal(dram_bed_nth(bed, DRAM_READ, 0), activated + p.trcdr);
    assert_int_equal(bed->answered_at[0], activated + p.trcdr + p.tcl + 4 + p.reply_cycles);
    assert_int_equal(bed->event_count, 2);
    assert_int_equal(bed->channel.statistics.bus_busy_cycles, 4);
    dram_bed_destroy(bed);
}

/* 16 bytes a cycle, the bus's rate: 64 lines of one row after each other. */
static void streams_at_the_rate_of_the_bus(void **state)
{
    struct dram_parameters p = ddr3();
    struct dram_bed *bed = dram_bed_create(&p);

    (void)state;
    for (uint32_t i = 0; i < 32; i++)
        dram_bed_add(bed, MESSAGE_READ, 64 * i, 0);
    dram_bed_run(bed);
    for (uint32_t i = 1; i < 32; i++)
        assert_true(dram_bed_nth(bed, DRAM_READ, i) >= dram_bed_nth(bed, DRAM_READ, i - 1) + 4);
    assert_int_equal(dram_bed_nth(bed, DRAM_READ, 31) - dram_bed_nth(bed, DRAM_READ, 7), 24 * 4);
    dram_bed_destroy(bed);
}

static void the_fixed_model_keeps_to_the_bus(void **state)
{
    struct dram_parameters p = ddr3();
    struct dram_bed *bed;

    (void)state;
    strcpy(p.model, "fixed");
    p.burst_cycles = 9;
    bed = dram_bed_create(&p);
    for (uint32_t i = 0; i < 10; i++)
        dram_bed_add(bed, MESSAGE_READ, 64 * i, 0);
    dram_bed_run(bed);
    assert_int_equal(bed->answered_at[9] - bed->answered_at[0], 9 * 9);
    dram_bed_destroy(bed);
}

static void assert_refused(const struct dram_parameters *parameters, const char *why)
{
    struct diagnosis diagnosis;

    assert_false(dram_parameters_check("dram", parameters, &diagnosis));
    assert_non_null(strstr(diagnosis.message, why));
}

static void contradictions_are_refused(void **state)
{
    struct dram_parameters p = ddr3();
    struct diagnosis diagnosis;

    (void)state;
    assert_true(dram_parameters_check("dram", &p, &diagnosis));
    p.burst_bytes = 48;
    assert_refused(&p, "does not divide into bursts of 48");
    p.burst_bytes = 64;
    p.tccds = 3;
    assert_refused(&p, "tccds < burst_cycles");
    strcpy(p.model, "fixed"); /* which has no commands */
    assert_true(dram_parameters_check("dram", &p, &diagnosis));
}

/* Whatever the model: every read is answered, with the bytes that were there when it arrived. */
static void every_model_answers(void **state)
{
    (void)state;
    for (unsigned i = 0; dram_models[i] != NULL; i++) {
        struct dram_parameters p = ddr3();
        struct dram_bed *bed;

        strcpy(p.model, dram_models[i]->name);
        bed = dram_bed_create(&p);
        for (uint32_t j = 0; j < 100; j++) {
            struct message *write = dram_bed_add(bed, MESSAGE_WRITE, j * 37 % 64 * 64, 0);

            memset(write->data, (int)j, sizeof write->data);
            dram_bed_add(bed, MESSAGE_READ, j * 37 % 64 * 64, 0);
        }
        dram_bed_run(bed);
        assert_int_equal(bed->answered, 100);
        for (uint32_t j = 0; j < 100; j++)
            assert_int_equal(bed->answers[2 * j + 1].data[5], j);
        dram_bed_destroy(bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"dram/one_burst_is_a_line", one_burst_is_a_line, NULL, NULL, NULL},
        {"dram/streams_at_the_rate_of_the_bus", streams_at_the_rate_of_the_bus, NULL, NULL, NULL},
        {"dram/the_fixed_model_keeps_to_the_bus", the_fixed_model_keeps_to_the_bus, NULL, NULL,
         NULL},
        {"dram/contradictions_are_refused", contradictions_are_refused, NULL, NULL, NULL},
        {"dram/every_model_answers", every_model_answers, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
