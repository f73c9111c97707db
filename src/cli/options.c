/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"

struct option_reader option_reader(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = {.command = command, .argc = argc, .argv = argv, .at = 1};

    return reader;
}

int mistake_print(const struct diagnosis *diagnosis)
{
    diagnosis_print(diagnosis, stderr);
    return EXIT_USAGE;
}

static int mistake_status(const struct diagnosis *diagnosis)
{
    mistake_print(diagnosis);
    return OPTION_WRONG;
}

static int unknown_option(const struct option_reader *reader, const char *word, size_t length)
{
    const struct command *command = reader->command;
    const char **known = allocate(command->option_count + 1, sizeof *known);
    char *name = format_string("%.*s", (int)length, word);
    struct diagnosis diagnosis;
    const char *nearest;

    for (unsigned i = 0; i < command->option_count; i++)
        known[i] = command->options[i].name;
    known[command->option_count] = "--help";
    nearest = nearest_word(name, known, command->option_count + 1);
    diagnose(&diagnosis, "%s has no option '%s'", command->name, name);
    if (nearest != NULL)
        diagnose_hint(&diagnosis, "did you mean '%s'?", nearest);
    else
        diagnose_hint(&diagnosis, "`wavetank %s --help` lists them", command->name);
    free(known);
    free(name);
    return mistake_status(&diagnosis);
}

static int take_option(struct option_reader *reader, int index, const char *equals)
{
    const struct option *option = &reader->command->options[index];
    struct diagnosis diagnosis;

    reader->value = NULL;
    if (option->argument == NULL) {
        if (equals == NULL)
            return index;
        diagnose(&diagnosis, "option %s takes no value", option->name);
        return mistake_status(&diagnosis);
    }
    if (equals != NULL)
        reader->value = equals + 1;
    else if (option->argument[0] == '[')
        return index;
    else if (reader->at < reader->argc)
        reader->value = reader->argv[reader->at++];
    if (reader->value != NULL)
        return index;
    diagnose(&diagnosis, "option %s lacks its value: %s", option->name, option->argument);
    return mistake_status(&diagnosis);
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

int option_next(struct option_reader *reader)
{
    const char *word = reader->at < reader->argc ? reader->argv[reader->at] : NULL;
    const char *equals;
    size_t length;

    if (word == NULL || word[0] != '-' || word[1] == '\0')
        return OPTION_END;
    reader->at++;
    if (strcmp(word, "--") == 0)
        return OPTION_END;
    equals = word[1] == '-' ? strchr(word, '=') : NULL;
    length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    for (unsigned i = 0; i < reader->command->option_count; i++)
        if (is_word(word, length, reader->command->options[i].name))
            return take_option(reader, (int)i, equals);
    if (strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0)
        return unknown_option(reader, word, length);
    command_print_help(reader->command, stdout);
    return OPTION_HELP;
}
