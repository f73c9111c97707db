/* SPDX-License-Identifier: MIT */
#include "verify/explore.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "verify/fingerprint.h"
#include "verify/frontier.h"
#include "verify/prompt.h"
#include "verify/visited.h"

enum { NO_PARENT = UINT32_MAX, PROGRESS_STATES = 1 << 14 };

struct search {
    const struct explore_options *options;
    struct explore_result *result;
    struct world *world;
    struct visited visited;
    struct visited settled; /* where all moves are taken: what their prompt moves would lead to */
    struct frontier frontier;
    struct fingerprints fingerprints;
    struct chunks
        at_rest; /* a byte for each state that was looked at: whether deliveries lead there */
    struct fault fault;
    struct move move; /* of the state that is looked at: the present one */
    bool is_guarded;  /* a check that fails leads back to state_expand */
    jmp_buf caught;
};

/* ---- The world's state ---- */

/* The parts for which the world does not say whether they are touched. */
static uint64_t parts_always(const struct search *search)
{
    return UINT64_C(1) << world_part_traffic(search->world);
}

/* The world gets the state that is looked at, of which all but these parts was there before. */
static void state_restore(struct search *search, uint64_t changed)
{
    frontier_restore(&search->frontier, search->world->touched | changed | parts_always(search));
    search->world->touched = 0;
}

static void state_restore_first(struct search *search)
{
    frontier_restore_first(&search->frontier);
    search->world->touched = UINT64_MAX;
}

/* ---- One move ---- */

static void note_caught(void *context, const char *message)
{
    struct search *search = context;

    fault_note(&search->fault, VERIFY_TRANSITION, "%s", message);
    longjmp(search->caught, 1);
}

/* False: not possible. A check that fails inside is a fault, caught here unless state_expand does
 * that for all moves. */
static bool try_move(struct search *search, struct move move)
{
    volatile bool moved = true;

    if (search->is_guarded)
        return world_do(search->world, move);
    check_set_catch(note_caught, search);
    if (setjmp(search->caught) == 0)
        moved = world_do(search->world, move);
    check_set_catch(NULL, NULL);
    return moved;
}

/* Makes the prompt moves. False: a fault. */
static bool search_settle(struct search *search)
{
    struct move move;

    while (!search->world->traffic->is_void && prompt_find(search->world, &move)) {
        if (search->world->story != NULL)
            text_add(search->world->story, "\n      ");
        search->world->is_touched = false;
        if (!try_move(search, move) && !search->world->is_touched)
            break;
        search->result->counts.transitions++;
        if (search->fault.check != VERIFY_NOTHING)
            return false;
    }
    return true;
}

enum meeting {
    MEETING_OVER /* the search ends */,
    MEETING_STATE,
    MEETING_VOID /* the path is left */
};

/* The same state after its prompt moves, for those who compare. */
static enum meeting meet_settled(struct search *search)
{
    struct fingerprint fingerprint;
    uint32_t number;

    if (!search_settle(search))
        search->fault.check = VERIFY_NOTHING; /* it is found by a path of its own */
    if (search->world->traffic->is_void)
        return MEETING_STATE;
    fingerprint = fingerprint_of(&search->fingerprints);
    if (fingerprint.has_faded || visited_add(&search->settled, fingerprint.hash,
                                             search->visited.bytes, &number) != VISIT_NO_MEMORY)
        return MEETING_STATE;
    search->result->end = EXPLORE_OUT_OF_MEMORY;
    return MEETING_OVER;
}

/* The world's state is met: its number. */
static enum meeting state_meet(struct search *search, uint32_t parent, struct move move,
                               uint32_t *number)
{
    struct fingerprint fingerprint;

    if (search->world->traffic->is_void)
        return MEETING_VOID;
    fingerprint = fingerprint_of(&search->fingerprints);
    if (fingerprint.has_faded)
        return MEETING_VOID;
    switch (visited_add(&search->visited, fingerprint.hash, search->frontier.bytes, number)) {
    case VISIT_KNOWN:
        return MEETING_STATE;
    case VISIT_NEW:
        search->result->counts.told_apart += fingerprint.alike;
        memcpy(chunks_add(&search->visited.parents), &parent, sizeof parent);
        memcpy(chunks_add(&search->visited.moves), &move, sizeof move);
        frontier_put(&search->frontier, search->world->touched | parts_always(search));
        return search->options->takes_all_moves ? meet_settled(search) : MEETING_STATE;
    default:
        search->result->end = EXPLORE_OUT_OF_MEMORY;
        return MEETING_OVER;
    }
}

/* ---- Paths ---- */

static void keep_path(struct search *search, uint32_t number, const struct move *last)
{
    struct explore_result *result = search->result;
    uint32_t length = last != NULL ? 1 : 0, parent, at;

    for (at = number;; at = parent, length++) {
        memcpy(&parent, chunks_at(&search->visited.parents, at), sizeof parent);
        if (parent == NO_PARENT)
            break;
    }
    result->root = ((const struct move *)chunks_at(&search->visited.moves, at))->what;
    result->path = allocate(length + 1, sizeof *result->path);
    result->path_length = length;
    if (last != NULL)
        result->path[--length] = *last;
    for (at = number; length > 0; at = parent) {
        memcpy(&parent, chunks_at(&search->visited.parents, at), sizeof parent);
        memcpy(&result->path[--length], chunks_at(&search->visited.moves, at),
               sizeof result->path[0]);
    }
    result->fault = search->fault;
    result->end = EXPLORE_FAULT;
}

/* ---- One state ---- */

/* All moves from state `number`, which the world has. False: the search ends. */
static bool moves_make(struct search *search, uint32_t number)
{
    struct world *world = search->world;
    bool delivers = false, is_fresh = true, is_at_rest;
    unsigned char *rests = chunks_add(&search->at_rest);
    enum meeting meeting;
    uint32_t first = (uint32_t)search->visited.edges.count;

    memcpy(chunks_add(&search->visited.first_edges), &first, sizeof first);
    is_at_rest = world_is_at_rest(world);
    *rests = is_at_rest;
    search->result->counts.at_rest += is_at_rest;
    for (uint32_t i = 0; i < world->move_count; i++) {
        struct move move = search->move = world->moves[i];
        uint32_t next;

        if (!is_fresh)
            state_restore(search, 0);
        world->is_touched = world->traffic->is_void = false;
        if (!try_move(search, move)) {
            is_fresh = !world->is_touched;
            if (!is_at_rest || !world->is_refused)
                continue;
            fault_note(&search->fault, VERIFY_DEADLOCK,
                       "all is at rest, and L1 %u does not take what it is asked for", move.who);
            keep_path(search, number, &move);
            return false;
        }
        is_fresh = false;
        search->result->counts.transitions++;
        if (search->fault.check != VERIFY_NOTHING ||
            (!search->options->takes_all_moves && !search_settle(search))) {
            keep_path(search, number, &move);
            return false;
        }
        meeting = state_meet(search, number, move, &next);
        if (meeting == MEETING_OVER)
            return false;
        if (!move_is_delivery(move))
            continue;
        delivers = true;
        if (meeting == MEETING_VOID)
            *rests = true; /* as the path does that this one was to be */
        else if (next != number)
            memcpy(chunks_add(&search->visited.edges), &next, sizeof next);
    }
    if (delivers || is_at_rest)
        return true;
    fault_note(&search->fault, VERIFY_DEADLOCK, "something waits, and nothing can be delivered");
    keep_path(search, number, NULL);
    return false;
}

/* The same, where checks that fail are faults. Where all moves are taken, such a fault may be left
 * to another path, so that each move catches its own. */
static bool state_expand(struct search *search, uint32_t number)
{
    bool goes_on;

    if (search->options->takes_all_moves)
        return moves_make(search, number);
    check_set_catch(note_caught, search);
    search->is_guarded = true;
    if (setjmp(search->caught) == 0) {
        goes_on = moves_make(search, number);
    } else {
        search->result->counts.transitions++;
        keep_path(search, number, &search->move);
        goes_on = false;
    }
    search->is_guarded = false;
    check_set_catch(NULL, NULL);
    return goes_on;
}

/* ---- Livelock ---- */

/* One pass from the last state to the first. True: more lead to rest than before. */
static bool spread_rest(struct search *search)
{
    const struct visited *visited = &search->visited;
    bool more = false;
    uint64_t end = visited->edges.count;

    for (uint32_t i = visited->count; i-- > 0;) {
        unsigned char *rests = chunks_at(&search->at_rest, i);
        uint32_t first;

        memcpy(&first, chunks_at(&visited->first_edges, i), sizeof first);
        for (uint64_t edge = first; edge < end && !*rests; edge++) {
            uint32_t next;

            memcpy(&next, chunks_at(&visited->edges, edge), sizeof next);
            if (*(unsigned char *)chunks_at(&search->at_rest, next))
                *rests = more = true;
        }
        end = first;
    }
    return more;
}

static void find_livelock(struct search *search)
{
    while (spread_rest(search))
        ;
    for (uint32_t i = 0; i < search->visited.count; i++) {
        if (*(unsigned char *)chunks_at(&search->at_rest, i))
            continue;
        fault_note(&search->fault, VERIFY_LIVELOCK, "no sequence of deliveries leads to rest");
        keep_path(search, i, NULL);
        return;
    }
}

/* ---- The search ---- */

static void report_progress(struct search *search, bool always)
{
    struct explore_counts *counts = &search->result->counts;

    counts->states = search->visited.count;
    counts->settled =
        search->options->takes_all_moves ? search->settled.count : search->visited.count;
    counts->waiting = search->frontier.count;
    if (counts->bytes < search->visited.bytes)
        counts->bytes = search->visited.bytes;
    if (search->options->progress != NULL &&
        (always || search->visited.first_edges.count % PROGRESS_STATES == 0))
        search->options->progress(search->options->context, counts);
}

static bool meet_roots(struct search *search)
{
    for (uint32_t root = 0; root < search->options->roots; root++) {
        uint32_t number;

        state_restore_first(search);
        search->options->begin(search->options->context, root);
        if (state_meet(search, NO_PARENT, (struct move){.what = (uint8_t)root}, &number) ==
            MEETING_OVER)
            return false;
    }
    return true;
}

static void search_begin(struct search *search, const struct explore_options *options,
                         struct explore_result *result)
{
    memset(search, 0, sizeof *search);
    memset(result, 0, sizeof *result);
    search->options = options;
    search->result = result;
    search->world = options->world;
    search->world->fault = search->world->traffic->fault = &search->fault;
    search->world->sends_late = !options->takes_all_moves && !options->sends_at_once;
    visited_init(&search->visited, options->bytes_max);
    visited_init(&search->settled, options->bytes_max);
    chunks_init(&search->at_rest, 1);
    frontier_init(&search->frontier, options->world);
    fingerprints_init(&search->fingerprints, options->world, options->tells_l1s_apart);
}

static void search_end(struct search *search)
{
    state_restore_first(search);
    frontier_finish(&search->frontier);
    fingerprints_finish(&search->fingerprints);
    visited_finish(&search->visited);
    visited_finish(&search->settled);
    chunks_finish(&search->at_rest);
}

void explore_run(const struct explore_options *options, struct explore_result *result)
{
    struct search search;
    uint32_t number = 0;
    uint64_t changed;
    bool goes_on;

    search_begin(&search, options, result);
    result->end = EXPLORE_EXHAUSTED;
    goes_on = meet_roots(&search);
    for (; goes_on && frontier_take(&search.frontier, &changed); number++) {
        if (search.visited.count > options->states_max) {
            result->end = EXPLORE_LIMIT;
            break;
        }
        state_restore(&search, changed);
        fingerprints_begin(&search.fingerprints, changed);
        goes_on = state_expand(&search, number);
        report_progress(&search, false);
    }
    if (result->end == EXPLORE_EXHAUSTED)
        find_livelock(&search);
    report_progress(&search, true);
    search_end(&search);
}

void explore_result_finish(struct explore_result *result)
{
    free(result->path);
    memset(result, 0, sizeof *result);
}

void explore_tell(const struct explore_options *options, const struct explore_result *result,
                  struct text *text)
{
    struct search search;
    struct explore_result unused;

    search_begin(&search, options, &unused);
    state_restore_first(&search);
    options->begin(options->context, result->root);
    for (uint32_t i = 0; i < result->path_length; i++) {
        struct text words = {0};
        struct told_move told = {
            .number = i + 1, .move = result->path[i], .is_last = i + 1 == result->path_length};

        options->world->story = &words;
        try_move(&search, result->path[i]);
        if (!options->takes_all_moves && search.fault.check == VERIFY_NOTHING)
            search_settle(&search);
        told.is_at_rest = world_is_at_rest(options->world);
        told.words = text_chars(&words);
        if (options->tell != NULL)
            options->tell(options->context, &told, text);
        else
            text_add(text, "%4u. %s\n", told.number, told.words);
        text_finish(&words);
    }
    options->world->story = NULL;
    search_end(&search);
}
