/* SPDX-License-Identifier: MIT */
/* Junctions in the network: each costs a cycle on the way and changes nothing else, and what is of the
 * part beside one is taken out. */
#include "cmocka_all.h"

#include "system.h"

enum { NODES = 2, JUNCTIONS_ON_THE_WAY = 2, FAR = 8192 };

static struct system *create(const char *protocol, bool has_junctions)
{
    struct system_options options;

    system_defaults(&options);
    options.protocol = protocol_find(protocol);
    options.nodes = NODES;
    options.has_junctions = has_junctions;
    return system_create(&options);
}

/* A store, then loads of it by the other node: from memory, from L2 and from its own L1. */
static void add_accesses(struct system *system)
{
    struct message *store = system_add(system, 0, MESSAGE_STORE, 0, 4, 0);

    store->data[0] = 7;
    system_add(system, 1, MESSAGE_LOAD, FAR, 4, 4000);
    system_add(system, 1, MESSAGE_LOAD, 0, 4, 8000);
    system_add(system, 1, MESSAGE_LOAD, 0, 4, 12000);
}

static void a_junction_costs_a_cycle_each_way(void **state)
{
    struct system *wires = create("si", false), *junctions = create("si", true);

    (void)state;
    add_accesses(wires);
    add_accesses(junctions);
    system_run(wires);
    system_run(junctions);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(system_latency(junctions, 1, i),
                         system_latency(wires, 1, i) + 2 * JUNCTIONS_ON_THE_WAY * JUNCTION_CYCLES);
    assert_int_equal(system_latency(junctions, 1, 2), system_latency(wires, 1, 2));
    assert_int_equal(junctions->agents[1].answers[1].data[0], 7);
    for (uint32_t i = 0; i < NODES; i++)
        assert_int_equal(junctions->at_l1s[i].taken_down + junctions->at_l1s[i].taken_up, 0);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(junctions->at_channels[i].taken_down + junctions->at_channels[i].taken_up,
                         0);
    system_destroy(wires);
    system_destroy(junctions);
}

/* Probes and write-backs pass too: nodes write the same lines in turn. */
static void all_lanes_pass(void **state)
{
    static const char *const names[] = {"si", "moesi", "nmoesi", "rsp"};

    (void)state;
    for (unsigned name = 0; name < 4; name++) {
        struct system *system = create(names[name], true);

        for (uint32_t i = 0; i < 200; i++) {
            struct message *message = system_add(
                system, i % NODES, i % 3 == 0 ? MESSAGE_STORE : MESSAGE_LOAD, i % 5 * 4096, 4, 0);

            message->scope = SCOPE_DEVICE;
            message->glc = true;
        }
        system_run(system);
        system_destroy(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"junction/a_junction_costs_a_cycle_each_way", a_junction_costs_a_cycle_each_way, NULL,
         NULL, NULL},
        {"junction/all_lanes_pass", all_lanes_pass, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
