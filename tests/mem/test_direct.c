/* SPDX-License-Identifier: MIT */
/* Direct transfers: an owner sends its line to the cache that asks for it. Every test is of MOESI
 * and of NMOESI, whose coherent accesses they make. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "base/bits.h"
#include "bench.h"
#include "mem/bytes.h"
#include "mem/protocol/moesi/parameters.h"
#include "mem/protocol/moesi/statistics.h"
#include "mem/protocol/nmoesi/messages.h"
#include "mem/protocol/nmoesi/parameters.h"
#include "system.h"

enum { LINE = 128, OTHER = 4096, SCALAR = 3 };
enum { NOT_DIRECT, DIRECT, DIRECT_WRITES_BACK };

static const char *const names[] = {"moesi", "nmoesi"};

/* The protocol with those parameters; it lives until the next call for that name. */
static const struct protocol *protocol_with(unsigned name, unsigned kind)
{
    static struct moesi_parameters moesi;
    static struct nmoesi_parameters nmoesi;
    static struct protocol made[2];

    made[name] = *protocol_find(names[name]);
    moesi.direct_transfers = nmoesi.direct_transfers = kind != NOT_DIRECT;
    moesi.owner_writes_back = nmoesi.owner_writes_back = kind == DIRECT_WRITES_BACK;
    made[name].parameters = name == 0 ? (const void *)&moesi : &nmoesi;
    return &made[name];
}

static struct bench *create(unsigned name, unsigned kind)
{
    struct bench_options options = {
        .protocol = protocol_with(name, kind), .l1s = 3, .scalars = 1, .slices = 1};
    struct bench *bench = malloc(sizeof *bench);

    bench_init(bench, &options);
    return bench;
}

static void destroy(struct bench *bench)
{
    bench_finish(bench);
    free(bench);
}

static const struct line *line_of(struct bench *bench, uint32_t node)
{
    return controller_find(node < bench->upper_count ? &bench->uppers[node] : &bench->slices[0],
                           bench->buffer + LINE);
}

static void assert_state(struct bench *bench, uint32_t node, const char *expected)
{
    const struct controller *controller =
        node < bench->upper_count ? &bench->uppers[node] : &bench->slices[0];
    const struct line *line = line_of(bench, node);

    assert_string_equal(line == NULL ? "I" : controller->role->states[line->state].name, expected);
}

static void assert_states(struct bench *bench, const char *first, const char *second,
                          const char *directory)
{
    assert_state(bench, 0, first);
    assert_state(bench, 1, second);
    assert_state(bench, bench->upper_count, directory);
}

static struct moesi_upper_statistics *upper(struct bench *bench, uint32_t node)
{
    return controller_statistics(&bench->uppers[node]);
}

static struct moesi_directory_statistics *directory(struct bench *bench)
{
    return controller_statistics(&bench->slices[0]);
}

/* A coherent store under either protocol. */
static void store(struct bench *bench, uint32_t node, uint64_t offset, uint32_t value)
{
    struct message message = bench_request(bench, MESSAGE_STORE, offset, 4);

    message.scope = SCOPE_DEVICE;
    memcpy(message.data + offset % LINE_BYTES, &value, 4);
    bench_do(bench, node, &message);
}

/* Five messages: the load, GETS, PROBE_SEND, SENT_O, RECEIVED. Nothing of the line passes L2. */
static void an_owner_sends_to_a_reader(void **state)
{
    (void)state;
    for (unsigned name = 0; name < 2; name++) {
        struct bench *bench = create(name, DIRECT);
        uint64_t sent;

        store(bench, 0, LINE, 7);
        sent = bench->pump.stamp;
        assert_int_equal(bench_load(bench, 1, LINE), 7);
        assert_int_equal(bench->pump.stamp - sent, 5);
        assert_states(bench, "O", name == 0 ? "S" : "SO", "O");
        assert_int_equal(line_of(bench, bench->upper_count)->data[0], 0);
        assert_int_equal(line_of(bench, 1)->dirty, 0);
        assert_int_equal(directory(bench)->transfers, 1);
        assert_int_equal(directory(bench)->direct_transfers, 1);
        assert_int_equal(upper(bench, 0)->lines_sent, 1);
        assert_int_equal(upper(bench, 0)->bytes_to_readers, 4);
        assert_int_equal(upper(bench, 0)->probes_share, 1);
        assert_int_equal(bench_load(bench, SCALAR, LINE), 7); /* a scalar cache is sent it too */
        assert_state(bench, SCALAR, "S");
        assert_int_equal(directory(bench)->direct_transfers, 2);
        assert_int_equal(bench_host_read(bench, LINE), 7);
        destroy(bench);
    }
}

static void without_it_all_goes_by_l2(void **state)
{
    (void)state;
    for (unsigned name = 0; name < 2; name++) {
        struct bench *bench = create(name, NOT_DIRECT);

        assert_false(bench->pump.has_peers);
        store(bench, 0, LINE, 7);
        assert_int_equal(bench_load(bench, 1, LINE), 7);
        store(bench, 2, LINE, 8);
        assert_int_equal(directory(bench)->direct_transfers, 0);
        assert_int_equal(upper(bench, 0)->lines_sent, 0);
        assert_int_equal(directory(bench)->transfers, 1);
        destroy(bench);
    }
}

/* What the owner had dirty is dirty in the writer's cache: L2 does not have it. */
static void an_owner_hands_over_to_a_writer(void **state)
{
    (void)state;
    for (unsigned name = 0; name < 2; name++) {
        struct bench *bench = create(name, DIRECT);

        store(bench, 0, LINE, 7);
        store(bench, 1, LINE + 4, 8);
        assert_states(bench, "I", "M", "X");
        assert_true(line_of(bench, 1)->dirty == LINE_MASK);
        assert_int_equal(directory(bench)->direct_transfers, 1);
        assert_int_equal(directory(bench)->writes_that_probe, 1);
        assert_int_equal(directory(bench)->probes_invalidate, 1);
        assert_int_equal(upper(bench, 0)->copies_lost_to_writers, 1);
        assert_int_equal(upper(bench, 0)->useless_invalidations, 1); /* it used the other word */
        assert_int_equal(upper(bench, 0)->bytes_to_writers, 4);
        assert_int_equal(upper(bench, 0)->probes_invalidate, 1);
        assert_int_equal(bench_add(bench, 2, LINE, 1), 7);
        assert_int_equal(bench_host_read(bench, LINE), 8);
        assert_int_equal(bench_host_read(bench, LINE + 4), 8);
        destroy(bench);
    }
}

static void a_clean_line_is_handed_over_clean(void **state)
{
    (void)state;
    for (unsigned name = 0; name < 2; name++) {
        struct bench *bench = create(name, DIRECT);

        bench_load(bench, 0, LINE);
        assert_states(bench, "E", "I", "X");
        store(bench, 1, LINE + 4, 8);
        assert_states(bench, "I", "M", "X");
        assert_int_equal(line_of(bench, 1)->dirty, 0xf0);
        assert_int_equal(directory(bench)->direct_transfers, 1);
        destroy(bench);
    }
}

/* Four messages after the load: L2 has the bytes already, and learns from the reader that the owner
 * is one of two sharers. */
static void a_read_of_e_leaves_two_sharers(void **state)
{
    (void)state;
    for (unsigned name = 0; name < 2; name++) {
        struct bench *bench = create(name, DIRECT);
        uint64_t sent;

        bench_load(bench, 0, LINE);
        sent = bench->pump.stamp;
        bench_load(bench, 1, LINE);
        assert_int_equal(bench->pump.stamp - sent, 5);
        assert_states(bench, "S", "S", "S");
        assert_int_equal(directory(bench)->direct_transfers, 1);
        assert_int_equal(directory(bench)->transfers, 0); /* it was clean */
        bench_load(bench, 2, LINE);                       /* from L2 */
        assert_int_equal(directory(bench)->direct_transfers, 1);
        store(bench, 2, LINE, 5); /* both are known */
        assert_states(bench, "I", "I", "X");
        destroy(bench);
    }
}

/* Where others have to drop copies too, the directory collects, and sends the line itself. */
static void sharers_are_collected_by_the_directory(void **state)
{
    (void)state;
    for (unsigned name = 0; name < 2; name++) {
        struct bench *bench = create(name, DIRECT);

        store(bench, 0, LINE, 7);
        bench_load(bench, 1, LINE);
        store(bench, 2, LINE + 4, 8);
        assert_states(bench, "I", "I", "X");
        assert_int_equal(directory(bench)->direct_transfers, 1); /* the load's */
        assert_int_equal(bench_load(bench, 2, LINE), 7);
        destroy(bench);
    }
}

/* The bytes are to be in L2: they go by it, and the owner is left in S. */
static void an_owner_that_writes_back_answers_l2(void **state)
{
    (void)state;
    for (unsigned name = 0; name < 2; name++) {
        struct bench *bench = create(name, DIRECT_WRITES_BACK);

        store(bench, 0, LINE, 7);
        assert_int_equal(bench_load(bench, 1, LINE), 7);
        assert_states(bench, "S", "S", "S");
        assert_int_equal(directory(bench)->direct_transfers, 0);
        assert_int_equal(line_of(bench, bench->upper_count)->data[0], 7);
        store(bench, 1, LINE, 8); /* a sharer's own: leave alone, or the line from L2 */
        store(bench, 2, LINE + 4, 9);
        assert_int_equal(directory(bench)->direct_transfers, 1);
        assert_int_equal(bench_load(bench, 0, LINE), 8);
        destroy(bench);
    }
}

/* ---- Owners of whom an acquire has cut bytes ---- */

/* To the end of what can move: a request of node 0 does not. */
static void move(struct bench *bench, uint32_t node, struct message request)
{
    bench->reply_count = 0;
    pump_send(&bench->pump, node, &request);
    while (pump_step(&bench->pump))
        ;
    assert_int_equal(bench->reply_count, 1);
}

/* Node 0 owns the line, has asked for leave to store plainly, and acquires before that is here. */
static struct bench *create_cut_owner(void)
{
    struct bench *bench = create(1, DIRECT);
    struct message plain = bench_request(bench, MESSAGE_STORE, LINE + 8, 4);
    struct message acquire = bench_request(bench, MESSAGE_INVALIDATE, 0, 0);
    struct step step;

    acquire.addr = 0;
    store(bench, 0, LINE, 7);
    assert_int_equal(bench_load(bench, 1, LINE), 7);
    assert_int_equal(controller_step(&bench->uppers[0], &plain, &step), STEP_DONE);
    assert_int_equal(step.outputs[0].message.kind, NMOESI_UPGRADE_N);
    move(bench, 0, acquire);
    assert_states(bench, "ON", "SO", "O");
    assert_int_equal(line_of(bench, 0)->valid, low_mask(4));
    return bench;
}

/* It sends no bytes that it does not have: L2 has the others. */
static void an_owner_sends_whole_lines_alone(void **state)
{
    struct bench *bench = create_cut_owner();
    uint64_t sent = upper(bench, 0)->lines_sent;

    (void)state;
    move(bench, 2, bench_request(bench, MESSAGE_LOAD, LINE, 4));
    assert_int_equal(message_word(&bench->replies[0], LINE), 7);
    assert_states(bench, "ON", "SO", "O");
    assert_int_equal(upper(bench, 0)->lines_sent, sent);
    destroy(bench);
}

/* ---- In time ---- */

static void defaults(struct system_options *options, unsigned name, unsigned kind)
{
    system_defaults(options);
    options->protocol = protocol_with(name, kind);
    options->nodes = 4;
}

/* The latency of a load of what another node has in M, with nothing else on its way. */
static uint64_t latency_of_transfer(unsigned name, unsigned kind, uint64_t *probes)
{
    struct system_options options;
    const struct lanes *lanes;
    struct system *system;
    uint64_t latency;

    defaults(&options, name, kind);
    system = system_create(&options);
    system_add(system, 0, MESSAGE_STORE, LINE, 4, 0)->scope = SCOPE_DEVICE;
    system_add(system, 1, MESSAGE_LOAD, LINE, 4, 5000);
    system_run(system);
    latency = system_latency(system, 1, 0);
    *probes = system_part(system, 1, 0, PART_PROBES);
    assert_true(system->network.has_peers == (kind == DIRECT));
    /* Slots for what is on its way both ways, and one or two in front of who takes it. */
    lanes = &system->network.upper_links[1].lanes;
    assert_int_equal(lanes->ports[LANE_REQUESTS]->capacity, 2 * options.l1.forward_cycles + 1);
    assert_int_equal(lanes->ports[LANE_RESPONSES]->capacity,
                     2 * options.crossbar.latency_cycles + 2);
    if (kind == DIRECT) {
        assert_int_equal(system->network.peers.statistics.messages, 1);
        assert_int_equal(system->network.peers.statistics.payload_bytes, LINE_BYTES);
        assert_int_equal(system->network.peer_ports[0].capacity, 2 * options.l1.forward_cycles + 1);
        assert_int_equal(system->network.peer_ports[1].capacity,
                         2 * options.crossbar.latency_cycles + 2);
    }
    system_destroy(system);
    return latency;
}

/* Saved are a way to L2 and the time in it: three hops of the network in place of four. L2's probe
 * and its answer to a request that waited leave a cycle after what causes them. */
static void a_transfer_saves_a_hop(void **state)
{
    struct system_options options;

    (void)state;
    system_defaults(&options);
    for (unsigned name = 0; name < 2; name++) {
        uint64_t probes, probes_by_l2;
        uint64_t by_l2 = latency_of_transfer(name, NOT_DIRECT, &probes_by_l2);
        uint64_t direct = latency_of_transfer(name, DIRECT, &probes);

        assert_int_equal(by_l2 - direct,
                         options.crossbar.latency_cycles + options.l2.reply_cycles + 2);
        /* On the way to the owner, and from it: to L2, or as far as the network. */
        assert_int_equal(probes, options.crossbar.latency_cycles + options.l1.forward_cycles);
        assert_true(probes_by_l2 > probes);
    }
}

/* One owner is asked for many lines at once, by links that need eight cycles for each: its way to
 * the others fills up, and the probes behind it wait. Every line comes, and by that way. */
static void an_owner_waits_for_its_way_to_the_others(void **state)
{
    enum { LINES = 32 };

    (void)state;
    for (unsigned name = 0; name < 2; name++) {
        const struct moesi_upper_statistics *owner;
        struct system_options options;
        struct system *system;
        uint32_t word;

        defaults(&options, name, DIRECT);
        options.crossbar.width_bytes = 8;
        options.crossbar.queue_entries = 2;
        system = system_create(&options);
        for (uint32_t i = 0; i < LINES; i++) {
            struct message *message = system_add(system, 0, MESSAGE_STORE, i * LINE_BYTES, 4, 0);

            word = 100 + i;
            message->scope = SCOPE_DEVICE;
            memcpy(message->data, &word, 4);
        }
        for (uint32_t i = 0; i < LINES; i++)
            system_add(system, 1 + i % 3, MESSAGE_LOAD, i * LINE_BYTES, 4, 20000);
        system_run(system);
        owner = controller_statistics(&system->l1s[0].controller);
        assert_int_equal(owner->lines_sent, LINES);
        assert_int_equal(system->network.peers.statistics.messages, LINES);
        for (uint32_t i = 0; i < LINES; i++) {
            memcpy(&word, system->agents[1 + i % 3].answers[i / 3].data, 4);
            assert_int_equal(word, 100 + i);
        }
        system_destroy(system);
    }
}

static void add_traffic(struct system *system, uint64_t seed)
{
    struct random random = {.state = seed};

    for (uint32_t node = 0; node < system->options.nodes; node++) {
        uint64_t cycle = 0;

        for (uint32_t i = 0; i < 400; i++) {
            static const uint8_t kinds[] = {MESSAGE_LOAD, MESSAGE_LOAD, MESSAGE_STORE,
                                            MESSAGE_ATOMIC};
            uint64_t offset = 4 * random_below(&random, 1024);
            struct message *message =
                system_add(system, node, kinds[random_below(&random, 4)], offset, 4, cycle);

            message->scope = random_below(&random, 3) == 0 ? SCOPE_WAVEFRONT : SCOPE_DEVICE;
            message->rmw = RMW_ADD;
            message->word_bytes = 4;
            message->returns = true;
            cycle += random_below(&random, 8) == 0 ? random_below(&random, 300) : 0;
        }
    }
}

static uint64_t run_traffic(unsigned name, bool is_sleepless, uint64_t order_seed,
                            uint64_t nodes_per_port)
{
    struct system_options options;
    struct system *system;
    uint64_t digest, sent = 0, received = 0;

    defaults(&options, name, DIRECT);
    options.nodes = 6;
    options.slices = 2;
    options.is_sleepless = is_sleepless;
    options.order_seed = order_seed;
    options.l1.size_kb = options.l1.ways = 1;
    options.l1.mshr_entries = 2;
    options.l1.waiting_entries = 3;
    options.l2.size_kb = 4;
    options.l2.ways = 2;
    options.l2.mshr_entries = 3;
    options.l2.waiting_entries = 4;
    options.crossbar.queue_entries = 2;
    options.crossbar.nodes_per_port = nodes_per_port;
    system = system_create(&options);
    add_traffic(system, 42);
    system_run(system); /* every request is answered; journeys add up to latencies */
    digest = system_digest(system);
    for (uint32_t i = 0; i < options.nodes; i++)
        sent += ((const struct moesi_upper_statistics *)controller_statistics(
                     &system->l1s[i].controller))
                    ->lines_sent;
    for (uint32_t i = 0; i < options.slices; i++)
        received += ((const struct moesi_directory_statistics *)controller_statistics(
                         &system->slices[i].controller))
                        ->direct_transfers;
    assert_true(sent > 300);
    assert_int_equal(sent, received);
    assert_int_equal(sent, system->network.peers.statistics.messages);
    system_destroy(system);
    return digest;
}

static void sleep_and_order_are_unobservable(void **state)
{
    (void)state;
    for (unsigned name = 0; name < 2; name++)
        for (uint64_t per_port = 1; per_port <= 2; per_port++) {
            uint64_t normal = run_traffic(name, false, 0, per_port);

            for (unsigned variant = 1; variant < 4; variant++)
                assert_true(run_traffic(name, variant % 2 == 1, variant / 2 * 77, per_port) ==
                            normal);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"direct/an_owner_sends_to_a_reader", an_owner_sends_to_a_reader, NULL, NULL, NULL},
        {"direct/without_it_all_goes_by_l2", without_it_all_goes_by_l2, NULL, NULL, NULL},
        {"direct/an_owner_hands_over_to_a_writer", an_owner_hands_over_to_a_writer, NULL, NULL,
         NULL},
        {"direct/a_clean_line_is_handed_over_clean", a_clean_line_is_handed_over_clean, NULL, NULL,
         NULL},
        {"direct/a_read_of_e_leaves_two_sharers", a_read_of_e_leaves_two_sharers, NULL, NULL, NULL},
        {"direct/sharers_are_collected_by_the_directory", sharers_are_collected_by_the_directory,
         NULL, NULL, NULL},
        {"direct/an_owner_that_writes_back_answers_l2", an_owner_that_writes_back_answers_l2, NULL,
         NULL, NULL},
        {"direct/an_owner_sends_whole_lines_alone", an_owner_sends_whole_lines_alone, NULL, NULL,
         NULL},
        {"direct/a_transfer_saves_a_hop", a_transfer_saves_a_hop, NULL, NULL, NULL},
        {"direct/an_owner_waits_for_its_way_to_the_others", an_owner_waits_for_its_way_to_the_others,
         NULL, NULL, NULL},
        {"direct/sleep_and_order_are_unobservable", sleep_and_order_are_unobservable, NULL, NULL,
         NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
