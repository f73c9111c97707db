/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/command.h"

int main(int argc, char **argv)
{
    const struct command *command;
    struct diagnosis diagnosis;

    if (argc < 2) {
        command_print_overview(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        command_print_overview(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0)
        return command_version.run(&command_version, 1, argv + 1);
    command = command_find(argv[1], &diagnosis);
    if (command == NULL)
        return mistake_print(&diagnosis);
    return command->run(command, argc - 1, argv + 1);
}
