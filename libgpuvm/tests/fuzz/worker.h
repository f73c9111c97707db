/* SPDX-License-Identifier: MIT */
/*
 * The fuzzer's state. A worker is a thread with memory and arrays of its own. Memory comes in
 * blocks. An array is a part of a block. The rest of the block is memory beside it, which the host
 * may use at any time. For each block the model holds the bytes that the host must see.
 */
#ifndef TESTS_FUZZ_WORKER_H
#define TESTS_FUZZ_WORKER_H

#include "device.h"
#include "dice.h"
#include "options.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum {
    BLOCKS = 12,
    ARRAYS = 24,
    HISTORY = 32,
    STACK_AREA_BYTES = 700 << 10,
    GLOBAL_AREA_BYTES = 900 << 10,
    SCRATCH_BYTES = 1 << 20,
};

enum place { PLACE_MALLOC, PLACE_CALLOC, PLACE_PAGES, PLACE_HUGE, PLACE_STACK, PLACE_GLOBAL };

struct block {
    unsigned char *host; /* NULL: free */
    unsigned char *model;
    size_t bytes;
    enum place place;
    void *mapping; /* what to give back, if it is mapped */
    size_t mapping_bytes;
};

struct link {
    bool is_linked;
    bool is_lazy; /* the library makes the buffer */
    void *buffer; /* ours, if not */
    unsigned depth;
    int flags; /* of the begins that are open */
};

/* What was done to an array last. */
struct history {
    unsigned count;
    struct {
        unsigned long long operation;
        char text[96];
    } entries[HISTORY];
};

struct array {
    bool is_alive;   /* linked on a device at least */
    bool is_in_call; /* a call is using it: the allocator must leave it alone */
    struct block *block;
    size_t offset, bytes;
    struct link links[MAX_DEVICES];
    struct gpuvm_array_info info; /* as it was last */
    struct history history;
};

/* A checksum that a device is computing. */
struct check {
    bool is_used;
    unsigned device;
    uint32_t expected;
    struct array *array;
    unsigned long long operation;
};

/* A child that lives on for a while. */
struct child {
    pid_t process; /* 0: none */
    int release_pipe;
};

struct worker {
    unsigned index;
    pthread_t thread;
    struct dice dice;
    struct block blocks[BLOCKS];
    struct array arrays[ARRAYS];
    struct check checks[CHECKSUM_SLOTS];
    struct child child;
    unsigned char *stack_area, *global_area;
    unsigned char *scratch; /* SCRATCH_BYTES */
    int memory_file, pipe_ends[2];
    struct verdict *verdict; /* shared with the child */
    bool wants_restart;
    const char *doing;
    atomic_ullong operations, bytes_compared;
};

struct fuzz {
    struct options options;
    struct device_kind *kind;
    unsigned devices;
    const char *rung;       /* in use */
    bool has_kernel_faults; /* system calls may touch what a device owns */
    bool is_counted;        /* the devices' totals are the library's */
    bool has_sync_back;
    bool has_allocator; /* else (devices that see host memory) an array without a buffer needs none
                         */
    int init_flags;
    struct worker *workers;
    pthread_rwlock_t restarting; /* read: an operation; write: the library stops and starts */
    atomic_bool is_over;
    atomic_bool has_budgets; /* buffers may be denied for that */
    atomic_ullong injected, failures, restarts, forks, collected, evicted;
};

extern struct fuzz fuzz;

/* ---- model.c: what ought to be ---- */

unsigned char *array_host(const struct array *array);
unsigned char *array_model(const struct array *array);
bool array_in_use(const struct array *array);
/* Whether the host may touch these bytes: no array there is in use. */
bool host_may_touch(const struct worker *worker, const struct block *block, size_t at,
                    size_t bytes);
/* A random array that fits; NULL: there is none. */
struct array *pick_array(struct worker *worker, bool (*fits)(const struct array *array));
bool is_idle(const struct array *array);
bool is_used(const struct array *array);
bool is_any(const struct array *array);
/* The array that fits and lies first among those that end after `from`; NULL: there is none. */
const struct array *next_array(const struct worker *worker, const struct block *block, size_t from,
                               bool (*fits)(const struct array *array));
/* A random part of n bytes, never empty; shapes that matter more often. */
void pick_range(struct dice *dice, size_t n, size_t *at, size_t *bytes);

/* Compares the host's bytes with the model's, touching them; ends the program if they differ. */
void compare(struct worker *worker, const struct block *block, size_t at, size_t bytes,
             const char *how);
/* The same for bytes that were brought elsewhere: copied is what stood at `at`. */
void compare_copy(struct worker *worker, const struct block *block, size_t at, size_t bytes,
                  const unsigned char *copied, const char *how);
void compare_all(struct worker *worker);
/* The first wrong byte among those that the host may touch; false: none. Nothing is printed or
 * allocated. */
bool find_difference(const struct worker *worker, unsigned *block, size_t *at);

void note(struct worker *worker, struct array *array, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void note_all(struct worker *worker, const char *text);
/* Prints what is known and ends the program. array may be NULL. */
_Noreturn void fail(struct worker *worker, const struct array *array, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* fail unless got is wanted. */
void expect(struct worker *worker, const struct array *array, const char *call, int got,
            int wanted);

/* ---- places.c ---- */

/* A block with a free part, old or new, and an array's place in it; NULL: no room. */
struct array *place_array(struct worker *worker);
void release_block(struct block *block);
bool has_arrays(const struct worker *worker, const struct block *block);

/* ---- Operations: false if there was nothing to do it on ---- */

bool read_host(struct worker *worker);
bool write_host(struct worker *worker);
bool copy_host(struct worker *worker);
bool write_beside(struct worker *worker);
bool use_host(struct worker *worker);
bool call_system(struct worker *worker);
bool play_rounds(struct worker *worker);

bool link_array(struct worker *worker);
bool link_further(struct worker *worker);
bool unlink_array(struct worker *worker);
bool change_budget(struct worker *worker);
bool begin_one(struct worker *worker);
bool end_one(struct worker *worker);
bool begin_several(struct worker *worker);
bool end_several(struct worker *worker);
bool run_kernel(struct worker *worker);
bool run_checksum(struct worker *worker);

bool fork_child(struct worker *worker);
bool reap_child(struct worker *worker);
bool ask_restart(struct worker *worker);
bool look_at_info(struct worker *worker);
bool misuse(struct worker *worker);
bool inject_failure(struct worker *worker);
bool drop_block(struct worker *worker);
bool compare_everything(struct worker *worker);

/* ---- What they share ---- */

/* Whether a call failed because a device was told to: then the caller may try again. Any other
 * error ends the program. */
bool is_injected(struct worker *worker, const struct array *array, const char *call, int result);
/* Waits for the checksums under way and compares them. */
void settle_checks(struct worker *worker);
/* Ends every use, with all its nesting. */
void end_all_uses(struct worker *worker);
/* Begin, a kernel, end; false: the device has no memory for the buffer. */
bool use_once(struct worker *worker, struct array *array, unsigned device, int flags);
void unlink_fully(struct worker *worker, struct array *array);
/* Gives back the buffers of an array that the library has let go. */
void forget_links(struct worker *worker, struct array *array);
/* New contents, since what was there is undefined. */
void rewrite(struct worker *worker, struct array *array);
/* Starts the library; false: the rung is refused. */
bool start_library(struct dice *dice);
/* Stops and starts it; no other thread is in an operation. */
void restart_library(struct worker *worker);
/* As the library starts: without a limit. */
void forget_budgets(void);
/* Compares the library's statistics with the devices' and the workers' own counts. */
void compare_statistics(struct worker *worker);
/* For gpuvm_set_allocator. */
extern const struct gpuvm_allocator fuzz_allocator;
extern _Thread_local struct worker *this_worker;

#endif
