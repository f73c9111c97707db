/* SPDX-License-Identifier: MIT */
#include "collect.h"

#include "message.h"

#include <dlfcn.h>
#include <gpuvm.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_mark.h>

/* The program's, if it has one: this library does not need libgc. */
#pragma weak GC_is_init_called
#pragma weak GC_base
#pragma weak GC_size
#pragma weak GC_get_kind_and_size
#pragma weak GC_do_blocking
#pragma weak GC_thread_is_registered
#pragma weak GC_register_long_link
#pragma weak GC_unregister_long_link
#pragma weak GC_set_on_collection_event
#pragma weak GC_get_on_collection_event
#pragma weak GC_gcollect
#pragma weak GC_malloc_atomic
#pragma weak GC_is_incremental_mode
#pragma weak GC_get_thr_restart_signal

#define HEAP_BLOCK_BYTES 4096 /* the collector's own unit: larger objects have whole ones */
#define LARGE_BYTES 2048      /* and these are the larger ones */

/* An array that the collector is asked about. In memory that it does not scan. */
struct watched {
    void *weak; /* the array, or NULL when it is dead; the collector writes it */
    uintptr_t base;
    size_t nbytes;
    bool is_scanned;
    struct watched *next;
};

static pthread_mutex_t list_lock =
    PTHREAD_MUTEX_INITIALIZER; /* taken with the collector's lock held */
static struct watched *list;
static atomic_ullong released;
static GC_on_collection_event_proc next_proc;
static atomic_bool is_started;
static int atomic_kind; /* of objects without pointers; set before is_started */

/* The gate. */
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_changed = PTHREAD_COND_INITIALIZER;
static unsigned inside;
static bool is_closed;
static _Thread_local unsigned depth; /* of collect_guard */
static struct sigaction restart;     /* how the collector lets stopped threads go on */
static bool is_restart_known;

static bool has_collector(void)
{
    return GC_is_init_called && GC_is_init_called();
}

bool collect_find(void *pointer, struct memory *memory)
{
    size_t nbytes;
    if (!has_collector() || !GC_base(pointer))
        return false;
    memory->base = GC_base(pointer);
    memory->nbytes = GC_size(memory->base);
    bool is_atomic = GC_get_kind_and_size(memory->base, &nbytes) == atomic_kind;
    memory->kind = is_atomic ? MEMORY_COLLECTED : MEMORY_SCANNED;
    /* Nothing else is in the last of its own pages. */
    if (memory->nbytes > LARGE_BYTES && (uintptr_t)memory->base % HEAP_BLOCK_BYTES == 0)
        memory->nbytes = (memory->nbytes + HEAP_BLOCK_BYTES - 1) & ~(size_t)(HEAP_BLOCK_BYTES - 1);
    return true;
}

/* ---- The collector's signal ---- */

static bool is_collectors(const struct sigaction *action)
{
    Dl_info handler, collector;
    return dladdr((void *)(uintptr_t)action->sa_handler, &handler) &&
           dladdr((void *)(uintptr_t)GC_get_thr_restart_signal, &collector) &&
           handler.dli_fbase == collector.dli_fbase;
}

/*
 * With the gate's lock. OpenCL's compilers (LLVM) handle SIGXCPU, by which the collector lets
 * threads go on, from the first file that they write (lib/Support/Unix/Signals.inc: KillSigs). They
 * do so with SA_RESETHAND: the first thread's restart is lost, and the second's ends the program.
 * No collection comes between: it waits for the gate.
 */
static void keep_restart_signal(void)
{
    int number = GC_get_thr_restart_signal ? GC_get_thr_restart_signal() : -1;
    struct sigaction now;
    if (number <= 0 || sigaction(number, NULL, &now))
        return;
    if (is_restart_known && now.sa_handler != restart.sa_handler) {
        sigaction(number, &restart, NULL);
    } else if (!is_restart_known && is_collectors(&now)) {
        restart = now;
        is_restart_known = true;
    }
}

/* ---- The gate ---- */

static void gate_enter(void)
{
    pthread_mutex_lock(&gate_lock);
    while (is_closed)
        pthread_cond_wait(&gate_changed, &gate_lock);
    inside++;
    pthread_mutex_unlock(&gate_lock);
}

static void gate_leave(void)
{
    pthread_mutex_lock(&gate_lock);
    keep_restart_signal();
    if (--inside == 0 && is_closed)
        pthread_cond_broadcast(&gate_changed);
    pthread_mutex_unlock(&gate_lock);
}

/* On the collecting thread, which is not inside. */
static void gate_close(void)
{
    pthread_mutex_lock(&gate_lock);
    is_closed = true;
    while (inside > 0)
        pthread_cond_wait(&gate_changed, &gate_lock);
    pthread_mutex_unlock(&gate_lock);
}

static void gate_open(void)
{
    pthread_mutex_lock(&gate_lock);
    is_closed = false;
    pthread_cond_broadcast(&gate_changed);
    pthread_mutex_unlock(&gate_lock);
}

struct guarded {
    void (*function)(void *argument);
    void *argument;
};

/*
 * OpenCL's compilers (LLVM) give the thread a stack for signals and leave it there. Where touches
 * are signals, the collector would stop the thread on that stack, and take it for the thread's own.
 */
static void *run_guarded(void *argument)
{
    struct guarded *guarded = argument;
    stack_t before;
    bool is_known = !sigaltstack(NULL, &before);
    depth++;
    gate_enter();
    guarded->function(guarded->argument);
    gate_leave();
    depth--;
    if (is_known)
        sigaltstack(&before, NULL);
    return NULL;
}

void collect_guard(void (*function)(void *argument), void *argument)
{
    struct guarded guarded = {function, argument};
    if (depth > 0 || !atomic_load_explicit(&is_started, memory_order_acquire))
        function(argument);
    else if (GC_thread_is_registered())
        GC_do_blocking(run_guarded, &guarded);
    else
        run_guarded(&guarded);
}

/* ---- What the collector says, with its lock held ---- */

static void bring_scanned_home(void)
{
    pthread_mutex_lock(&list_lock);
    for (struct watched *one = list; one; one = one->next)
        if (one->is_scanned && gpuvm_is_linked((void *)one->base, one->nbytes) &&
            !gpuvm_host_begin((void *)one->base, one->nbytes, GPUVM_READ_ONLY))
            gpuvm_host_end((void *)one->base, one->nbytes);
    pthread_mutex_unlock(&list_lock);
}

/* The world goes on, but a thread that allocates waits for us. */
static void release_dead(void)
{
    unsigned count = 0;
    pthread_mutex_lock(&list_lock);
    for (struct watched **place = &list; *place;) {
        struct watched *one = *place;
        if (one->weak) {
            place = &one->next;
            continue;
        }
        if (gpuvm_forget((void *)one->base, one->nbytes, 0) > 0)
            count++;
        *place = one->next;
        free(one);
    }
    pthread_mutex_unlock(&list_lock);
    atomic_fetch_add(&released, count);
    if (count && message_level() > 0)
        message(NULL, "a collection: %u arrays were dead, their buffers are released", count);
}

static void GC_CALLBACK hear(GC_EventType event)
{
    depth++; /* what is called here must not pass the gate */
    if (event == GC_EVENT_PRE_STOP_WORLD) {
        gate_close();
        bring_scanned_home();
    } else if (event == GC_EVENT_POST_START_WORLD) {
        gate_open();
    } else if (event == GC_EVENT_RECLAIM_END) {
        release_dead();
    }
    depth--;
    if (next_proc)
        next_proc(event);
}

void collect_start(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (atomic_load_explicit(&is_started, memory_order_acquire) || !has_collector())
        return;
    if (GC_is_incremental_mode())
        message_fatal(NULL,
                      "the collector is in incremental mode, whose page faults would meet ours; "
                      "do not call GC_enable_incremental");
    pthread_mutex_lock(&lock);
    if (!atomic_load(&is_started)) {
        size_t nbytes;
        atomic_kind = GC_get_kind_and_size(GC_malloc_atomic(1), &nbytes);
        pthread_mutex_lock(&gate_lock);
        keep_restart_signal();
        pthread_mutex_unlock(&gate_lock);
        next_proc = GC_get_on_collection_event();
        GC_set_on_collection_event(hear);
        atomic_store_explicit(&is_started, true, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Arrays ---- */

bool collect_watch(const struct memory *memory)
{
    bool is_collected = memory->kind == MEMORY_COLLECTED || memory->kind == MEMORY_SCANNED;
    if (!has_collector() || !(is_collected || memory->kind == MEMORY_GLOBAL))
        return true;
    struct watched *made = malloc(sizeof(*made));
    if (!made)
        return false;
    *made = (struct watched){.weak = memory->base,
                             .base = (uintptr_t)memory->base,
                             .nbytes = memory->nbytes,
                             .is_scanned = memory->kind != MEMORY_COLLECTED};
    if (is_collected && GC_register_long_link(&made->weak, memory->base) == GC_NO_MEMORY) {
        free(made);
        return false;
    }
    pthread_mutex_lock(&list_lock);
    made->next = list;
    list = made;
    pthread_mutex_unlock(&list_lock);
    return true;
}

bool collect_now(void)
{
    if (!has_collector())
        return false;
    GC_gcollect();
    return true;
}

unsigned long long collect_released(void)
{
    return atomic_load(&released);
}
