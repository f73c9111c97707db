/* SPDX-License-Identifier: MIT */
#include "fuzz/stream_run.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/random.h"
#include "program/binary.h"

/* Limits are of all runs of a machine. A run takes some thousand steps at most unless a wild word made a
 * loop of its own. */
enum { RUNS_A_MACHINE = 20, MAX_CYCLES = 1000000, MAX_STEPS = 100000 };

/* All registers, and room for the stream where the s_nop are. */
static const char kernel_source[] =
    "kernel void stream(global int *out)\n"
    "{\n"
    "    __asm volatile(\".rept 1024\\n s_nop 6\\n .endr\" ::: \"v255\", \"s101\", \"vcc\");\n"
    "    out[get_global_id(0)] = 1;\n"
    "}\n";

static void must(bool is_good, const struct diagnosis *diagnosis)
{
    if (is_good)
        return;
    diagnosis_print(diagnosis, stderr);
    exit(2);
}

/* ---- life ---- */

static void find_room(struct bench *bench)
{
    const uint32_t nop = 0xbf800006u;
    uint32_t found = 0;

    for (size_t i = 0; i + 4 <= bench->file_bytes; i += 4) {
        found = memcmp(bench->file + i, &nop, 4) == 0 ? found + 1 : 0;
        if (found == STREAM_WORDS) {
            bench->code_offset = i + 4 - (size_t)STREAM_WORDS * 4;
            return;
        }
    }
    check(false, "the code object has no room for a stream");
}

static void machine_open(struct bench *bench, struct bench_machine *one, enum machine_model model)
{
    struct machine_options options = {.configuration = bench->configuration,
                                      .model = model,
                                      .trace_selection = "all",
                                      .has_exact_bounds = true,
                                      .max_cycles =
                                          model == MACHINE_TIMED ? MAX_CYCLES : MAX_STEPS};
    struct diagnosis diagnosis = {0};

    memset(one, 0, sizeof *one);
    one->stream = open_memstream(&one->trace, &one->trace_bytes);
    check(one->stream != NULL, "no memory for a trace");
    options.trace_stream = one->stream;
    one->machine = machine_create(&options, &diagnosis);
    must(one->machine != NULL, &diagnosis);
    one->buffer =
        machine_allocate(one->machine, STREAM_BUFFER_BYTES + STREAM_CONSTANT_BYTES, 4096, "buffer");
}

static void machine_close(struct bench_machine *one)
{
    machine_destroy(one->machine);
    fclose(one->stream);
    free(one->trace);
}

static void open_both(struct bench *bench)
{
    machine_open(bench, &bench->timed, MACHINE_TIMED);
    machine_open(bench, &bench->functional, MACHINE_FUNCTIONAL);
    check(bench->timed.buffer == bench->functional.buffer, "buffers at different addresses");
    bench->runs = 0;
}

void bench_init(struct bench *bench, const char *setting)
{
    const char *const overrides[] = {"gpu.compute_units=4", "gpu.memory_mb=64", setting};
    struct diagnosis diagnosis = {0};
    struct text log = {0};

    memset(bench, 0, sizeof *bench);
    must(program_compile(kernel_source, sizeof kernel_source - 1, "", NULL, &bench->file,
                         &bench->file_bytes, &log, &diagnosis),
         &diagnosis);
    text_finish(&log);
    bench->file_bytes -= BINARY_SEAL_BYTES; /* it is changed on purpose */
    find_room(bench);
    bench->configuration =
        configuration_load("hd7970", overrides, setting != NULL ? 3 : 2, &diagnosis);
    must(bench->configuration != NULL, &diagnosis);
    open_both(bench);
}

void bench_finish(struct bench *bench)
{
    machine_close(&bench->timed);
    machine_close(&bench->functional);
    configuration_destroy(bench->configuration);
    free(bench->file);
}

uint64_t bench_buffer(const struct bench *bench)
{
    return bench->timed.buffer;
}

/* ---- a run ---- */

static struct program *make_program(const struct bench *bench, const struct stream *stream)
{
    uint32_t words[STREAM_WORDS];
    uint32_t count = stream_lay_out(stream, words);
    unsigned char *file = allocate(bench->file_bytes, 1);
    struct diagnosis diagnosis = {0};
    struct program *program;

    memcpy(file, bench->file, bench->file_bytes);
    memcpy(file + bench->code_offset, words, count * sizeof words[0]);
    program = program_load(file, bench->file_bytes, &diagnosis);
    must(program != NULL, &diagnosis);
    free(file);
    return program;
}

static void fill_buffer(struct bench_machine *one)
{
    uint64_t words[(STREAM_BUFFER_BYTES + STREAM_CONSTANT_BYTES) / 8];
    struct random random = {7};

    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        words[i] = random_next(&random);
    machine_write(one->machine, one->buffer, words, sizeof words, TRANSFER_UNTIMED);
}

static void machine_try(struct bench_machine *one, struct program *program,
                        const struct stream *stream)
{
    const struct program_kernel *kernel = program_find_kernel(program, "stream");
    unsigned char *arguments = allocate(kernel->kernarg_bytes, 1);
    struct machine_launch launch = {.kernel = kernel,
                                    .dimensions = 1,
                                    .global_size = {stream->groups * stream->group_items},
                                    .group_size = {stream->group_items},
                                    .dynamic_lds_bytes = STREAM_LOCAL_BYTES,
                                    .arguments = arguments};

    memset(&one->diagnosis, 0, sizeof one->diagnosis);
    memcpy(arguments, &one->buffer, sizeof one->buffer);
    launch.code = machine_load(one->machine, program, &one->diagnosis);
    must(launch.code != NULL, &one->diagnosis);
    fill_buffer(one);
    rewind(one->stream);
    one->is_good = machine_run(one->machine, &launch, &one->result, &one->diagnosis);
    one->is_lost = one->result.outcome != LAUNCH_DONE;
    fflush(one->stream);
    machine_unload(one->machine, launch.code);
    free(arguments);
}

/* ---- comparing ---- */

static void find(struct finding *finding, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void find(struct finding *finding, const char *kind, const char *format, ...)
{
    va_list arguments;

    snprintf(finding->kind, sizeof finding->kind, "%s", kind);
    va_start(arguments, format);
    vsnprintf(finding->words, sizeof finding->words, format, arguments);
    va_end(arguments);
}

static int compare_lines(const void *first, const void *second)
{
    return strcmp(*(char *const *)first, *(char *const *)second);
}

/* The cycle at the end of a line of the timed model's trace goes. */
static void cut_cycle(char *line)
{
    char *at = strrchr(line, '@');

    if (at != NULL && at > line && at[-1] == ' ' && at[1] != '\0' &&
        strspn(at + 1, "0123456789") == strlen(at + 1))
        at[-1] = '\0';
}

/* The lines of a trace, sorted: the models write those of several wavefronts in different orders.
 * Cuts the trace into strings; the caller frees. */
static char **sorted_lines(const struct bench_machine *one, uint32_t *count)
{
    char **lines = NULL;
    uint32_t capacity = 0;
    char *end = one->trace + one->trace_bytes;

    *count = 0;
    for (char *line = one->trace; line < end; line++) {
        char *rest = memchr(line, '\n', (size_t)(end - line));

        if (rest == NULL)
            break;
        *rest = '\0';
        cut_cycle(line);
        if (*count == capacity) {
            capacity = capacity * 2 + 256;
            lines = reallocate(lines, capacity, sizeof *lines);
        }
        lines[(*count)++] = line;
        line = rest;
    }
    if (*count > 0)
        qsort(lines, *count, sizeof *lines, compare_lines);
    return lines;
}

static unsigned long sequence_of(const char *line)
{
    unsigned long sequence = 0;

    return sscanf(line, "%*s %*s %*s %lu", &sequence) == 1 ? sequence : 0;
}

/* Of the lines that differ, the ones that were executed first. */
static void compare_traces(struct bench *bench, struct finding *finding)
{
    uint32_t timed_count, functional_count, differing = 0;
    char **timed = sorted_lines(&bench->timed, &timed_count);
    char **functional = sorted_lines(&bench->functional, &functional_count);
    unsigned long first = ~0ul;

    for (uint32_t i = 0; i < timed_count && i < functional_count; i++)
        if (strcmp(timed[i], functional[i]) != 0) {
            differing++;
            if (sequence_of(functional[i]) < first) {
                first = sequence_of(functional[i]);
                find(finding, "registers differ", "functional: %.1800s\ntimed:      %.1800s",
                     functional[i], timed[i]);
            }
        }
    if (differing == 0 && timed_count != functional_count)
        find(finding, "instructions differ", "%u instructions, and %u on the timed model",
             (unsigned)functional_count, (unsigned)timed_count);
    free(timed);
    free(functional);
}

static void compare_memory(struct bench *bench, struct finding *finding)
{
    unsigned char timed[STREAM_BUFFER_BYTES], functional[STREAM_BUFFER_BYTES];

    machine_read(bench->timed.machine, bench->timed.buffer, timed, sizeof timed, TRANSFER_UNTIMED);
    machine_read(bench->functional.machine, bench->functional.buffer, functional, sizeof functional,
                 TRANSFER_UNTIMED);
    for (unsigned i = 0; i < STREAM_BUFFER_BYTES; i++)
        if (timed[i] != functional[i]) {
            find(finding, "memory differs", "byte %u: %02x, and %02x on the timed model", i,
                 functional[i], timed[i]);
            return;
        }
}

static void compare_faults(const struct bench *bench, const struct stream *stream,
                           struct finding *finding)
{
    if (!stream->is_shared &&
        strcmp(bench->timed.diagnosis.message, bench->functional.diagnosis.message) != 0)
        find(finding, "faults differ", "functional: %s\ntimed:      %s",
             bench->functional.diagnosis.message, bench->timed.diagnosis.message);
}

static void compare(struct bench *bench, const struct stream *stream, struct finding *finding)
{
    enum machine_outcome functional = bench->functional.result.outcome;
    enum machine_outcome timed = bench->timed.result.outcome;

    if (functional == LAUNCH_CYCLE_LIMIT || timed == LAUNCH_CYCLE_LIMIT)
        return;
    if (functional != timed) {
        find(finding, "ends differ", "functional: %d %s\ntimed:      %d %s", functional,
             bench->functional.diagnosis.message, timed, bench->timed.diagnosis.message);
        return;
    }
    if (functional != LAUNCH_DONE) {
        compare_faults(bench, stream, finding);
        return;
    }
    compare_memory(bench, finding);
    compare_traces(bench, finding);
}

void bench_try(struct bench *bench, const struct stream *stream, struct finding *finding)
{
    struct program *program = make_program(bench, stream);

    finding->kind[0] = '\0';
    machine_try(&bench->functional, program, stream);
    machine_try(&bench->timed, program, stream);
    compare(bench, stream, finding);
    program_destroy(program);
    if (bench->timed.is_lost || bench->functional.is_lost || ++bench->runs == RUNS_A_MACHINE) {
        machine_close(&bench->timed);
        machine_close(&bench->functional);
        open_both(bench);
    }
}
