/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct {
    const char *text;
    enum role role;
    bool has_value; /* in the next argument, where it is not in the same */
} command_options[] = {
    {"-o", ROLE_OUTPUT, true},
    {"-isystem", ROLE_PREPROCESS, true},
    {"-iquote", ROLE_PREPROCESS, true},
    {"-idirafter", ROLE_PREPROCESS, true},
    {"-include", ROLE_PREPROCESS, true},
    {"-imacros", ROLE_PREPROCESS, true},
    {"-isysroot", ROLE_COMPILE, true},
    {"-I", ROLE_PREPROCESS, true},
    {"-D", ROLE_PREPROCESS, true},
    {"-U", ROLE_PREPROCESS, true},
    {"-Wp,", ROLE_PREPROCESS, false},
    {"-Xpreprocessor", ROLE_PREPROCESS, true},
    {"-MF", ROLE_DEPENDENCY, true},
    {"-MT", ROLE_DEPENDENCY, true},
    {"-MQ", ROLE_DEPENDENCY, true},
    {"-MD", ROLE_DEPENDENCY, false},
    {"-MMD", ROLE_DEPENDENCY, false},
    {"-MP", ROLE_DEPENDENCY, false},
    {"-l", ROLE_LINK, true},
    {"-L", ROLE_LINK, true},
    {"-Wl,", ROLE_LINK, false},
    {"-Xlinker", ROLE_LINK, true},
    {"-rdynamic", ROLE_LINK, false},
    {"-shared", ROLE_LINK, false},
    {"-static", ROLE_LINK, false},
    {"-T", ROLE_LINK, true},
    {"-z", ROLE_LINK, true},
    {"-x", ROLE_COMPILE, true},
    {"-Xclang", ROLE_COMPILE, true},
    {"-target", ROLE_COMPILE, true},
    {"--param", ROLE_COMPILE, true},
    {"-mllvm", ROLE_COMPILE, true},
};

static struct argument command_classify(char **texts, int *index, int count)
{
    struct argument argument = {.role = ROLE_COMPILE, .text = texts[*index]};
    const char *text = argument.text;
    if (*text != '-' || text[1] == 0)
        argument.role = ROLE_INPUT;
    for (size_t i = 0; i < sizeof(command_options) / sizeof(*command_options); i++) {
        if (!string_begins(text, command_options[i].text))
            continue;
        size_t length = strlen(command_options[i].text);
        bool is_short = length == 2 || command_options[i].text[length - 1] == ',';
        if (text[length] && !is_short)
            continue;
        if (string_begins(text, "-static-") || (string_begins(text, "-M") && text[length]))
            continue;
        argument.role = command_options[i].role;
        if (command_options[i].has_value && !text[length] && *index + 1 < count)
            argument.value = texts[++*index];
        break;
    }
    return argument;
}

static void command_note(struct command *command, struct argument *argument)
{
    const char *text = argument->text, *value = argument->value;
    if (string_is(text, "-c") || string_is(text, "-S")) {
        argument->role = ROLE_MODE;
        command->mode = string_is(text, "-c") ? MODE_OBJECT : MODE_ASSEMBLY;
    } else if (string_is(text, "-E") || string_is(text, "-M") || string_is(text, "-MM") ||
               string_is(text, "-fsyntax-only") || string_is(text, "-###") ||
               string_is(text, "--version") || string_begins(text, "-print-") ||
               string_begins(text, "-dump")) {
        command->mode = MODE_OTHER;
    } else if (argument->role == ROLE_OUTPUT) {
        command->output = value ? value : text + 2;
    } else if (string_begins(text, "-x")) {
        command->language = value ? value : text + 2;
    } else if (argument->role == ROLE_DEPENDENCY) {
        command->writes_dependencies |= string_is(text, "-MD") || string_is(text, "-MMD");
        command->names_dependencies |= string_is(text, "-MF");
        command->names_target |= string_is(text, "-MT") || string_is(text, "-MQ");
    } else if (command_is_source(command, argument)) {
        command->sources++;
    }
}

void command_read(struct command *command, int count, char **texts)
{
    *command = (struct command){.mode = MODE_LINK};
    for (int i = 1; i < count; i++) {
        if (string_is(texts[i], "--help"))
            command->wants_help = true;
        else if (string_is(texts[i], "--print-kernel"))
            command->prints_kernels = true;
        else
            *(struct argument *)list_add(&command->arguments, sizeof(struct argument)) =
                command_classify(texts, &i, count);
    }
    for (size_t i = 0; i < command->arguments.count; i++)
        command_note(command, LIST_AT(&command->arguments, struct argument, i));
}

bool command_is_source(const struct command *command, const struct argument *argument)
{
    size_t length = strlen(argument->text);
    bool is_named = length > 2 && string_is(argument->text + length - 2, ".c");
    return argument->role == ROLE_INPUT &&
           (command->language ? string_is(command->language, "c") : is_named);
}

void command_add(struct list *list, const char *text)
{
    *(const char **)list_add(list, sizeof(text)) = text;
}

void command_add_role(struct list *list, const struct command *command, enum role role)
{
    for (size_t i = 0; i < command->arguments.count; i++) {
        const struct argument *argument = LIST_AT(&command->arguments, struct argument, i);
        if (argument->role != role)
            continue;
        command_add(list, argument->text);
        if (argument->value)
            command_add(list, argument->value);
    }
}

int command_run(struct list *list, struct text *output)
{
    posix_spawn_file_actions_t actions;
    int ends[2] = {-1, -1}, status;
    pid_t child;
    command_add(list, NULL);
    char *const *words = list->items;
    posix_spawn_file_actions_init(&actions);
    if (output && pipe(ends) == 0) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        posix_spawn_file_actions_addclose(&actions, ends[1]);
    }
    int error = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (output)
        close(ends[1]);
    if (error) {
        fprintf(stderr,
                "nudacc: error: %s cannot be started: %s (NUDACC_CLANG names the compiler)\n",
                words[0], strerror(error));
        return 127;
    }
    char part[65536];
    for (ssize_t count; output && (count = read(ends[0], part, sizeof(part))) != 0;) {
        if (count > 0)
            text_add(output, part, (size_t)count);
        else if (errno != EINTR)
            break;
    }
    if (output)
        close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

char *command_base(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path,
               *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    return memory_format("%.*s%s", (int)length, base, ending);
}
