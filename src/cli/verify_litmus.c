/* SPDX-License-Identifier: MIT */
/* wavetank verify --litmus: the litmus tests as OpenCL programs, on a simulated GPU of a few
 * compute units. Tests, verdicts and judge are the program's (tests/litmus). */
#include <stdlib.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/verify_litmus.h"

/* Beside build/wavetank, beside build/src/cli/wavetank. */
static const char *const places[] = {"tests/litmus/litmus", "../../tests/litmus/litmus"};

/* The caller frees; NULL: it is nowhere. */
static char *litmus_program(void)
{
    char *own = own_folder(), *program = NULL;

    for (unsigned i = 0; i <= ARRAY_COUNT(places) && program == NULL; i++) {
        program = i < ARRAY_COUNT(places) ? format_string("%s/%s", own, places[i])
                                          : copy_string(WAVETANK_LITMUS);
        if (access(program, X_OK) == 0)
            continue;
        free(program);
        program = NULL;
    }
    free(own);
    return program;
}

int verify_litmus(const char *protocol, const char *const *overrides)
{
    char *program = litmus_program();
    char *setting = format_string("gpu.protocol=%s", protocol);
    char *judged = format_string("protocol=%s", protocol);
    char run[] = "run", quiet[] = "--quiet", set[] = "-o", units[] = "gpu.compute_units=4";
    char end[] = "--";
    char **arguments;
    char *const first[] = {run, quiet, set, setting, set, units}, *last[] = {end, program, judged};
    size_t override_count = 0;
    int count = 0;
    int status = EXIT_USAGE;
    struct diagnosis diagnosis;

    while (overrides[override_count] != NULL)
        override_count++;
    arguments = allocate(2 * override_count + 10, sizeof *arguments);
    for (unsigned i = 0; i < ARRAY_COUNT(first); i++)
        arguments[count++] = first[i];
    for (size_t i = 0; i < override_count; i++) {
        arguments[count++] = set;
        arguments[count++] = (char *)overrides[i];
    }
    for (unsigned i = 0; i < ARRAY_COUNT(last); i++)
        arguments[count++] = last[i];
    if (program != NULL) {
        status = command_run.run(&command_run, count, arguments);
    } else {
        diagnose(&diagnosis, "the litmus tests are not where they belong: %s", WAVETANK_LITMUS);
        diagnose_hint(&diagnosis, "build or install Wavetank whole");
        mistake_print(&diagnosis);
    }
    free(arguments);
    free(program);
    free(setting);
    free(judged);
    return status;
}
