/* SPDX-License-Identifier: MIT */
#include "cli/simulator.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/run.h"
#include "cli/workloads.h"
#include "program/program.h"

bool simulator_init(struct simulator *simulator, struct diagnosis *diagnosis)
{
    struct program_compiler compiler;
    char *driver = driver_find(diagnosis);
    bool is_good;

    memset(simulator, 0, sizeof *simulator);
    if (driver == NULL)
        return false;
    is_good = program_find_compiler(&compiler, diagnosis);
    if (is_good) {
        const char *const parts[] = {driver, compiler.builtins, compiler.backend};

        simulator->version = format_string("%s, %s, libclc %s", WAVETANK_VERSION,
                                           compiler.clang_version, compiler.libclc_version);
        is_good = files_hash(parts, ARRAY_COUNT(parts), simulator->hash, diagnosis);
    }
    free(driver);
    simulator->executable = realpath("/proc/self/exe", NULL);
    simulator->context = (struct point_context){.version = simulator->version,
                                                .simulator = simulator->hash,
                                                .workload_path = workload_path};
    return is_good && (simulator->executable != NULL ||
                       diagnose(diagnosis, "/proc is not there: the command cannot find itself"));
}

void simulator_finish(struct simulator *simulator)
{
    free(simulator->version);
    free(simulator->executable);
    memset(simulator, 0, sizeof *simulator);
}
