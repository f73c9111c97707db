/* SPDX-License-Identifier: MIT */
/*
 * Runs the kernels of a case on the first OpenCL device and writes what they left in memory. It is
 * the host of randomly made kernels, the same for every device, so that its output can be compared.
 *
 *     run_case FOLDER OUTPUT
 *
 * FOLDER/kernel.cl is the program. FOLDER/case.txt has one word and its values a line:
 *
 *     options WORDS...                       how to build; may be absent
 *     words N HEX...                         the contents of a read-only input (three: 32-bit words)
 *     values HEX HEX HEX                     scalar arguments: two of 32 bits, one of 64
 *     launch NAME DIMENSIONS GLOBAL[3] LOCAL[3] OFFSET[3] RECORDS OWN SHARED DYNAMIC
 *                                            bytes of the three outputs, of dynamic local memory
 *
 * Every kernel has the arguments (global records, global own, global shared, global const input 0,
 * global const input 1, constant input 2, local dynamic, int, uint, long). Outputs begin as a
 * pattern of their byte offsets. OUTPUT gets them for each launch in turn; a line on standard
 * output names the launch once it is done.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

enum { INPUTS = 3, OUTPUTS = 3, SCALARS = 3, MAX_BYTES = 1 << 24, MAX_NAME = 64 };

struct input {
    size_t count;
    uint32_t *words;
    cl_mem buffer;
};

struct host {
    struct workload workload;
    struct input inputs[INPUTS];
    unsigned input_count;
    uint64_t scalars[SCALARS];
    FILE *output;
};

struct launch {
    char name[MAX_NAME];
    unsigned dimensions;
    size_t global[3], local[3], offset[3];
    size_t bytes[OUTPUTS];
    size_t dynamic_bytes;
};

static char *read_text(const char *folder, const char *name)
{
    char path[4096];
    char *text = workload_allocate(MAX_BYTES, 1);
    FILE *stream;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    stream = fopen(path, "rb");
    if (stream == NULL)
        workload_fail("cannot read %s", path);
    if (fread(text, 1, MAX_BYTES - 1, stream) == MAX_BYTES - 1)
        workload_fail("%s is too large", path);
    fclose(stream);
    return text;
}

/* The next number of the line, which is moved past it. */
static uint64_t next_number(char **line, int base)
{
    char *end;
    uint64_t value = strtoull(*line, &end, base);

    if (end == *line)
        workload_fail("case.txt: a number is missing");
    *line = end;
    return value;
}

static size_t next_size(char **line, size_t max)
{
    uint64_t value = next_number(line, 10);

    if (value > max)
        workload_fail("case.txt: %" PRIu64 " is too large", value);
    return (size_t)value;
}

static void read_input(struct host *host, char *line)
{
    struct input *input = &host->inputs[host->input_count];

    if (host->input_count == INPUTS)
        workload_fail("case.txt: more than %d inputs", INPUTS);
    input->count = next_size(&line, MAX_BYTES / 4);
    input->words = workload_allocate(input->count, sizeof *input->words);
    for (size_t i = 0; i < input->count; i++)
        input->words[i] = (uint32_t)next_number(&line, 16);
    input->buffer = workload_buffer(&host->workload, input->count * 4, input->words);
    host->input_count++;
}

static void read_launch(struct launch *launch, char *line)
{
    int length = 0;

    if (sscanf(line, "%63s%n", launch->name, &length) != 1)
        workload_fail("case.txt: a launch without a kernel");
    line += length;
    launch->dimensions = (unsigned)next_size(&line, 3);
    for (unsigned i = 0; i < 3; i++)
        launch->global[i] = next_size(&line, MAX_BYTES);
    for (unsigned i = 0; i < 3; i++)
        launch->local[i] = next_size(&line, MAX_BYTES);
    for (unsigned i = 0; i < 3; i++)
        launch->offset[i] = next_size(&line, MAX_BYTES);
    for (unsigned i = 0; i < OUTPUTS; i++)
        launch->bytes[i] = next_size(&line, MAX_BYTES);
    launch->dynamic_bytes = next_size(&line, MAX_BYTES);
}

static void set_arguments(struct host *host, cl_kernel kernel, const struct launch *launch,
                          const cl_mem *outputs)
{
    cl_uint index = 0;

    for (unsigned i = 0; i < OUTPUTS; i++)
        workload_argument(kernel, index++, sizeof(cl_mem), &outputs[i]);
    for (unsigned i = 0; i < INPUTS; i++)
        workload_argument(kernel, index++, sizeof(cl_mem), &host->inputs[i].buffer);
    workload_argument(kernel, index++, launch->dynamic_bytes, NULL);
    workload_argument(kernel, index++, 4, &host->scalars[0]);
    workload_argument(kernel, index++, 4, &host->scalars[1]);
    workload_argument(kernel, index++, 8, &host->scalars[2]);
}

static cl_mem make_output(const struct host *host, size_t bytes)
{
    unsigned char *pattern = workload_allocate(bytes, 1);
    cl_mem buffer;

    for (size_t i = 0; i < bytes; i++)
        pattern[i] = (unsigned char)(i * 37 + 0x5b);
    buffer = workload_buffer(&host->workload, bytes, pattern);
    free(pattern);
    return buffer;
}

static void write_output(const struct host *host, cl_mem buffer, size_t bytes)
{
    unsigned char *contents = workload_allocate(bytes, 1);

    workload_read(&host->workload, buffer, contents, bytes);
    if (fwrite(contents, 1, bytes, host->output) != bytes)
        workload_fail("cannot write the output");
    free(contents);
    workload_check(clReleaseMemObject(buffer), "clReleaseMemObject");
}

static void run_launch(struct host *host, char *line)
{
    struct launch launch;
    cl_mem outputs[OUTPUTS];
    cl_kernel kernel;

    if (host->input_count != INPUTS)
        workload_fail("case.txt: a launch before the inputs");
    read_launch(&launch, line);
    kernel = workload_kernel(&host->workload, launch.name);
    for (unsigned i = 0; i < OUTPUTS; i++)
        outputs[i] = make_output(host, launch.bytes[i]);
    set_arguments(host, kernel, &launch, outputs);
    workload_check(clEnqueueNDRangeKernel(host->workload.queue, kernel, launch.dimensions,
                                          launch.offset, launch.global, launch.local, 0, NULL,
                                          NULL),
                   "clEnqueueNDRangeKernel");
    workload_check(clFinish(host->workload.queue), "clFinish");
    for (unsigned i = 0; i < OUTPUTS; i++)
        write_output(host, outputs[i], launch.bytes[i]);
    workload_check(clReleaseKernel(kernel), "clReleaseKernel");
    printf("done %s\n", launch.name);
    fflush(stdout);
}

static void read_scalars(struct host *host, char *line)
{
    for (unsigned i = 0; i < SCALARS; i++)
        host->scalars[i] = next_number(&line, 16);
}

static void follow_line(struct host *host, char *line)
{
    char word[16];
    int length = 0;

    if (sscanf(line, "%15s%n", word, &length) != 1 || strcmp(word, "options") == 0)
        return;
    if (strcmp(word, "words") == 0)
        read_input(host, line + length);
    else if (strcmp(word, "values") == 0)
        read_scalars(host, line + length);
    else if (strcmp(word, "launch") == 0)
        run_launch(host, line + length);
    else
        workload_fail("case.txt: \"%s\" is no word of it", word);
}

/* The rest of the line "options ...", which the caller frees. */
static char *find_options(const char *text)
{
    const char *line = strncmp(text, "options ", 8) == 0 ? text : strstr(text, "\noptions ");
    char *options = workload_allocate(1024, 1);

    if (line != NULL)
        sscanf(line + strspn(line, "\n") + 8, "%1023[^\n]", options);
    return options;
}

int main(int argc, char **argv)
{
    static char own_name[] = "run_case";
    char *own_arguments[] = {own_name, NULL};
    struct host host = {.workload = {.name = own_name, .summary = "", .size_max = 1}};
    char *source, *text, *options;

    if (argc != 3)
        workload_fail("usage: run_case FOLDER OUTPUT");
    workload_parse(&host.workload, 1, own_arguments);
    source = read_text(argv[1], "kernel.cl");
    text = read_text(argv[1], "case.txt");
    options = find_options(text);
    host.output = fopen(argv[2], "wb");
    if (host.output == NULL)
        workload_fail("cannot write %s", argv[2]);
    workload_open(&host.workload, source, options);
    for (char *rest, *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        follow_line(&host, line);
    for (unsigned i = 0; i < host.input_count; i++) {
        workload_check(clReleaseMemObject(host.inputs[i].buffer), "clReleaseMemObject");
        free(host.inputs[i].words);
    }
    workload_close(&host.workload);
    free(source);
    free(text);
    free(options);
    return fclose(host.output) == 0 ? WORKLOAD_RIGHT : WORKLOAD_CANNOT_RUN;
}
