/* SPDX-License-Identifier: MIT */
#include "verify/exhaustive.h"

#include <string.h>

#include "mem/network.h"

struct run {
    const struct exhaustive_options *options;
    struct traffic *traffic;
    uint32_t first_root; /* 0: L1 0 alone stores to the followed word; 1: all do */
};

void exhaustive_defaults(struct exhaustive_options *options, const struct protocol *protocol,
                         const struct promise *promise)
{
    *options = (struct exhaustive_options){
        .shape = {.protocol = protocol,
                  .l1s = 2,
                  .slices = 1,
                  .lines = 1,
                  .l1_mshrs = 1,
                  .l2_mshrs = 2,
                  .l1_waiting = 2,
                  .l2_waiting = 4,
                  .room = 2,
                  .evicts = true},
        .wired_for = protocol,
        .promise = *promise,
        .outstanding = 1,
        .accesses = (1 << ACCESS_COUNT) - 1,
        .bytes_max = UINT64_C(6) << 30,
        .states_max = UINT32_MAX - 1,
    };
}

static void world_begin(void *context, uint32_t root)
{
    const struct run *run = context;

    alphabet_follow(run->traffic, run->first_root + root != 0);
}

static void pass_progress(void *context, const struct explore_counts *counts)
{
    const struct run *run = context;

    run->options->progress(run->options->context, counts);
}

/* The requests of the path, a column an L1, in the order in which they were sent. */
static void tell_program(const struct run *run, const struct explore_result *result,
                         struct text *text)
{
    enum { WIDTH = 22 };
    uint32_t l1s = run->options->shape.l1s;

    for (uint32_t l1 = 0; l1 < l1s; l1++)
        text_add(text, "  L1 %-*u", WIDTH - 3, l1);
    text_add(text, "\n");
    for (uint32_t i = 0; i < result->path_length; i++) {
        struct move move = result->path[i];
        struct text offer = {0};

        if (move.kind != MOVE_OFFER)
            continue;
        alphabet_print_offer(run->traffic, move.what, &offer);
        text_add(text, "  %*s%s\n", (int)(move.who * (WIDTH + 2)), "", text_chars(&offer));
        text_finish(&offer);
    }
}

static void fault_tell(const struct run *run, const struct explore_options *explorer,
                       const struct explore_result *result, struct text *story)
{
    text_add(story, "The shortest path (x: a word of line A that %s):\n",
             run->first_root + result->root == 0 ? "L1 0 alone stores to"
                                                 : "all L1s store to, coherently");
    explore_tell(explorer, result, story);
    text_add(story, "%s: %s\n\nThe requests on it, as a program:\n",
             verify_check_name(result->fault.check), result->fault.text);
    tell_program(run, result, story);
}

bool exhaustive_run(const struct exhaustive_options *options, struct explore_result *result,
                    struct text *story, struct diagnosis *diagnosis)
{
    struct crossbar_parameters fifos = {.down_fifos = options->down_fifos,
                                        .up_fifos = options->up_fifos};
    struct world_shape shape = options->shape;
    struct alphabet_options alphabet = {.promise = options->promise,
                                        .outstanding = options->outstanding,
                                        .accesses = options->accesses,
                                        .lines = shape.slices * shape.lines,
                                        .l1s = shape.l1s};
    bool are_alike = options->promise.publishes_stores && !options->promise.tells_stores_apart;
    struct run run = {.options = options, .first_root = are_alike};
    struct explore_options explorer = {.roots = are_alike ? 1 : 2,
                                       .begin = world_begin,
                                       .tells_l1s_apart = options->tells_l1s_apart,
                                       .takes_all_moves =
                                           options->takes_all_moves || options->outstanding > 1,
                                       .sends_at_once = options->sends_at_once,
                                       .bytes_max = options->bytes_max,
                                       .states_max = options->states_max,
                                       .progress = options->progress == NULL ? NULL : pass_progress,
                                       .context = &run};
    struct world world;
    struct fault fault = {VERIFY_NOTHING, ""};

    if (!network_choose_wiring(options->wired_for, &fifos, &shape.wiring, diagnosis))
        return false;
    if (shape.l1_ways == 0)
        shape.l1_ways = 1;
    if (shape.l2_ways == 0)
        shape.l2_ways = shape.lines;
    if (alphabet.lines > WORLD_MAX_LINES)
        alphabet.lines = WORLD_MAX_LINES;
    run.traffic = alphabet_create(&alphabet);
    if (!world_init(&world, &shape, run.traffic, &fault, diagnosis)) {
        alphabet_destroy(run.traffic);
        return false;
    }
    for (uint32_t i = 0; i < world.controller_count && options->counts_rows; i++)
        controller_count_coverage(&world.controllers[i]);
    explorer.world = &world;
    explore_run(&explorer, result);
    if (options->look != NULL)
        options->look(options->context, &world);
    if (result->end == EXPLORE_FAULT)
        fault_tell(&run, &explorer, result, story);
    world_finish(&world);
    alphabet_destroy(run.traffic);
    return true;
}
