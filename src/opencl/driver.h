/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL driver: a shared library that the ICD loader opens. One platform, one GPU device, one
 * machine per process, built when the first context is created (device queries need the
 * configuration only).
 *
 *     entry point (clEnqueueX) ──► argument checks ──► command ──► queue
 *                                                                    │
 *     clFlush, clFinish, clWaitForEvents, blocking calls,            ▼
 *     queries of an event's status ──► the calling thread runs the commands that can run
 *
 * There are no threads of the driver's own, so the order of execution depends on the program's
 * calls alone. One lock guards everything (driver_enter, driver_leave); callbacks run when it has
 * been given back. Every function here that is not an entry point wants the lock held.
 *
 * Time is the machine's: an event's QUEUED, SUBMIT, START and END are simulated nanoseconds; host
 * time counts zero. The device's and the host's timer (clGetDeviceAndHostTimer, clGetHostTimer) are
 * that same clock: it stands still while the program computes.
 *
 * A call that is wrong gets the specification's code, and says why once on stderr. Of queries that
 * programs try, and of handles that are released, nothing is said.
 *
 * Left out: pipes, parts of the device by affinity, SPIR-V, built-in kernels, work-groups that do
 * not divide the NDRange, sharing with other APIs. They are refused with CL_INVALID_OPERATION or as
 * the specification says, and named once on stderr.
 * Queues out of order are accepted and run in order, but for commands that cannot run yet.
 * CL_MEM_READ_ONLY is not enforced.
 *
 * The environment:
 * WAVETANK_GPU           name or file of the configuration ("hd7970")
 * WAVETANK_SET           "path=value", separated by newlines or semicolons
 * WAVETANK_MODEL         "timed" (default) or "functional"
 * WAVETANK_JSON          file for the statistics; %p becomes the process number
 * WAVETANK_JSON_KERNELS  which launches have objects of their own there: all; sum: none, but sums
 *                        by kernel; none. Default: the first 1,000, then sums
 * WAVETANK_QUIET         1: no table at exit, no progress; what is refused or goes wrong is
 *                        still said
 * WAVETANK_BUILD_OPTIONS appended to the options of each clBuildProgram and clCompileProgram (not
 *                        of clLinkProgram, which has no source); not in CL_PROGRAM_BUILD_OPTIONS
 * WAVETANK_HOST_POINTERS "refresh" (default): memory of CL_MEM_USE_HOST_PTR that the host
 *                        rewrites without a map reaches the next command, and results reach it
 *                        at clFinish and the like; "copy": at creation and at maps only
 * WAVETANK_MAX_CYCLES    end the process (status 124) with its report after so many core cycles
 * WAVETANK_OUT_OF_BOUNDS "fault" (default) or "zero": what an access outside all buffers is
 * WAVETANK_EXACT_BOUNDS  1: buffers end at their last byte on the timed model too
 * WAVETANK_SAMPLE        "N" or "N:STATISTIC,...": time series in the JSON file (report/samples.h)
 * WAVETANK_TIMELINE      file for the timeline (opencl/timeline.h); %p becomes the process number
 * WAVETANK_PROFILE       file for the profile by source line, or - for stderr (opencl/profile.h)
 * WAVETANK_TIMED_KERNELS which launches are timed; others run functionally (machine/selection.h)
 * WAVETANK_WARM_CACHES   1: L2 holds after those what they touched last; else caches are empty
 * WAVETANK_COVERAGE      1: how often each row of the protocol's tables was used is said at the end
 * WAVETANK_CHECK_RELEASE 1: loads older than another compute unit's store are counted and said
 * WAVETANK_TRACE         which instructions to trace (see gpu/trace.h)
 * WAVETANK_TIMELINE_DETAIL  what of launches the timeline has in detail (opencl/timeline.h)
 * WAVETANK_TRACE_MEMORY  which accesses to memory to trace (the same)
 * WAVETANK_TRACE_FILE    where to (stderr); %p becomes the process number
 * WAVETANK_PROGRESS      1: a progress display even where stderr is no terminal; 0: none
 * WAVETANK_SIGINT        1: Ctrl-C, SIGTERM and SIGHUP stop the machine cleanly, the report is
 *                        made, and the process dies by the signal; at SIGUSR1 a line says how far
 *                        the kernel is
 * WAVETANK_STATUS_FILE   journal of the processes (report/journal.h), and beside it what they
 *                        keep of their results
 * WAVETANK_COMMAND       command line, for the report
 * The compiler's own (WAVETANK_CLANG, WAVETANK_LIBCLC, WAVETANK_BUILTINS, WAVETANK_CACHE) are in
 * program/program.h.
 *
 * Source: Khronos, "The OpenCL Specification" 3.0 (unified), and the extension cl_khr_icd.
 */
#ifndef OPENCL_DRIVER_H
#define OPENCL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include "machine/machine.h"
#include "opencl/answer.h"
#include "opencl/results.h"

/* ---- Objects (object.c) ---- */

enum object_kind {
    OBJECT_PLATFORM,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_QUEUE,
    OBJECT_MEMORY,
    OBJECT_PROGRAM,
    OBJECT_KERNEL,
    OBJECT_EVENT,
    OBJECT_SAMPLER
};

/* What every handle points to first. The loader reads `dispatch` and nothing else. An object lives
 * while the program holds references or the driver uses it; only the former are what
 * CL_*_REFERENCE_COUNT tells. */
struct object {
    const struct _cl_icd_dispatch *dispatch;
    void (*destroy)(struct object *object);
    enum object_kind kind;
    cl_uint references, uses;
};

extern const struct _cl_icd_dispatch driver_dispatch; /* icd.c */

/* Take and give back the driver's lock, in an entry point. driver_leave then runs the callbacks
 * that have come due. */
#define driver_enter() driver_enter_in(__func__)
void driver_enter_in(const char *function);
void driver_leave(void);
/* The same, and hands the status on: `return driver_return(status);` */
cl_int driver_return(cl_int status);
/* Stores the status where the program asked for it, leaves, and hands the object on (NULL unless
 * CL_SUCCESS). */
void *driver_return_object(cl_int *status_place, cl_int status, void *object);
/* Sleeps until another thread has changed something, or runs callbacks that are due. */
void driver_wait(void);
void driver_wake_waiters(void);

/* Makes the object known, with one reference. */
void object_init(struct object *object, enum object_kind kind, void (*destroy)(struct object *));
/* Gives back the memory of an object that is destroyed; it begins with the object. */
void object_free(struct object *object);
/* Whether the handle is a live object of the kind; any bit pattern may be asked about. */
bool object_is(const void *handle, enum object_kind kind);
/* The same where the lock is not held. */
bool object_is_live(const void *handle, enum object_kind kind);
void object_use(struct object *object);
void object_drop(struct object *object);
/* clRetain*, clRelease* as a whole; `invalid` is the status for a handle that is none. */
cl_int object_retain(void *handle, enum object_kind kind, cl_int invalid);
cl_int object_release(void *handle, enum object_kind kind, cl_int invalid);

/* A callback to be run when the lock is given back. The object, if any, is used until then. */
enum notification_kind {
    NOTIFY_EVENT,     /* function(event, status, data) */
    NOTIFY_PROGRAM,   /* function(program, data) */
    NOTIFY_DESTROYED, /* function(handle, data): the handle is a name only */
    NOTIFY_SVM_FREE   /* function(queue, count, pointers, data); pointers are freed afterwards */
};
struct notification {
    struct notification *next;
    enum notification_kind kind;
    void (*function)(void);
    struct object *object;
    void *handle, *data;
    cl_int status;
    cl_uint count;
    void **pointers;
};
void notification_call(const struct notification *notification);

/* One of the functions to call when an object ceases to be: latest first. */
struct destructor {
    struct destructor *next;
    void (*function)(void);
    void *data;
};
void destructor_add(struct destructor **list, void (*function)(void), void *data);
void destructors_notify(struct destructor *list, void *handle);

/* ---- The session (session.c): the process's configuration, machine, compiler and report ---- */

/* What the device says of itself that comes from the configuration. */
struct device_facts {
    cl_ulong compute_units, clock_khz, lds_bytes, cache_bytes, memory_bytes, printf_bytes;
    cl_ulong wavefront_lanes;
};

/* A variable's value, NULL if it is empty; 0 is false, any other value true. */
const char *session_variable(const char *name);
bool session_flag(const char *name, bool otherwise);
/* Reads the environment the first time; registers the report at exit. */
void session_begin(void);
/* NULL: there is none (said on stderr once). */
const struct configuration *session_configuration(void);
bool session_facts(struct device_facts *facts) MUST_USE;
/* Builds it the first time. NULL: it cannot be built (said on stderr once). */
struct machine *session_machine(void);
/* As above, and never builds. */
struct machine *session_existing_machine(void);
bool session_has_compiler(struct diagnosis *diagnosis) MUST_USE;
/* program_compiler_stamp of it; 0: there is none. */
uint64_t session_compiler_stamp(void);
/* Simulated nanoseconds; 0 while there is no machine. */
cl_ulong session_time_ns(void);
/* Notes that this process runs something on the machine (after fork, only such children report). */
void session_note_use(void);
/* The driver's lock was taken, or is given back: ends the process with its report when a signal
 * asked for it. */
void session_enter(void);
void session_leave(void);
/* For a report that is made now. */
struct summary_end session_summary_end(void);
/* Prints the report and ends the process. */
_Noreturn void session_stop(int status);
/* machine_run; does not come back when a signal or the cycle limit ended the run. */
bool session_run(const struct machine_launch *launch, struct machine_launch_result *result,
                 struct diagnosis *diagnosis) MUST_USE;

/* ---- What kernels print (print.c) ---- */

struct print_job {
    const struct program *program; /* borrowed */
    struct text text;
};

/* Lets the launch print into the job, which must outlive it. */
void print_start(struct print_job *job, const struct program *program,
                 struct machine_launch *launch);
/* machine_launch's print; the context is the job. */
void print_record(void *context, const unsigned char *record, uint32_t bytes);
/* Writes it all to stdout, says on stderr what was lost, and frees the text. */
void print_finish(struct print_job *job, const char *kernel,
                  const struct machine_launch_result *result);

/* ---- Platform and device ---- */

struct _cl_platform_id {
    struct object object;
};
struct _cl_device_id {
    struct object object;
    cl_device_id parent;                     /* used; NULL: the GPU itself */
    cl_uint first_unit, unit_count;          /* compute units; 0 of them: all */
    cl_device_partition_property *partition; /* as given to clCreateSubDevices */
    size_t partition_length;
};
extern struct _cl_platform_id driver_platform;
extern struct _cl_device_id driver_device;

enum { MAX_GROUP_SIZE = 256, SUB_GROUP_ITEMS = 64, MEMORY_ALIGN_BYTES = 256 };

/* Sub-groups are wavefronts of 64 lanes; where these are narrower there are none. */
bool device_has_sub_groups(void);

/* The largest buffer, in bytes. */
cl_ulong device_max_allocation(const struct device_facts *facts);
/* Whether the list of devices, of `count` entries, is ours: CL_SUCCESS, CL_INVALID_VALUE or
 * CL_INVALID_DEVICE. A NULL list with count 0 is what callers may mean all devices with. */
cl_int device_check_list(cl_uint count, const cl_device_id *devices);
/* Whether the device is one of the context's. */
bool context_has_device(const struct _cl_context *context, const struct _cl_device_id *device);
/* Whether shared virtual memory works; before the machine is built, whether it is expected to. */
bool device_has_svm(void);

/* ---- Context ---- */

struct _cl_context {
    struct object object;
    cl_device_id *devices; /* used */
    cl_uint device_count;
    cl_context_properties *properties; /* as given, or NULL */
    struct destructor *destructors;
};

/* ---- Events and commands ---- */

struct event_callback {
    struct event_callback *next;
    void (*function)(void);
    void *data;
    cl_int when; /* CL_SUBMITTED, CL_RUNNING or CL_COMPLETE */
};

struct _cl_event {
    struct object object;
    cl_context context;
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    cl_int status; /* CL_QUEUED down to CL_COMPLETE, or a negative error */
    cl_ulong queued_ns, submitted_ns, started_ns, ended_ns;
    struct event_callback *callbacks; /* in the order in which they were set */
};

cl_event event_create(cl_context context, cl_command_queue queue, cl_command_type type);
/* Changes the status, runs the callbacks that this makes due and wakes who waits. */
void event_set_status(cl_event event, cl_int status);
static inline bool event_is_over(const struct _cl_event *event)
{
    return event->status <= CL_COMPLETE;
}
/* Runs and waits until the event is over. */
void event_wait(cl_event event);

/* Work in a queue; what it needs to run lies behind this struct. */
struct command {
    struct command *next;
    cl_event event;
    cl_event *waits;
    cl_uint wait_count;
    bool is_barrier;                         /* nothing behind it runs before it */
    bool follows_all;                        /* runs when everything before it has */
    bool keeps_its_times;                    /* run fills in the event's start and end itself */
    cl_int (*run)(struct command *command);  /* NULL: nothing to do */
    void (*finish)(struct command *command); /* gives back what the command uses; NULL */
};

struct wait_list {
    cl_uint count;
    const cl_event *events;
};

/* Whether a command could be put into the queue with these events to wait for. */
cl_int command_check(cl_command_queue queue, struct wait_list waits);
/* `bytes` is the size of the struct that begins with the command; the rest is zero. */
void *command_create(size_t bytes, cl_command_queue queue, cl_command_type type,
                     struct wait_list waits);
/* Puts the command into its queue and gives its event to the program if `event` is not NULL. A
 * blocking command runs now, and its failure is returned. */
cl_int command_submit(struct command *command, bool is_blocking, cl_event *event);

struct _cl_command_queue {
    struct object object;
    cl_command_queue next; /* of all queues */
    cl_context context;
    cl_device_id device; /* one of the context's */
    cl_command_queue_properties flags;
    cl_ulong *properties; /* as given to clCreateCommandQueueWithProperties, or NULL */
    struct command *first, **last;
    unsigned number; /* from 1, in the order of creation */
    bool is_running;
    cl_int error; /* a failed launch: nothing runs after it */
};

static inline bool queue_is_out_of_order(const struct _cl_command_queue *queue)
{
    return (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}
/* Submits all commands of the queue and runs those that can run. */
void queue_run(cl_command_queue queue);
/* Runs and waits until the queue is empty. */
cl_int queue_finish(cl_command_queue queue);
/* Runs what has been submitted before and can run now, in all queues: after a user event has
 * changed. */
void queues_continue(void);
void queues_add(cl_command_queue queue);
void queues_remove(cl_command_queue queue);

/* ---- Memory ---- */

struct mapping {
    struct mapping *next;
    cl_mem owner; /* the buffer or sub-buffer that was mapped */
    unsigned char *pointer;
    size_t offset, bytes;          /* in the root buffer; of an image bytes of a row */
    size_t rows, slices;           /* of an image; else 1 */
    size_t row_pitch, slice_pitch; /* bytes */
    cl_map_flags flags;
};

struct _cl_mem {
    struct object object;
    cl_context context;
    cl_mem_flags flags;
    size_t bytes;
    cl_mem parent;       /* of a sub-buffer or an image on a buffer: the root; NULL */
    size_t origin;       /* in the parent */
    struct image *image; /* opencl/image.h; NULL: a buffer */
    void *host_pointer;  /* CL_MEM_USE_HOST_PTR */
    cl_ulong *properties;
    struct destructor *destructors;
    bool is_svm; /* the memory is a clSVMAlloc's */
    uint64_t addr;

    /* Of the root buffer only. */
    unsigned char
        *shadow; /* where the program sees mapped bytes; lives while it is mapped (see map.c) */
    uint32_t shadow_users;
    struct mapping *mappings;
    cl_mem next_pinned; /* buffers whose shadow is pinned host memory */

    /* Likewise, of a buffer whose host memory is kept in step (host_pointer.c). */
    unsigned char *seen; /* what host and device had when they last agreed; NULL: not kept */
    size_t results_first, results_end; /* what commands may have written since */
    cl_mem next_kept;
};

/* CL_SUCCESS or CL_INVALID_VALUE; the second says why. */
cl_int buffer_check_flags(cl_mem_flags flags);
cl_int memory_check_flags(cl_mem_flags flags);
/* Whether there is a host pointer if and only if the flags want one. */
cl_int memory_check_host_pointer(cl_mem_flags flags, const void *host_pointer);
/* Whether what is made of part of a buffer may have the flags. */
cl_int memory_check_window_flags(const struct _cl_mem *buffer, cl_mem_flags flags);
/* Make an object of device memory of its own, and of part of a buffer; what the flags leave open
 * is the buffer's. `kind` is for messages. */
cl_int memory_create(cl_context context, cl_mem_flags flags, size_t bytes, void *host_pointer,
                     const char *kind, cl_mem *place);
cl_mem memory_window(cl_mem buffer, cl_mem_flags flags, size_t offset, size_t bytes);
/* How a transfer between the device and that host memory is charged. */
enum machine_transfer host_memory_transfer(const void *pointer, size_t bytes);
static inline cl_mem buffer_root(cl_mem memory)
{
    return memory->parent != NULL ? memory->parent : memory;
}
/* Checks of an argument of an enqueue call: of a buffer, of any memory object. */
cl_int memory_check(cl_command_queue queue, cl_mem memory);
cl_int buffer_check(cl_command_queue queue, cl_mem memory);
cl_int buffer_check_range(cl_mem memory, size_t offset, size_t bytes);
/* CL_INVALID_OPERATION if it has one of the flags that forbid what the host wants to do. */
enum {
    FORBIDS_READING = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
    FORBIDS_WRITING = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS
};
cl_int buffer_check_host(cl_mem memory, cl_mem_flags forbidding);
void pinned_add(cl_mem memory);
void pinned_remove(cl_mem memory);

/* A clSVMAlloc's memory (svm.c). */
struct svm_block {
    struct svm_block *next;
    cl_context context;
    uint64_t addr;
    size_t bytes;
    unsigned char *seen; /* fine-grained: what host and device had when they last agreed; or NULL */
};
/* Keep fine-grained blocks in step, around each command. */
void svm_before_command(void);
void svm_after_command(void);
/* The block that holds all the bytes, or NULL. */
struct svm_block *svm_find(const void *pointer, size_t bytes);
/* Bring the bytes that the device has to where the host sees them, and back. */
void svm_to_host(uint64_t addr, size_t bytes, enum machine_transfer transfer);
void svm_to_device(uint64_t addr, size_t bytes, enum machine_transfer transfer);

/* ---- Programs and kernels ---- */

struct _cl_program {
    struct object object;
    cl_context context;
    char *source; /* NULL: made from a binary or by clLinkProgram */
    size_t source_bytes;
    unsigned char *file; /* the binary (program/binary.h); NULL: none yet */
    size_t file_bytes;
    cl_program_binary_type binary_type;
    cl_build_status build_status;
    char *options; /* of the latest build, compilation or link */
    struct text log;
    struct program *loaded; /* once built */
    struct machine_code *code;
    uint32_t kernel_count; /* clCreateKernel's that live */
};

cl_program program_create(cl_context context);
/* CL_DRIVER_VERSION, which the caller frees. */
char *build_driver_version(void);
/* CL_INVALID_BINARY: another compiler made it (said). Says where added options do nothing. */
cl_int build_check_stamp(const void *binary, size_t bytes);
/* Loads program->file into the machine. */
bool program_make_executable(cl_program program, struct diagnosis *diagnosis) MUST_USE;
void program_unload(cl_program program);

/* What clSetKernelArg has been told of one argument. */
struct argument {
    bool is_set;
    cl_mem memory; /* used */
    size_t local_bytes;
};

struct _cl_kernel {
    struct object object;
    cl_program program;
    const struct program_kernel *information;
    unsigned char *segment;     /* information->kernarg_bytes; what the kernel will read */
    struct argument *arguments; /* visible_argument_count */
};

/* "argument 2 (int bias)", for messages; returns `text`. */
enum { ARGUMENT_TEXT_BYTES = 128 };
const char *kernel_argument_text(const struct _cl_kernel *kernel, cl_uint index,
                                 char text[static ARGUMENT_TEXT_BYTES]);
/* The argument the program calls number `index`, or NULL. */
const struct program_argument *kernel_argument(const struct _cl_kernel *kernel, cl_uint index);
/* Bytes of local memory: static, and with the __local arguments as they are set (SIZE_MAX: too
 * large to say). Writes their offsets into `segment` unless it is NULL. */
size_t kernel_local_bytes(const struct _cl_kernel *kernel, unsigned char *segment);

/* Picks a work-group size for clEnqueueNDRangeKernel without one: divides the NDRange, has few idle
 * lanes, is large, is wide. */
void launch_choose_group(cl_uint dimensions, const size_t *global, uint32_t max, uint32_t *group);

#endif
