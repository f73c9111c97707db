/* SPDX-License-Identifier: MIT */
/* SI, step by step: what each request does to lines, MSHRs and memory, and who waits for what. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem/protocol/si/parameters.h"
#include "si_bench.h"

static void whole_store_leaves_a_line(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 64);

    (void)state;
    memset(store.data, 5, sizeof store.data);
    bench_do(bench, 0, &store);
    assert_int_equal(bench_load(bench, 0, 8), 0x05050505);
    assert_int_equal(si_bench_l1(bench, 0)->load_hits, 1);
    store.glc = true; /* no persistence */
    store.requester.entry = bench->next_entry++;
    bench_do(bench, 0, &store);
    bench_load(bench, 0, 8);
    assert_int_equal(si_bench_l1(bench, 0)->load_hits, 1);
    si_bench_destroy(bench);
}

static void partial_stores_of_two_cus_merge(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);

    (void)state;
    for (uint32_t i = 0; i < 64; i += 4)
        bench_poke(bench, i, 0xffffffff);
    bench_store(bench, 0, 0, 1);
    bench_store(bench, 1, 4, 2);
    assert_int_equal(si_bench_l2(bench)->load_misses, 0); /* nothing was fetched */
    bench_acquire(bench, 0);
    assert_int_equal(bench_load(bench, 0, 0), 1);
    assert_int_equal(bench_load(bench, 0, 4), 2);
    assert_int_equal(bench_load(bench, 0, 8), 0xffffffff);
    pump_flush(&bench->pump);
    assert_int_equal(bench_peek(bench, 0), 1);
    assert_int_equal(bench_peek(bench, 4), 2);
    assert_int_equal(si_bench_l2(bench)->write_back_bytes, 8);
    si_bench_destroy(bench);
}

/* With store_fetches the line comes from memory under the stored bytes, which stay dirty. */
static void stores_that_fetch_keep_their_bytes(void **state)
{
    static const struct si_parameters fetches = {.store_fetches = 1};
    struct bench *bench = si_bench_create(0, NULL, NULL);

    (void)state;
    for (uint32_t i = 0; i < bench->slice_count; i++)
        bench->slices[i].parameters = &fetches;
    for (uint32_t i = 0; i < 64; i += 4)
        bench_poke(bench, i, 0xffffffff);
    bench_store(bench, 0, 0, 1);
    bench_store(bench, 1, 4, 2);
    for (uint32_t i = 8; i < 64; i += 4) /* behind the caches: L2 has the line already */
        bench_poke(bench, i, 3);
    assert_int_equal(bench_load(bench, 0, 0), 1);
    bench_acquire(bench, 0);
    assert_int_equal(bench_load(bench, 0, 4), 2);
    assert_int_equal(bench_load(bench, 0, 8), 0xffffffff);
    assert_int_equal(bench_peek(bench, 0), 0xffffffff);
    pump_flush(&bench->pump);
    assert_int_equal(bench_peek(bench, 0), 1);
    assert_int_equal(bench_peek(bench, 4), 2);
    assert_int_equal(bench_peek(bench, 8), 3);
    assert_int_equal(si_bench_l2(bench)->write_back_bytes, 8);
    si_bench_destroy(bench);
}

/* Nothing is read from the side: what a warm line holds is what is read, whatever memory holds. */
static void backing_store_is_behind_the_caches(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message load;

    (void)state;
    bench_poke(bench, 0, 1);
    bench_load(bench, 0, 0);
    bench_poke(bench, 0, 2);
    assert_int_equal(bench_load(bench, 0, 0), 1);
    bench_acquire(bench, 0);
    assert_int_equal(bench_load(bench, 0, 0), 1); /* L2 */
    load = bench_request(bench, MESSAGE_LOAD, 0, 4);
    load.slc = true;
    load = bench_do(bench, 0, &load);
    assert_int_equal(message_word(&load, 0), 2); /* SLC: memory */
    si_bench_destroy(bench);
}

static void slc_store_reaches_memory(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message store = bench_request(bench, MESSAGE_STORE, 4, 4);

    (void)state;
    bench_store(bench, 0, 0, 1);
    store.slc = store.glc = true;
    message_set_word(&store, 4, 2);
    bench_do(bench, 0, &store);
    assert_int_equal(bench_peek(bench, 0), 1); /* the line's dirty bytes go with it */
    assert_int_equal(bench_peek(bench, 4), 2);
    si_bench_destroy(bench);
}

/* A load with SLC comes from memory, which has the line's dirty bytes by then. */
static void slc_load_writes_back(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message load = bench_request(bench, MESSAGE_LOAD, 0, 8);

    (void)state;
    bench_store(bench, 0, 0, 1);
    bench_poke(bench, 4, 2);
    load.slc = true;
    load = bench_do(bench, 0, &load);
    assert_int_equal(message_word(&load, 0), 1);
    assert_int_equal(message_word(&load, 4), 2);
    assert_int_equal(bench_peek(bench, 0), 1);
    si_bench_destroy(bench);
}

static void atomics_are_done_in_l2(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message swap = bench_request(bench, MESSAGE_ATOMIC, 40, 4);

    (void)state;
    bench_poke(bench, 0, 100);
    bench_load(bench, 0, 0);
    assert_int_equal(bench_add(bench, 0, 0, 5), 100); /* the L1's copy is dropped */
    assert_int_equal(bench_add(bench, 1, 0, 5), 105);
    assert_int_equal(bench_load(bench, 0, 0), 110);
    assert_int_equal(si_bench_l2(bench)->atomics, 2);
    /* Compare-and-swap: operand at offset % 32, compare value 32 further. */
    swap.rmw = RMW_COMPARE_SWAP;
    swap.word_bytes = 4;
    swap.returns = true;
    message_set_word(&swap, 8, 77);
    message_set_word(&swap, 40, 0);
    swap = bench_do(bench, 0, &swap);
    assert_int_equal(message_word(&swap, 40), 0);
    assert_int_equal(bench_load(bench, 1, 40), 77);
    assert_int_equal(si_bench_l2(bench)->atomics, 3);
    si_bench_destroy(bench);
}

/* One L2 fetch for all: atomics to a line on its way wait, and each counts once. */
static void atomics_wait_for_the_line(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);

    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        struct message add = bench_request(bench, MESSAGE_ATOMIC, 0, 4);

        add.rmw = RMW_ADD;
        add.word_bytes = 4;
        message_set_word(&add, 0, 1);
        pump_send(&bench->pump, i % 2, &add);
    }
    pump_run(&bench->pump);
    assert_int_equal(bench_host_read(bench, 0), 10);
    assert_int_equal(si_bench_l2(bench)->atomics, 10);
    assert_int_equal(si_bench_l2(bench)->atomic_misses, 1);
    si_bench_destroy(bench);
}

static void loads_merge(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        struct message load = bench_request(bench, MESSAGE_LOAD, 4 * i, 4);

        pump_send(&bench->pump, 0, &load);
    }
    for (unsigned i = 0; i < 8; i++)
        pump_step(&bench->pump);
    pump_run(&bench->pump);
    assert_int_equal(bench->reply_count, 8);
    assert_int_equal(si_bench_l1(bench, 0)->load_misses, 1);
    assert_int_equal(si_bench_l1(bench, 0)->load_merges, 7);
    assert_int_equal(si_bench_l2(bench)->loads, 1);
    si_bench_destroy(bench);
}

/* A store passes a fill: those that waited see the old value, those that come later the new one. */
static void store_overtakes_a_fill(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message fill = si_bench_hold_fill(bench, 0);
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    struct message load = bench_request(bench, MESSAGE_LOAD, 0, 4);
    struct step step;

    (void)state;
    message_set_word(&store, 0, 7);
    assert_int_equal(controller_step(&bench->uppers[0], &store, &step), STEP_DONE);
    assert_int_equal(step.outputs[0].side, OUTPUT_DOWN);
    store = step.outputs[0].message;
    assert_int_equal(controller_step(&bench->slices[0], &store, &step), STEP_DONE);
    assert_int_equal(controller_step(&bench->uppers[0], &load, &step), STEP_DONE);
    assert_int_equal(step.output_count, 0); /* waits in order */
    assert_int_equal(si_bench_l1(bench, 0)->line_waits, 1);
    assert_int_equal(si_bench_deliver(bench, &fill, 0), 0);
    assert_int_equal(si_bench_l1(bench, 0)->overtaken_fills, 1);
    pump_run(&bench->pump);
    assert_int_equal(bench->reply_count, 1);
    assert_int_equal(message_word(&bench->replies[0], 0), 7);
    si_bench_destroy(bench);
}

/* With one MSHR, a miss to another line stalls, and so does a store (thesis 6.3.3); a hit does not.
 */
static void full_mshr_stalls(void **state)
{
    static const struct controller_shape shape = {
        .sets = 4, .ways = 4, .mshr_entries = 1, .waiting_entries = 8};
    struct bench *bench = si_bench_create(0, &shape, NULL);
    struct message fill, miss, store, hit;
    struct step step;

    (void)state;
    bench_load(bench, 0, 64);
    fill = si_bench_hold_fill(bench, 0);
    miss = bench_request(bench, MESSAGE_LOAD, 128, 4);
    store = bench_request(bench, MESSAGE_STORE, 192, 4);
    hit = bench_request(bench, MESSAGE_LOAD, 64, 4);
    assert_int_equal(controller_step(&bench->uppers[0], &miss, &step), STEP_STALLED);
    assert_int_equal(bench->uppers[0].stall_cause, STALL_MSHR);
    assert_int_equal(controller_step(&bench->uppers[0], &store, &step), STEP_STALLED);
    assert_int_equal(step.output_count, 0);
    assert_int_equal(controller_step(&bench->uppers[0], &hit, &step), STEP_DONE);
    si_bench_deliver(bench, &fill, 0);
    assert_int_equal(controller_step(&bench->uppers[0], &miss, &step), STEP_DONE);
    si_bench_destroy(bench);
}

/* Every way of the set is held by a fill: another line of the set stalls, one of another set does
 * not. */
static void held_set_stalls(void **state)
{
    static const struct controller_shape shape = {
        .sets = 2, .ways = 2, .mshr_entries = 8, .waiting_entries = 8};
    struct bench *bench = si_bench_create(0, &shape, NULL);
    struct message loads[4];
    struct step step;

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        loads[i] = bench_request(bench, MESSAGE_LOAD, i == 3 ? 64 : 128 * i, 4);
    assert_int_equal(controller_step(&bench->uppers[0], &loads[0], &step), STEP_DONE);
    assert_int_equal(controller_step(&bench->uppers[0], &loads[1], &step), STEP_DONE);
    assert_int_equal(controller_step(&bench->uppers[0], &loads[2], &step), STEP_STALLED);
    assert_int_equal(bench->uppers[0].stall_cause, STALL_SET);
    assert_int_equal(controller_step(&bench->uppers[0], &loads[3], &step), STEP_DONE);
    si_bench_destroy(bench);
}

/* The least recently touched line goes. */
static void replacement_is_lru(void **state)
{
    static const struct controller_shape shape = {
        .sets = 1, .ways = 4, .mshr_entries = 4, .waiting_entries = 8};
    struct bench *bench = si_bench_create(0, &shape, NULL);

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        bench_load(bench, 0, 64 * i);
    bench_load(bench, 0, 0);
    bench_load(bench, 0, 64 * 4); /* evicts line 1 */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(controller_find(&bench->uppers[0], bench->buffer + 64 * i) == NULL,
                         i == 1);
    assert_int_equal(si_bench_l1(bench, 0)->evictions, 1);
    si_bench_destroy(bench);
}

/* L2's sets are divided among its channels: a channel's lines never drive out another's. */
static void channels_have_their_own_sets(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, &si_bench_one_line);

    (void)state;
    bench_load(bench, 0, 0);
    bench_load(bench, 0, 256); /* the other channel */
    assert_int_equal(si_bench_l2(bench)->evictions, 0);
    bench_load(bench, 0, 512);
    assert_int_equal(si_bench_l2(bench)->evictions, 1);
    si_bench_destroy(bench);
}

static void walk_takes_its_time(void **state)
{
    static const struct controller_shape shape = {
        .sets = 8, .ways = 4, .mshr_entries = 4, .waiting_entries = 8, .walk_lines = 8};
    struct bench *bench = si_bench_create(0, &shape, NULL);
    struct message acquire = bench_request(bench, MESSAGE_INVALIDATE, 0, 0);
    struct message load = bench_request(bench, MESSAGE_LOAD, 0, 4);
    struct step step;
    unsigned calls = 0;

    (void)state;
    bench_load(bench, 0, 0);
    assert_int_equal(controller_step(&bench->uppers[0], &acquire, &step), STEP_DONE);
    assert_int_equal(step.output_count, 0);
    while (controller_is_walking(&bench->uppers[0])) {
        assert_int_equal(controller_step(&bench->uppers[0], &load, &step), STEP_STALLED);
        assert_int_equal(bench->uppers[0].stall_cause, STALL_ORDER);
        controller_walk(&bench->uppers[0], 0, &step);
        calls++;
    }
    assert_int_equal(calls, 4);
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_INVALIDATE_REPLY);
    assert_int_equal(si_bench_l1(bench, 0)->lines_invalidated, 1);
    si_bench_destroy(bench);
}

/* A host transfer as large as the whole buffer, over scattered lines, dirty and clean. */
static void host_transfers_everything(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    unsigned char *bytes = malloc(BENCH_BYTES);

    (void)state;
    for (unsigned i = 0; i < 200; i++)
        bench_store(bench, i % 2, 4 * ((i * 1237) % (BENCH_BYTES / 4)), i + 1);
    pump_host_read(&bench->pump, bench->buffer, bytes, BENCH_BYTES);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(bytes[4 * ((i * 1237) % (BENCH_BYTES / 4))], i + 1);
    memset(bytes, 0x5a, BENCH_BYTES);
    pump_host_write(&bench->pump, bench->buffer + 3, bytes, BENCH_BYTES - 7);
    for (unsigned i = 0; i < 200; i++) {
        uint64_t word = (i * 1237) % (BENCH_BYTES / 4);

        if (word > 0 && word < BENCH_BYTES / 4 - 1)
            assert_int_equal(bench_load(bench, 0, 4 * word), 0x5a5a5a5a);
    }
    assert_int_equal(bench_load(bench, 1, 0), 0x5a000001);
    free(bytes);
    si_bench_destroy(bench);
}

/* A transfer that ends just inside a line, by each way of the pump. It looks for few lines one
 * by one, for many through all tags. */
static void host_transfers_end_inside_a_line(void **state)
{
    static const struct controller_shape few = {
        .sets = 2, .ways = 2, .mshr_entries = 3, .waiting_entries = 6};

    (void)state;
    for (unsigned lines = 0; lines < 5; lines++)
        for (unsigned rest = 1; rest < LINE_BYTES; rest += 62) {
            struct bench *bench = si_bench_create(0, &few, &few);
            unsigned char bytes[5 * LINE_BYTES], seen[5 * LINE_BYTES];
            uint64_t count = lines * LINE_BYTES + rest, last = lines * LINE_BYTES;

            memset(bytes, 0xaa, sizeof bytes);
            bench_load(bench, 0, last);
            pump_host_write(&bench->pump, bench->buffer, bytes, count);
            bench_acquire(bench, 0);
            assert_int_equal(bench_load(bench, 0, last) & 0xff, 0xaa);
            bench_store(bench, 0, last, 0x55); /* dirty in L2 */
            pump_host_read(&bench->pump, bench->buffer, seen, count);
            assert_int_equal(seen[last], 0x55);
            si_bench_destroy(bench);
        }
}

/* A request that stalls leaves no trace: whether it came or not cannot be told from the state. */
static void stalled_step_changes_nothing(void **state)
{
    static const struct controller_shape shape = {
        .sets = 4, .ways = 4, .mshr_entries = 1, .waiting_entries = 8};
    struct bench *bench = si_bench_create(0, &shape, NULL);
    struct bench *before = si_bench_create(0, &shape, NULL);
    struct message load = bench_request(bench, MESSAGE_LOAD, 64, 4);
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    struct text coverage[2] = {{0}, {0}};
    struct step step;

    (void)state;
    bench_load(bench, 0, 0);
    assert_int_equal(controller_step(&bench->uppers[0], &load, &step), STEP_DONE);
    controller_copy(&before->uppers[0], &bench->uppers[0]);
    controller_count_coverage(&bench->uppers[0]);
    controller_print_coverage(&bench->uppers[0], &coverage[0]);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(controller_step(&bench->uppers[0], &store, &step), STEP_STALLED);
    controller_print_coverage(&bench->uppers[0], &coverage[1]);
    assert_true(controller_equal(&before->uppers[0], &bench->uppers[0]));
    assert_string_equal(text_chars(&coverage[0]), text_chars(&coverage[1]));
    text_finish(&coverage[0]);
    text_finish(&coverage[1]);
    si_bench_destroy(before);
    si_bench_destroy(bench);
}

static void state_can_be_copied_and_compared(void **state)
{
    struct bench *a = si_bench_create(0, NULL, NULL), *b = si_bench_create(0, NULL, NULL);
    struct message load = bench_request(a, MESSAGE_LOAD, 0, 4);
    struct step step;
    struct text text = {0};

    (void)state;
    assert_true(controller_equal(&a->uppers[0], &b->uppers[0]));
    controller_step(&a->uppers[0], &load, &step);
    assert_false(controller_equal(&a->uppers[0], &b->uppers[0]));
    controller_copy(&b->uppers[0], &a->uppers[0]);
    assert_true(controller_equal(&a->uppers[0], &b->uppers[0]));
    controller_print(&b->uppers[0], &text);
    assert_non_null(strstr(text_chars(&text), " F "));
    assert_non_null(strstr(text_chars(&text), "targets: LOAD"));
    text_finish(&text);
    si_bench_destroy(a);
    si_bench_destroy(b);
}

/* A missing row stops the run and says what happened where. */
static void impossible_transition_stops(void **state)
{
    int status, pipe_ends[2];
    char page[1024] = "";
    pid_t child;

    (void)state;
    assert_int_equal(pipe(pipe_ends), 0);
    child = fork();
    if (child == 0) {
        struct bench *bench = si_bench_create(0, NULL, NULL);
        struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
        struct step step;

        dup2(pipe_ends[1], 2);
        bench_load(bench, 2, 0);
        controller_step(&bench->uppers[2], &store, &step); /* into a scalar cache */
        _exit(0);
    }
    close(pipe_ends[1]);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_true(read(pipe_ends[0], page, sizeof page - 1) > 0);
    assert_non_null(strstr(page, "STORE_PART"));
    assert_non_null(strstr(page, "F/FILL"));
    close(pipe_ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"si/whole_store_leaves_a_line", whole_store_leaves_a_line, NULL, NULL, NULL},
        {"si/partial_stores_of_two_cus_merge", partial_stores_of_two_cus_merge, NULL, NULL, NULL},
        {"si/stores_that_fetch_keep_their_bytes", stores_that_fetch_keep_their_bytes, NULL, NULL,
         NULL},
        {"si/backing_store_is_behind_the_caches", backing_store_is_behind_the_caches, NULL, NULL,
         NULL},
        {"si/slc_store_reaches_memory", slc_store_reaches_memory, NULL, NULL, NULL},
        {"si/slc_load_writes_back", slc_load_writes_back, NULL, NULL, NULL},
        {"si/atomics_are_done_in_l2", atomics_are_done_in_l2, NULL, NULL, NULL},
        {"si/atomics_wait_for_the_line", atomics_wait_for_the_line, NULL, NULL, NULL},
        {"si/loads_merge", loads_merge, NULL, NULL, NULL},
        {"si/store_overtakes_a_fill", store_overtakes_a_fill, NULL, NULL, NULL},
        {"si/full_mshr_stalls", full_mshr_stalls, NULL, NULL, NULL},
        {"si/held_set_stalls", held_set_stalls, NULL, NULL, NULL},
        {"si/replacement_is_lru", replacement_is_lru, NULL, NULL, NULL},
        {"si/channels_have_their_own_sets", channels_have_their_own_sets, NULL, NULL, NULL},
        {"si/walk_takes_its_time", walk_takes_its_time, NULL, NULL, NULL},
        {"si/host_transfers_everything", host_transfers_everything, NULL, NULL, NULL},
        {"si/host_transfers_end_inside_a_line", host_transfers_end_inside_a_line, NULL, NULL, NULL},
        {"si/stalled_step_changes_nothing", stalled_step_changes_nothing, NULL, NULL, NULL},
        {"si/state_can_be_copied_and_compared", state_can_be_copied_and_compared, NULL, NULL, NULL},
        {"si/impossible_transition_stops", impossible_transition_stops, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
