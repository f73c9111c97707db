/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests. A few work-items ("roles") on wavefronts and lanes that the host chooses run tiny programs on shared words. They
 * run many times with random pauses, and write down what they read. Orders and scopes are those of standard atomics; what is
 * stored and loaded between them is plain. verdicts says what each test may show.
 *
 * plan: [0] pause scale  [1] words between variables  [2] seed  [4 + 3 r] ... group, wavefront and lane of role r
 * memory: word 0 lines the roles up; iteration i has its variables from word (i + 1) * 512 on
 * results: four words an iteration
 */
#define LANES 64
#define ITERATION_WORDS 512
#define SPIN_LIMIT 20000

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define STRICT memory_order_seq_cst
#define SYSTEM memory_scope_all_svm_devices
#define DEVICE memory_scope_device
#define GROUP memory_scope_work_group

#define LOAD(place, order, scope) atomic_load_explicit(place, order, scope)
#define STORE(place, value, order, scope) atomic_store_explicit(place, value, order, scope)
#define ADD(place, value, order, scope) atomic_fetch_add_explicit(place, value, order, scope)

/* Plain accesses, where they stand. */
void put(__global atomic_uint *place, uint value)
{
    *(__global uint *)place = value;
    __asm__ volatile("" : : : "memory");
}

uint get(__global atomic_uint *place)
{
    __asm__ volatile("" : : : "memory");
    return *(__global uint *)place;
}

struct player {
    uint role;
    uint random;
    uint scale;
};

bool enter(__global const uint *plan, uint roles, struct player *player)
{
    uint wavefront = get_local_id(0) / LANES;

    for (uint r = 0; r < roles; r++)
        if (plan[4 + 3 * r] == get_group_id(0) && plan[5 + 3 * r] == wavefront &&
            plan[6 + 3 * r] == get_local_id(0) % LANES) {
            player->role = r;
            player->random = plan[2] * 2654435761u + r * 40503u + 1;
            player->scale = plan[0];
            return true;
        }
    return false;
}

void wait_a_while(struct player *player)
{
    player->random ^= player->random << 13;
    player->random ^= player->random >> 17;
    player->random ^= player->random << 5;
    for (uint n = (player->random >> 8) % player->scale; n > 0; n--)
        __asm__ volatile("s_nop 0");
}

/* Waits until all roles have come `round` times. Gives up, so that a fault ends the program. */
void line_up(__global atomic_uint *counter, uint wanted, uint zero)
{
    ADD(counter, 1, RELAXED, DEVICE);
    for (uint n = 0; n < SPIN_LIMIT; n++)
        if (ADD(counter, zero, RELAXED, DEVICE) >= wanted)
            return;
}

/* A test: every iteration each role may warm its L1 with x, lines up, then plays. */
#define TEST(name, roles, ...)                                                                    \
    __kernel void name(__global atomic_uint *memory, __global uint *results,                       \
                       __global const uint *plan, uint iterations, uint zero)                      \
    {                                                                                              \
        struct player player;                                                                      \
        if (!enter(plan, roles, &player))                                                          \
            return;                                                                                \
        uint zero_by_lane; /* clang must not know that lanes agree */                              \
        __asm__("v_mov_b32 %0, 0" : "=v"(zero_by_lane));                                           \
        memory += zero_by_lane;                                                                    \
        for (uint i = 0; i < iterations; i++) {                                                    \
            __global atomic_uint *x = memory + (i + 1) * ITERATION_WORDS, *y = x + plan[1],        \
                                 *z = y + plan[1];                                                 \
            __global uint *r = results + 4 * i;                                                    \
            uint warm = i & 1 ? get(x) : 0;                                       \
            line_up(memory, (i + 1) * roles + warm, zero);                                         \
            wait_a_while(&player);                                                                 \
            __VA_ARGS__                                                                                   \
        }                                                                                          \
    }
#define PAUSE wait_a_while(&player)

#define MESSAGE(name, store_order, store_scope, load_order, load_scope)                            \
    TEST(name, 2, if (player.role == 0) {                                                          \
        put(x, 1);                                                                                 \
        PAUSE;                                                                                     \
        STORE(y, 1, store_order, store_scope);                                                     \
    } else {                                                                                       \
        uint seen = LOAD(y, load_order, load_scope);                                               \
        PAUSE;                                                                                     \
        r[0] = seen;                                                                               \
        r[1] = get(x);                                                                             \
    })

MESSAGE(mp_group, RELEASE, GROUP, ACQUIRE, GROUP)
MESSAGE(mp_group_apart, RELEASE, GROUP, ACQUIRE, GROUP)
MESSAGE(mp_group_release, RELEASE, GROUP, ACQUIRE, DEVICE)
MESSAGE(mp_group_acquire, RELEASE, DEVICE, ACQUIRE, GROUP)
MESSAGE(mp_group_reader, RELEASE, DEVICE, ACQUIRE, GROUP)
MESSAGE(mp_device, RELEASE, DEVICE, ACQUIRE, DEVICE)
MESSAGE(mp_strict, STRICT, DEVICE, STRICT, DEVICE)
MESSAGE(mp_systems, RELEASE, SYSTEM, ACQUIRE, SYSTEM)

TEST(mp_relaxed, 2, if (player.role == 0) {
    STORE(x, 1, RELAXED, DEVICE);
    STORE(y, 1, RELAXED, DEVICE);
} else {
    uint first = LOAD(y, RELAXED, DEVICE), second = LOAD(x, RELAXED, DEVICE);
    r[0] = first;
    r[1] = second;
})

/* The message is an atomic addition on both sides. */
TEST(mp_atomics, 2, if (player.role == 0) {
    put(x, 1);
    PAUSE;
    ADD(y, 1, RELEASE, DEVICE);
} else {
    r[0] = ADD(y, zero, ACQUIRE, DEVICE);
    PAUSE;
    r[1] = get(x);
})

/* The reader has a plain copy of x; only the fence makes it look again. */
TEST(mp_fences, 2, if (player.role == 0) {
    put(x, 1);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, RELEASE, DEVICE);
    PAUSE;
    STORE(y, 1, RELAXED, DEVICE);
} else {
    uint seen = LOAD(y, RELAXED, DEVICE);
    PAUSE;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, ACQUIRE, DEVICE);
    r[0] = seen;
    r[1] = get(x);
})

#define STORE_BUFFER(name, order, scope)                                                           \
    TEST(name, 2, if (player.role == 0) {                                                          \
        STORE(x, 1, order, scope);                                                                 \
        r[0] = LOAD(y, order, scope);                                                              \
    } else {                                                                                       \
        STORE(y, 1, order, scope);                                                                 \
        r[1] = LOAD(x, order, scope);                                                              \
    })

STORE_BUFFER(sb_group, STRICT, GROUP)
STORE_BUFFER(sb_device, STRICT, DEVICE)
STORE_BUFFER(sb_systems, STRICT, SYSTEM)
STORE_BUFFER(sb_relaxed, RELAXED, DEVICE)

TEST(sb_atomics, 2, if (player.role == 0) {
    ADD(x, 1, STRICT, DEVICE);
    r[0] = ADD(y, zero, STRICT, DEVICE);
} else {
    ADD(y, 1, STRICT, DEVICE);
    r[1] = ADD(x, zero, STRICT, DEVICE);
})

#define COHERENCE(name, scope)                                                                     \
    TEST(name, 2, if (player.role == 0) { STORE(x, 1, RELAXED, scope); } else {                    \
        uint first = LOAD(x, RELAXED, scope), second;                                              \
        PAUSE;                                                                                     \
        second = LOAD(x, RELAXED, scope);                                                          \
        r[0] = first;                                                                              \
        r[1] = second;                                                                             \
    })

COHERENCE(corr_device, DEVICE)
COHERENCE(corr_group, GROUP)

/* Two loads at once, without a wait between. */
TEST(corr_together, 2, if (player.role == 0) { STORE(x, 1, RELAXED, DEVICE); } else {
    uint first = LOAD(x, RELAXED, DEVICE), second = LOAD(x, RELAXED, DEVICE);
    r[0] = first;
    r[1] = second;
})

/* What a work-item has written it reads, or something later. */
TEST(cowr, 2, if (player.role == 0) { STORE(x, 2, RELAXED, DEVICE); } else {
    STORE(x, 1, RELAXED, DEVICE);
    r[0] = LOAD(x, RELAXED, DEVICE);
    PAUSE;
    r[1] = LOAD(x, RELAXED, DEVICE);
})

#define READERS(name, store_order, load_order, scope)                                              \
    TEST(                                                                                          \
        name, 4, if (player.role == 0) { STORE(x, 1, store_order, scope); } else if (player.role == 1) { \
            STORE(y, 1, store_order, scope);                                                       \
        } else {                                                                                   \
            __global atomic_uint *one = player.role == 2 ? x : y, *other = player.role == 2 ? y : x; \
            uint first = LOAD(one, load_order, scope), second;                                     \
            PAUSE;                                                                                 \
            second = LOAD(other, load_order, scope);                                               \
            r[player.role * 2 - 4] = first;                                                        \
            r[player.role * 2 - 3] = second;                                                       \
        })

READERS(iriw_group, STRICT, STRICT, GROUP)
READERS(iriw_device, STRICT, STRICT, DEVICE)
READERS(iriw_systems, STRICT, STRICT, SYSTEM)
READERS(iriw_release, RELEASE, ACQUIRE, DEVICE)

/* Transitivity through a work-group: 0 and 1 share a group, 2 is elsewhere. */
TEST(isa2, 3, if (player.role == 0) {
    put(x, 1);
    STORE(y, 1, RELEASE, GROUP);
} else if (player.role == 1) {
    r[0] = LOAD(y, ACQUIRE, GROUP);
    STORE(z, 1, RELEASE, DEVICE);
} else {
    uint seen = LOAD(z, ACQUIRE, DEVICE);
    PAUSE;
    r[1] = seen;
    r[2] = get(x);
})

/* Write to read causality. */
#define CAUSALITY(name, scope)                                                                     \
    TEST(name, 3, if (player.role == 0) { STORE(x, 1, RELAXED, scope); } else if (player.role == 1) { \
        r[0] = LOAD(x, RELAXED, scope);                                                            \
        STORE(y, 1, RELEASE, scope);                                                               \
    } else {                                                                                       \
        uint seen = LOAD(y, ACQUIRE, scope);                                                       \
        PAUSE;                                                                                     \
        r[1] = seen;                                                                               \
        r[2] = LOAD(x, RELAXED, scope);                                                            \
    })

CAUSALITY(wrc_group, GROUP)
CAUSALITY(wrc_device, DEVICE)
CAUSALITY(wrc_unit, DEVICE) /* the store may still wait for its line in the L1 of whom sees it and releases */

TEST(lb_relaxed, 2, if (player.role == 0) {
    uint seen = LOAD(y, RELAXED, DEVICE);
    STORE(x, 1, RELAXED, DEVICE);
    r[0] = seen;
} else {
    uint seen = LOAD(x, RELAXED, DEVICE);
    STORE(y, 1, RELAXED, DEVICE);
    r[1] = seen;
})

/* Four wavefronts of two groups add to the same word: no addition is lost, and what each takes out is unique. */
TEST(adds, 4, {
    r[player.role] = ADD(x, 1, RELAXED, DEVICE);
})

/* A line that two wavefronts of a group share falsely: role 2 keeps loading the line of x while role 1 acquires. */
TEST(overtaken_fill, 3, if (player.role == 0) {
    put(x, 1);
    STORE(z, 1, RELEASE, DEVICE);
} else if (player.role == 1) {
    uint seen = LOAD(z, ACQUIRE, DEVICE);
    PAUSE;
    r[0] = seen;
    r[1] = get(x);
} else {
    uint sum = 0;
    for (uint n = 0; n < 4; n++)
        sum += get(x + 1);
    r[2] = sum;
})
