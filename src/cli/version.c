/* SPDX-License-Identifier: MIT */
/* wavetank version */
#include "cli/command.h"
#include "program/program.h"

static int version_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    struct program_compiler compiler;
    struct diagnosis diagnosis;
    int index = option_next(&reader);

    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    printf("wavetank %s\n", WAVETANK_VERSION);
    if (!program_find_compiler(&compiler, &diagnosis)) {
        diagnosis_print(&diagnosis, stderr);
        return 0;
    }
    printf("%s (%s)\n", compiler.clang_version, compiler.clang);
    printf("libclc %s (%s)\n", compiler.libclc_version, compiler.libclc);
    return 0;
}

const struct command command_version = {
    .name = "version",
    .usage = "",
    .summary = "Prints the versions of Wavetank and of the compiler it uses",
    .run = version_main,
};
