/* SPDX-License-Identifier: MIT */
/* Handles: which are alive, who holds them; the lock, and the callbacks that wait for it to be
 * free. */
#include "opencl/driver.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"

enum { LATEST_OBJECTS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct notification *due, **due_last = &due;

/* All live objects: open addressing, at most half full, so that a bogus handle is never followed.
 */
static struct {
    struct object **slots;
    size_t capacity, count;
} live;

static size_t slot_of(const void *handle)
{
    uint64_t hash = (uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(hash >> 32) & (live.capacity - 1);

    while (live.slots[slot] != NULL && (const void *)live.slots[slot] != handle)
        slot = (slot + 1) & (live.capacity - 1);
    return slot;
}

static void live_grow(void)
{
    struct object **old = live.slots;
    size_t old_capacity = live.capacity;

    live.capacity = old_capacity == 0 ? 64 : 2 * old_capacity;
    live.slots = allocate(live.capacity, sizeof *live.slots);
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i] != NULL)
            live.slots[slot_of(old[i])] = old[i];
    free(old);
}

static void live_add(struct object *object)
{
    if (2 * (live.count + 1) > live.capacity)
        live_grow();
    live.slots[slot_of(object)] = object;
    live.count++;
}

static void live_remove(struct object *object)
{
    size_t slot = slot_of(object);

    check(live.slots[slot] == object, "an object that is not alive is destroyed");
    live.slots[slot] = NULL;
    live.count--;
    /* What stood behind it in the same run of slots may have to move up. */
    for (slot = (slot + 1) & (live.capacity - 1); live.slots[slot] != NULL;
         slot = (slot + 1) & (live.capacity - 1)) {
        struct object *moved = live.slots[slot];

        live.slots[slot] = NULL;
        live.slots[slot_of(moved)] = moved;
    }
}

void object_init(struct object *object, enum object_kind kind, void (*destroy)(struct object *))
{
    object->dispatch = &driver_dispatch;
    object->destroy = destroy;
    object->kind = kind;
    object->references = 1;
    object->uses = 0;
    live_add(object);
}

bool object_is(const void *handle, enum object_kind kind)
{
    const struct object *object;

    if (handle == NULL || live.capacity == 0)
        return false;
    object = live.slots[slot_of(handle)];
    return object != NULL && object->kind == kind;
}

bool object_is_live(const void *handle, enum object_kind kind)
{
    bool is_live;

    driver_enter();
    is_live = object_is(handle, kind);
    driver_leave();
    return is_live;
}

static void destroy_if_idle(struct object *object)
{
    if (object->references > 0 || object->uses > 0)
        return;
    live_remove(object);
    object->destroy(object);
}

/* A program that releases a handle twice, or uses it afterwards, meets the loader first, which
 * reads `dispatch` of whatever is there. So the latest objects stay as they were for a while, and
 * the call comes to be answered. */
void object_free(struct object *object)
{
    static struct object *latest[LATEST_OBJECTS];
    static size_t next;

    free(latest[next]);
    latest[next] = object;
    next = (next + 1) % LATEST_OBJECTS;
}

void object_use(struct object *object)
{
    object->uses++;
}

void object_drop(struct object *object)
{
    check(object->uses > 0, "an object is dropped more often than used");
    object->uses--;
    destroy_if_idle(object);
}

cl_int object_retain(void *handle, enum object_kind kind, cl_int invalid)
{
    struct object *object = handle;
    cl_int status = CL_SUCCESS;

    driver_enter();
    if (object_is(handle, kind))
        object->references++;
    else
        status = invalid;
    return driver_return(status);
}

cl_int object_release(void *handle, enum object_kind kind, cl_int invalid)
{
    struct object *object = handle;
    cl_int status = CL_SUCCESS;

    driver_enter();
    if (object_is(handle, kind) && object->references > 0) {
        object->references--;
        destroy_if_idle(object);
    } else {
        status = invalid;
    }
    return driver_return(status);
}

void driver_enter_in(const char *function)
{
    pthread_mutex_lock(&lock);
    refusal_in(function);
    session_enter();
}

static void notification_run(const struct notification *n)
{
    switch (n->kind) {
    case NOTIFY_EVENT:
        ((void(CL_CALLBACK *)(cl_event, cl_int, void *))n->function)((cl_event)n->handle, n->status,
                                                                     n->data);
        break;
    case NOTIFY_PROGRAM:
    case NOTIFY_DESTROYED:
        ((void(CL_CALLBACK *)(void *, void *))n->function)(n->handle, n->data);
        break;
    case NOTIFY_SVM_FREE:
        ((void(CL_CALLBACK *)(cl_command_queue, cl_uint, void **, void *))n->function)(
            (cl_command_queue)n->handle, n->count, n->pointers, n->data);
        break;
    }
}

static void notification_finish(struct notification *notification)
{
    if (notification->object != NULL)
        object_drop(notification->object);
    free(notification->pointers);
    free(notification);
}

/* Dropping an object may bring further callbacks due: until there are none. */
static void run_due(void)
{
    while (due != NULL) {
        struct notification *list = due;

        due = NULL;
        due_last = &due;
        session_leave();
        pthread_mutex_unlock(&lock);
        for (struct notification *n = list; n != NULL; n = n->next)
            notification_run(n);
        pthread_mutex_lock(&lock);
        session_enter();
        while (list != NULL) {
            struct notification *next = list->next;

            notification_finish(list);
            list = next;
        }
    }
}

void driver_leave(void)
{
    run_due();
    session_leave();
    pthread_mutex_unlock(&lock);
}

cl_int driver_return(cl_int status)
{
    driver_leave();
    return status;
}

void *driver_return_object(cl_int *status_place, cl_int status, void *object)
{
    driver_leave();
    if (status_place != NULL)
        *status_place = status;
    return status == CL_SUCCESS ? object : NULL;
}

void driver_wait(void)
{
    if (due != NULL) {
        run_due();
        return;
    }
    session_leave();
    pthread_cond_wait(&changed, &lock);
    session_enter();
}

void driver_wake_waiters(void)
{
    pthread_cond_broadcast(&changed);
}

void notification_call(const struct notification *notification)
{
    struct notification *copy = allocate(1, sizeof *copy);

    *copy = *notification;
    copy->next = NULL;
    if (copy->object != NULL)
        object_use(copy->object);
    *due_last = copy;
    due_last = &copy->next;
}

void destructor_add(struct destructor **list, void (*function)(void), void *data)
{
    struct destructor *destructor = allocate(1, sizeof *destructor);

    destructor->function = function;
    destructor->data = data;
    destructor->next = *list;
    *list = destructor;
}

void destructors_notify(struct destructor *list, void *handle)
{
    while (list != NULL) {
        struct destructor *next = list->next;

        notification_call(&(struct notification){.kind = NOTIFY_DESTROYED,
                                                 .function = list->function,
                                                 .handle = handle,
                                                 .data = list->data});
        free(list);
        list = next;
    }
}
