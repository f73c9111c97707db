/* SPDX-License-Identifier: MIT */
/* The set of ports with messages that a receiver keeps (sim/port.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/port.h"

enum { MANY_PORTS = 70, OWN_BITS = 63 };

struct reader {
    struct component component;
    struct port ports[MANY_PORTS];
    unsigned taken;
};

/* Each port with a message has its bit, before it arrives too; of the first 63 an empty one has not. */
static void check_filled(const struct reader *reader)
{
    for (unsigned i = 0; i < MANY_PORTS; i++) {
        bool is_there = (reader->component.filled & port_bit(&reader->ports[i])) != 0;

        assert_true(is_there || reader->ports[i].count == 0);
        assert_true(!is_there || reader->ports[i].count > 0 || i >= OWN_BITS);
    }
}

static bool reader_tick(struct component *component)
{
    struct reader *reader = (struct reader *)component;

    for (unsigned i = 0; i < MANY_PORTS; i++)
        if (port_peek(&reader->ports[i]) != NULL) {
            port_take(&reader->ports[i]);
            reader->taken++;
            check_filled(reader);
        }
    return false;
}

static bool writer_tick(struct component *component)
{
    return false;
}

static const struct component_operations reader_operations = {.tick = reader_tick};
static const struct component_operations writer_operations = {.tick = writer_tick};

static void filled_ports_are_known(void **state)
{
    struct engine engine;
    struct component writer;
    struct reader reader = {.taken = 0};
    struct clock_domain *clock;

    engine_init(&engine);
    clock = engine_add_domain(&engine, "core", 1000000);
    component_init(&writer, &writer_operations, clock, "writer");
    component_init(&reader.component, &reader_operations, clock, "reader");
    for (unsigned i = 0; i < MANY_PORTS; i++)
        port_init(&reader.ports[i], "numbers", &writer, &reader.component, 1, 2, sizeof(uint32_t));
    engine_start(&engine);
    for (unsigned i = 0; i < MANY_PORTS; i += 3)
        for (unsigned message = 0; message < 1 + i % 2; message++)
            port_reserve(&reader.ports[i], 1 + i + message);
    check_filled(&reader);
    assert_int_equal(engine_run(&engine, UINT64_MAX), ENGINE_IDLE);
    assert_int_equal(reader.taken, 24 + 12);
    check_filled(&reader);
    for (unsigned i = 0; i < MANY_PORTS; i++)
        port_finish(&reader.ports[i]);
    component_finish(&writer);
    component_finish(&reader.component);
    engine_finish(&engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(filled_ports_are_known)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
