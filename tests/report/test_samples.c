/* SPDX-License-Identifier: MIT */
/* Samples: what a request may say, which names there are, what an interval's values are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "fixture.h"
#include "report/samples.h"

static void requests_are_read(void **state)
{
    static const char *const wrong[] = {"",    "0",       "many",   "-5",    "10;a",
                                        "10:", "10:a,,b", "10:a,a", "10 :a", "1099511627777"};
    struct sample_request request;
    struct diagnosis diagnosis;

    assert_true(sample_request_parse(&request, "250:l1.hit_ratio,cu.l1.loads", &diagnosis));
    assert_int_equal(request.cycles, 250);
    assert_int_equal(request.name_count, 2);
    assert_string_equal(request.names[1], "cu.l1.loads");
    sample_request_finish(&request);
    assert_true(sample_request_parse(&request, "1", &diagnosis));
    assert_string_equal(request.names[0], sample_defaults[0]);
    sample_request_finish(&request);
    for (unsigned i = 0; i < ARRAY_COUNT(wrong); i++) {
        assert_false(sample_request_parse(&request, wrong[i], &diagnosis));
        assert_non_null(strstr(diagnosis.message, "samples"));
        sample_request_finish(&request);
    }
}

static void assert_names(const struct fixture *fixture, const char *text, const char *hint)
{
    struct sample_request request;
    struct diagnosis diagnosis;

    assert_true(sample_request_parse(&request, text, &diagnosis));
    assert_int_equal(sample_request_check(&request, &fixture->registry, &diagnosis), hint == NULL);
    if (hint != NULL)
        assert_non_null(strstr(diagnosis.hint, hint));
    sample_request_finish(&request);
}

static void names_are_known(void **state)
{
    struct fixture fixture;

    fixture_init(&fixture);
    assert_names(&fixture, "9:l1.hit_ratio,kernel.cycles,kernel.instructions,cu.l1.loads", NULL);
    assert_names(&fixture, "9:cu1.l1.loads,cu.load_latency.sum,cu1.load_latency.count", NULL);
    assert_names(&fixture, "9", NULL);
    assert_names(&fixture, "9:cu.l1.lods", "cu.l1.loads");
    assert_names(&fixture, "9:l1.hit_rato", "l1.hit_ratio");
    assert_names(&fixture, "9:cu7.l1.loads", "");
    assert_names(&fixture, "9:cu.load_latency", "cu.load_latency.sum");
    fixture_finish(&fixture);
}

static void values_are_those_of_the_interval(void **state)
{
    struct sample_interval interval = {.launch = 1, .start = 1000, .cycles = 50};
    struct sample_request request;
    struct diagnosis diagnosis;
    struct samples samples;
    struct fixture fixture;
    struct changes changes;

    fixture_init(&fixture);
    assert_true(sample_request_parse(
        &request,
        "50:cu.l1.loads,cu1.l1.loads,l1.hit_ratio,kernel.cycles,kernel.instructions,"
        "cu.load_latency.sum,cu0.load_latency.count,l2.hit_ratio,cu0.load_latency.sum",
        &diagnosis));
    samples_init(&samples, &request, &fixture.levels, 1000000);
    for (unsigned i = 0; i < 100; i++) {
        fixture_set(&fixture, "cu0.l1.loads", 100);
        fixture_set(&fixture, "cu0.l1.load_hits", i);
        fixture_set(&fixture, "cu1.l1.loads", 300);
        fixture_add(&fixture, "cu0.load_latency", 10, 3);
        fixture_add(&fixture, "cu1.load_latency", 100, 2);
        changes = fixture_changes(&fixture);
        samples_add(&samples, i % 2 == 0 ? "one" : "two", &interval, 7, &changes);
        changes_finish(&changes);
    }
    for (unsigned i = 0; i < 100; i++) {
        const double *values = &samples.values[(size_t)i * request.name_count];

        assert_int_equal(samples.intervals[i].kernel, i % 2);
        assert_true(values[0] == 400 && values[1] == 300 && values[2] == i / 400.0);
        assert_true(values[3] == 50 && values[4] == 7);
        assert_true(values[5] == 230.0 * (i + 1) && values[6] == 3.0 * (i + 1));
        assert_true(isnan(values[7]) && values[8] == 30.0 * (i + 1));
    }
    assert_int_equal(samples.kernel_count, 2);
    samples_finish(&samples);
    sample_request_finish(&request);
    fixture_finish(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_read),
        cmocka_unit_test(names_are_known),
        cmocka_unit_test(values_are_those_of_the_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
