/* SPDX-License-Identifier: MIT */
/*
 * Runs a stream on both models inside a code object. It compares every register that an
 * instruction wrote, with the values of all lanes (the trace), the buffer, or the fault.
 */
#ifndef TESTS_FUZZ_STREAM_RUN_H
#define TESTS_FUZZ_STREAM_RUN_H

#include "fuzz/stream.h"
#include "machine/machine.h"

/* What went otherwise than it should. */
struct finding {
    char kind[64]; /* empty: nothing */
    char words[4000];
};

struct bench_machine {
    struct machine *machine;
    FILE *stream;
    char *trace;
    size_t trace_bytes;
    uint64_t buffer;
    struct diagnosis diagnosis;
    struct machine_launch_result result;
    bool is_good, is_lost;
};

/* The two machines, and the code object that streams are put into. */
struct bench {
    struct configuration *configuration;
    struct bench_machine timed, functional;
    unsigned char *file;
    size_t file_bytes, code_offset;
    uint32_t runs;
};

/* Compiles the kernel that streams are put into; ends the program if that fails. `setting` is a
 * parameter of both machines as "path=value", or NULL. */
void bench_init(struct bench *bench, const char *setting);
void bench_finish(struct bench *bench);

/* Device address of the buffer, the same on both machines and for every bench. */
uint64_t bench_buffer(const struct bench *bench);

void bench_try(struct bench *bench, const struct stream *stream, struct finding *finding);

#endif
