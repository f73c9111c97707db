/* SPDX-License-Identifier: MIT */
/*
 * Queues of tasks, one for each work-group, filled before the launch: no task is added. A group takes
 * its own tasks from the tail. With STEALING one that has none looks at the other groups' heads, one after
 * the other (VICTIMS). It ends when as many looks as there are others were in vain, or LOOKS if that is
 * not 0. So no group waits for another.
 *
 * A queue's state is one word, head << 16 | tail, that is changed by compare-and-swap only. So owner and
 * thief agree on each task with no second look, and no order between two words is needed. (The queue of
 * Cederman and Tsigas, "On dynamic load balancing on graphics processors", 2008, keeps two. Its scoped
 * form in Orr et al., "Synchronization using remote-scope promotion", 2015, has a race. Wickerson et al.
 * found it ("Remote-scope promotion: clarified, rectified, and verified", 2015).)
 *
 * SCENARIO, as in Orr et al.: how far the operations reach.
 *
 *     SCENARIO_BASE    no stealing, device scope        SCENARIO_STEAL   stealing, device scope
 *     SCENARIO_SCOPE   no stealing, work-group scope    SCENARIO_REMOTE  stealing: owners use the scope of
 *                      the work-group, thieves remote operations
 */
#ifndef STEALING_CL
#define STEALING_CL

#include "wavetank/scopes.cl.h"

#define SCENARIO_BASE 0
#define SCENARIO_SCOPE 1
#define SCENARIO_STEAL 2
#define SCENARIO_REMOTE 3

#define STEALING (SCENARIO == SCENARIO_STEAL || SCENARIO == SCENARIO_REMOTE)
#if SCENARIO == SCENARIO_SCOPE || SCENARIO == SCENARIO_REMOTE
#define OWNER_SCOPE memory_scope_work_group
#else
#define OWNER_SCOPE memory_scope_device
#endif

#define NO_TASK 0xffffffffu
/* A queue's state stands alone in its line, or groups would meet where they share nothing. */
#define STATE_WORDS 16

struct queues {
    volatile __global atomic_uint *states;
    __global const uint *tasks; /* all groups', one behind the other */
    __global const uint *first; /* of each group, in tasks; one more: how many there are */
    __global uint *log;         /* what each group has done: as many words for each group as there are tasks */
    __global uint *counts;      /* words of the log, then of them stolen, for each group */
    uint groups;
};

static inline uint load_state(volatile __global atomic_uint *state, bool is_own)
{
#if SCENARIO == SCENARIO_REMOTE
    if (!is_own)
        return wavetank_remote_load_acquire(state);
#endif
    return is_own ? atomic_load_explicit(state, memory_order_acquire, OWNER_SCOPE)
                  : atomic_load_explicit(state, memory_order_acquire, memory_scope_device);
}

static inline bool change_state(volatile __global atomic_uint *state, uint *old, uint new,
                                bool is_own)
{
#if SCENARIO == SCENARIO_REMOTE
    if (!is_own)
        return wavetank_remote_compare_exchange_acquire_release(state, old, new);
#endif
    return is_own ? atomic_compare_exchange_strong_explicit(state, old, new, memory_order_acq_rel,
                                                            memory_order_acquire, OWNER_SCOPE)
                  : atomic_compare_exchange_strong_explicit(state, old, new, memory_order_acq_rel,
                                                            memory_order_acquire,
                                                            memory_scope_device);
}

/* A task of the group's queue, from its tail if it is the asker's own, else from its head. */
static inline uint take_from(const struct queues *queues, uint group, bool is_own)
{
    volatile __global atomic_uint *state = queues->states + group * STATE_WORDS;
    uint old = load_state(state, is_own);

    while (old >> 16 < (old & 0xffff)) {
        uint index = is_own ? (old & 0xffff) - 1 : old >> 16;

        if (change_state(state, &old, is_own ? old - 1 : old + 0x10000, is_own))
            return queues->tasks[queues->first[group] + index];
    }
    return NO_TASK;
}

/* Whom a thief asks first, and after one whose queue is empty. NEAR, FAR: the others in cyclic order, from the next
 * group or from the one half of all away; each once before the thief ends. DRAWN: any other, by lot. */
#define VICTIMS_NEAR 0
#define VICTIMS_FAR 1
#define VICTIMS_DRAWN 2

static inline uint first_victim(uint group, uint groups)
{
    return (group + (VICTIMS == VICTIMS_FAR ? max(groups / 2, 1u) : 1)) % groups;
}

static inline uint next_victim(uint victim, uint group, uint groups, uint looks)
{
    uint next = victim + 1;

    if (VICTIMS == VICTIMS_DRAWN)
        next = (group * 2654435761u ^ (victim * 31 + looks) * 2246822519u) >> 8;
    next %= groups;
    return next == group ? (next + 1) % groups : next;
}

/* What the group's first work-item tells the others and remembers, in local memory. */
enum { NEXT_TASK, VICTIM, TASKS_DONE, TASKS_STOLEN, GROUP_WORDS };

/* The next task of the group; the victim is the group looked at last. By the first work-item. */
static inline uint find_task(const struct queues *queues, volatile __local uint *own)
{
    uint group = get_group_id(0), task = take_from(queues, group, true);

#if STEALING
    uint victim = own[VICTIM];
    uint most = LOOKS == 0 ? queues->groups : min(queues->groups, LOOKS + 1u);

    for (uint looks = 1; task == NO_TASK && looks < most; looks++) {
        task = take_from(queues, victim, false);
        if (task == NO_TASK) {
            victim = next_victim(victim, group, queues->groups, looks);
        } else {
            own[TASKS_STOLEN]++;
        }
    }
    own[VICTIM] = victim;
#endif
    return task;
}

/*
 * Runs `...` for each task that the group gets, which is then in `task`, by all its work-items. The last
 * barrier keeps the first work-item's two parts apart: the end of a turn and the beginning of the next.
 * Compilers would join them across the loop's end, and the others would not wait for the joined part.
 */
#define FOR_EACH_TASK(queues, task, ...)                                                           \
    do {                                                                                           \
        uint group_ = get_group_id(0), is_first_ = get_local_id(0) == 0;                           \
        __global uint *log_ = (queues).log + group_ * (queues).first[(queues).groups];             \
                                                                                                   \
        if (is_first_) {                                                                           \
            own_[VICTIM] = first_victim(group_, (queues).groups);                                  \
            own_[TASKS_DONE] = own_[TASKS_STOLEN] = 0;                                             \
        }                                                                                          \
        for (;;) {                                                                                 \
            if (is_first_)                                                                         \
                own_[NEXT_TASK] = find_task(&(queues), own_);                                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
            uint task = own_[NEXT_TASK];                                                           \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
            if (task == NO_TASK)                                                                   \
                break;                                                                             \
            __VA_ARGS__                                                                            \
            if (is_first_)                                                                         \
                log_[own_[TASKS_DONE]++] = task;                                                   \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
        }                                                                                          \
        if (is_first_) {                                                                           \
            (queues).counts[2 * group_] = own_[TASKS_DONE];                                        \
            (queues).counts[2 * group_ + 1] = own_[TASKS_STOLEN];                                  \
        }                                                                                          \
    } while (0)

/* A kernel's first parameters, and what it makes of them. */
#define QUEUE_PARAMETERS                                                                           \
    volatile __global atomic_uint *states, __global const uint *tasks, __global const uint *first, \
        __global uint *log, __global uint *counts
#define OPEN_QUEUES(queues)                                                                        \
    volatile __local uint own_[GROUP_WORDS];                                                       \
    struct queues queues = {states, tasks, first, log, counts, get_num_groups(0)}

#endif
