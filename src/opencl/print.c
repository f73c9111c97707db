/* SPDX-License-Identifier: MIT */
/* What kernels print goes to the program's standard output when their launch ends: between what the
 * program itself prints before and after. */
#include <stdlib.h>
#include <string.h>

#include "opencl/driver.h"
#include "opencl/print_format.h"
#include "report/c_locale.h"

void print_start(struct print_job *job, const struct program *program,
                 struct machine_launch *launch)
{
    *job = (struct print_job){.program = program};
    launch->print = print_record;
    launch->print_context = job;
}

static const struct program_format *find_format(const struct program *program, uint32_t number)
{
    for (uint32_t i = 0; i < program->format_count; i++)
        if (program->formats[i].number == number)
            return &program->formats[i];
    return NULL;
}

static bool read_string(void *context, uint64_t address, struct text *text)
{
    return machine_read_string(session_existing_machine(), address, text);
}

void print_record(void *context, const unsigned char *record, uint32_t bytes)
{
    struct print_job *job = context;
    const struct program_format *format;
    struct print_memory memory = {read_string, NULL};
    struct report_locale locale;
    uint32_t number;

    if (bytes < sizeof number)
        return;
    memcpy(&number, record, sizeof number);
    format = find_format(job->program, number);
    if (format == NULL)
        return;
    report_locale_enter(&locale);
    print_format(&job->text, format, record + sizeof number, bytes - sizeof number, &memory);
    report_locale_leave(&locale);
}

void print_finish(struct print_job *job, const char *kernel,
                  const struct machine_launch_result *result)
{
    if (job->text.length > 0) {
        fwrite(job->text.chars, 1, job->text.length, stdout);
        fflush(stdout);
    }
    text_finish(&job->text);
    if (result->lost_print_records > 0)
        fprintf(stderr,
                "wavetank: %s: %llu printf calls found no room (%llu bytes): what they print is "
                "lost\n  hint: -o gpu.printf_bytes=... enlarges the buffer of each launch\n",
                kernel, (unsigned long long)result->lost_print_records,
                (unsigned long long)result->lost_print_bytes);
}
