/* SPDX-License-Identifier: MIT */
/* nudacc's command line, which is that of a C compiler, and the compiler's runs. */
#ifndef NUDACC_COMMAND_H
#define NUDACC_COMMAND_H

#include "memory.h"

/* What an argument is for. */
enum role {
    ROLE_INPUT,      /* a file */
    ROLE_OUTPUT,     /* -o and its value */
    ROLE_MODE,       /* -c, -S */
    ROLE_PREPROCESS, /* -I, -D ... */
    ROLE_DEPENDENCY, /* -MD, -MF ... */
    ROLE_LINK,       /* -l, -L, -Wl,... */
    ROLE_COMPILE,    /* all others */
};

struct argument {
    enum role role;
    const char *text;
    const char *value; /* of an option whose value is the next argument */
};

enum mode { MODE_LINK, MODE_OBJECT, MODE_ASSEMBLY, MODE_OTHER };

struct command {
    struct list arguments; /* struct argument */
    enum mode mode;
    const char *output;   /* NULL: not given */
    const char *language; /* of -x, NULL */
    bool writes_dependencies, names_dependencies, names_target;
    bool prints_kernels, wants_help;
    unsigned sources; /* inputs in C */
};

/* Reads a command line. */
void command_read(struct command *command, int count, char **texts);

/* Whether an argument is a source in C. */
bool command_is_source(const struct command *command, const struct argument *argument);

/* Arguments for a run of the compiler: struct list of const char *. */
void command_add(struct list *list, const char *text);

/* Adds all arguments of a role. */
void command_add_role(struct list *list, const struct command *command, enum role role);

/* Runs a program; `output`: its standard output, or NULL to let it through. Returns its status,
 * 127: it could not be started. */
int command_run(struct list *list, struct text *output);

/* A path's last part, without its folder; with another ending instead of its own. */
char *command_base(const char *path, const char *ending);

#endif
