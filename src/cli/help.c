/* SPDX-License-Identifier: MIT */
/* wavetank help [SUBCOMMAND] */
#include <string.h>

#include "base/bits.h"
#include "cli/command.h"

const struct command *const commands[] = {
    &command_run,   &command_sweep,  &command_query,      &command_judge,   &command_report,
    &command_merge, &command_tune,   &command_list,       &command_explain, &command_disasm,
    &command_diff,  &command_verify, &command_signatures, &command_help,    &command_version};
const unsigned command_count = ARRAY_COUNT(commands);

const struct command *command_find(const char *name, struct diagnosis *diagnosis)
{
    const char *known[ARRAY_COUNT(commands)];
    const char *nearest;

    for (unsigned i = 0; i < command_count; i++) {
        known[i] = commands[i]->name;
        if (strcmp(name, known[i]) == 0)
            return commands[i];
    }
    nearest = nearest_word(name, known, command_count);
    diagnose(diagnosis, "there is no subcommand '%s'", name);
    if (nearest != NULL)
        diagnose_hint(diagnosis, "did you mean `wavetank %s`?", nearest);
    else
        diagnose_hint(diagnosis, "`wavetank --help` lists them");
    return NULL;
}

void command_print_overview(FILE *stream)
{
    fputs("Wavetank runs OpenCL programs on a simulated AMD Southern Islands GPU, cycle by cycle.\n"
          "\n"
          "  wavetank run -- ./an-opencl-program its arguments\n"
          "\n"
          "Subcommands:\n",
          stream);
    for (unsigned i = 0; i < command_count; i++)
        fprintf(stream, "  %-8s  %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n`wavetank SUBCOMMAND --help` tells more.\n", stream);
}

void command_print_help(const struct command *command, FILE *stream)
{
    fprintf(stream, "wavetank %s%s%s\n\n%s.\n", command->name, command->usage[0] ? " " : "",
            command->usage, command->summary);
    if (command->details != NULL)
        fprintf(stream, "\n%s", command->details);
    if (command->option_count > 0)
        fputs("\nOptions:\n", stream);
    for (unsigned i = 0; i < command->option_count; i++) {
        const struct option *option = &command->options[i];

        fprintf(stream, "  %s%s%s\n      %s\n", option->name,
                option->argument != NULL && option->argument[0] != '[' ? " " : "",
                option->argument != NULL ? option->argument : "", option->help);
    }
}

static int help_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    int index = option_next(&reader);
    const struct command *about;
    struct diagnosis diagnosis;

    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    if (reader.at == argc) {
        command_print_overview(stdout);
        return 0;
    }
    about = command_find(argv[reader.at], &diagnosis);
    if (about == NULL)
        return mistake_print(&diagnosis);
    command_print_help(about, stdout);
    return 0;
}

const struct command command_help = {
    .name = "help",
    .usage = "[SUBCOMMAND]",
    .summary = "Says what there is, or what a subcommand does",
    .run = help_main,
};
