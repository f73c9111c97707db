/* SPDX-License-Identifier: MIT */
/* The programs. W, R: release, acquire; g: of the work-group, d: of the device, rm: remote. */
#include "base/bits.h"
#include "verify/litmus.h"

#define LOAD(line)                                                                                 \
    {                                                                                              \
        LITMUS_LOAD, REACH_PLAIN, ORDER_RELAXED, line, 0, 0                                        \
    }
#define STORE(line, value)                                                                         \
    {                                                                                              \
        LITMUS_STORE, REACH_PLAIN, ORDER_RELAXED, line, value, 0                                   \
    }
#define NEXT(line)                                                                                 \
    {                                                                                              \
        LITMUS_STORE_NEXT, REACH_PLAIN, ORDER_RELAXED, line, 1, 0                                  \
    }
#define R(reach, line)                                                                             \
    {                                                                                              \
        LITMUS_LOAD, REACH_##reach, ORDER_ACQUIRE, line, 0, 0                                      \
    }
#define W(reach, line, value)                                                                      \
    {                                                                                              \
        LITMUS_STORE, REACH_##reach, ORDER_RELEASE, line, value, 0                                 \
    }
#define TAKE(reach, line, skip)                                                                    \
    {                                                                                              \
        LITMUS_CAS, REACH_##reach, ORDER_ACQUIRE, line, 1, skip                                    \
    }
#define ADD(reach, line)                                                                           \
    {                                                                                              \
        LITMUS_ADD, REACH_##reach, ORDER_ACQUIRE_RELEASE, line, 1, 0                               \
    }
#define ADD_IN(reach, order, line)                                                                 \
    {                                                                                              \
        LITMUS_ADD, REACH_##reach, ORDER_##order, line, 1, 0                                       \
    }
/* A counter in x behind the lock y. */
#define RAISE(reach) TAKE(reach, 1, 3), LOAD(0), NEXT(0), W(reach, 1, 0)

const struct litmus litmus_programs[] = {
    {"mp_device",
     "x = 1; W_d y | R_d y; x",
     false,
     {{STORE(0, 1), W(DEVICE, 1, 1)}, {LOAD(0), R(DEVICE, 1), LOAD(0)}},
     {{1, 1, 1}, {1, 2, 0}},
     2},
    {"adds_device",
     "add_d | add_d",
     false,
     {{ADD(DEVICE, 0)}, {ADD(DEVICE, 0)}},
     {{0, 0, 0}, {1, 0, 0}},
     2},
    {"lock_device",
     "a counter behind a lock of the device",
     false,
     {{RAISE(DEVICE)}, {RAISE(DEVICE)}},
     {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}},
     3},
    {"own_store",
     "a thread reads its own release, with y in L1",
     false,
     {{LOAD(1), W(GROUP, 1, 1), R(GROUP, 1)}},
     {{0, 2, 0}},
     1},
    {"group_atomic_and_release",
     "add_g x, relaxed; W_d y | R_d y; x, with x in L1",
     false,
     {{ADD_IN(GROUP, RELAXED, 0), W(DEVICE, 1, 1)}, {LOAD(0), R(DEVICE, 1), LOAD(0)}},
     {{1, 1, 1}, {1, 2, 0}},
     2},
    {"mp_remote_acquire",
     "x = 1; W_g y | rm R y; x",
     true,
     {{STORE(0, 1), W(GROUP, 1, 1)}, {LOAD(0), R(REMOTE, 1), LOAD(0)}},
     {{1, 1, 1}, {1, 2, 0}},
     2},
    {"mp_remote_acquire_rmw",
     "x = 1; add_g y | rm R y; x",
     true,
     {{STORE(0, 1), ADD(GROUP, 1)}, {LOAD(0), R(REMOTE, 1), LOAD(0)}},
     {{1, 1, 1}, {1, 2, 0}},
     2},
    {"mp_remote_release",
     "x = 1; rm W y | R_g y; x, with x and y in L1",
     true,
     {{STORE(0, 1), W(REMOTE, 1, 1)}, {LOAD(0), R(GROUP, 1), LOAD(0)}},
     {{1, 1, 1}, {1, 2, 0}},
     2},
    {"mp_remote_release_warm",
     "the same, after another acquire of y",
     true,
     {{STORE(0, 1), W(REMOTE, 1, 1)}, {LOAD(0), R(GROUP, 1), R(GROUP, 1), LOAD(0)}},
     {{1, 2, 1}, {1, 3, 0}},
     2},
    {"lock",
     "a counter behind a lock that its owner takes by its group's scope",
     true,
     {{RAISE(GROUP)}, {RAISE(REMOTE)}},
     {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}},
     3},
    {"lock_warm",
     "the same, the owner's L1 has a copy of the lock",
     true,
     {{LOAD(1), RAISE(GROUP)}, {RAISE(REMOTE)}},
     {{0, 1, 0}, {0, 2, 0}, {1, 1, 0}},
     3},
    {"lock_again",
     "the same, the owner takes it twice",
     true,
     {{RAISE(GROUP), RAISE(GROUP)}, {RAISE(REMOTE)}},
     {{0, 4, 0}, {0, 5, 1}, {1, 1, 1}},
     3},
    {"adds",
     "add_g; add_g | rm add",
     true,
     {{ADD(GROUP, 0), ADD(GROUP, 0)}, {ADD(REMOTE, 0)}},
     {{0, 0, 0}, {1, 0, 0}},
     2},
    {"adds_second",
     "the same, the second one",
     true,
     {{ADD(GROUP, 0), ADD(GROUP, 0)}, {ADD(REMOTE, 0)}},
     {{0, 1, 1}, {1, 0, 1}},
     2},
    {"adds_three",
     "add_g | rm add | rm add",
     true,
     {{ADD(GROUP, 0)}, {ADD(REMOTE, 0)}, {ADD(REMOTE, 0)}},
     {{0, 0, 1}, {1, 0, 1}},
     2},
    {"store_and_remote_add",
     "W_g x = 5; R_g x | rm add x",
     true,
     {{W(GROUP, 0, 5), R(GROUP, 0)}, {ADD(REMOTE, 0)}},
     {{0, 1, 1}},
     1},
    {"hand_back",
     "W_g y; R_g y; x, with x in L1 | x = 1; rm add y between the two",
     true,
     {{LOAD(0), W(GROUP, 1, 1), R(GROUP, 1), LOAD(0)}, {STORE(0, 1), ADD(REMOTE, 1)}},
     {{1, 1, 1}, {0, 2, 2}, {0, 3, 0}},
     3},
    {"promoted_dirty",
     "add_g y, a release; R_g y | rm W y = 2 before both",
     true,
     {{ADD_IN(GROUP, RELEASE, 1), R(GROUP, 1)}, {W(REMOTE, 1, 2)}},
     {{0, 0, 2}, {0, 1, 2}},
     2},
    {"rmw_and_store",
     "add_g x | rm W x = 2; rm R x",
     true,
     {{ADD(GROUP, 0)}, {W(REMOTE, 0, 2), R(REMOTE, 0)}},
     {{1, 1, 1}},
     1},
    {"rmw_and_store_warm",
     "the same, with x in the owner's L1",
     true,
     {{LOAD(0), ADD(GROUP, 0)}, {W(REMOTE, 0, 2), R(REMOTE, 0)}},
     {{1, 1, 1}},
     1},
    {"isa2",
     "x = 1; W_g y | rm R y; rm W z | R_g z; x",
     true,
     {{STORE(0, 1), W(GROUP, 1, 1)},
      {R(REMOTE, 1), W(REMOTE, 2, 1)},
      {LOAD(0), R(GROUP, 2), LOAD(0)}},
     {{1, 0, 1}, {2, 1, 1}, {2, 2, 0}},
     3},
};
const uint32_t litmus_program_count = ARRAY_COUNT(litmus_programs);
