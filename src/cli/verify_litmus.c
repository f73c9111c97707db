/* SPDX-License-Identifier: MIT */
/* wavetank verify --litmus: the litmus tests as OpenCL programs, on a simulated GPU of a few compute
 * units. Tests, verdicts and judge are the program's (tests/litmus). */
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

int verify_litmus(const char *protocol)
{
    char *program = litmus_program();
    char *setting = format_string("gpu.protocol=%s", protocol);
    char *judged = format_string("protocol=%s", protocol);
    char run[] = "run", quiet[] = "--quiet", set[] = "-o", units[] = "gpu.compute_units=4";
    char end[] = "--";
    char *arguments[] = {run, quiet, set, setting, set, units, end, program, judged, NULL};
    int status = EXIT_USAGE;
    struct diagnosis diagnosis;

    if (program != NULL) {
        status = command_run.run(&command_run, ARRAY_COUNT(arguments) - 1, arguments);
    } else {
        diagnose(&diagnosis, "the litmus tests are not where they belong: %s", WAVETANK_LITMUS);
        diagnose_hint(&diagnosis, "build or install Wavetank whole");
        complain(&diagnosis);
    }
    free(program);
    free(setting);
    free(judged);
    return status;
}
