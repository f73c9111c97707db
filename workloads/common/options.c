/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

enum { COMMON_OPTIONS = 4 };

static void common_options(struct workload *workload, struct workload_option rows[COMMON_OPTIONS])
{
    rows[0] = (struct workload_option){"size",
                                       "N",
                                       workload->size_help,
                                       &workload->size,
                                       workload->size_min,
                                       workload->size_max};
    rows[1] = (struct workload_option){"iterations",          "N", "how often the kernel is run",
                                       &workload->iterations, 1,   1000000};
    rows[2] =
        (struct workload_option){"seed", "N", "of the input data", &workload->seed, 0, UINT64_MAX};
    rows[3] = (struct workload_option){
        "device", "N", "which device of the platform, from 0", &workload->device_index, 0, 255};
}

static bool has_words(const struct workload_option *option)
{
    return option->argument != NULL && strchr(option->argument, '|') != NULL;
}

static void print_words(const char *left, const struct workload_option *option)
{
    const char *word = option->argument;

    for (uint64_t i = 0; i < *option->value; i++)
        word = strchr(word, '|') + 1;
    printf("  %-22s %s (default %.*s)\n", left, option->help, (int)strcspn(word, "|"), word);
}

static void print_option(const struct workload_option *option)
{
    char left[64];

    snprintf(left, sizeof left, "--%s %s", option->name, option->argument ? option->argument : "");
    if (has_words(option))
        print_words(left, option);
    else if (option->argument)
        printf("  %-22s %s (default %llu)\n", left, option->help,
               (unsigned long long)*option->value);
    else
        printf("  %-22s %s\n", left, option->help);
}

static void print_help(const struct workload *workload,
                       const struct workload_option common[COMMON_OPTIONS])
{
    printf("usage: %s [options]\n%s\n\n", workload->name, workload->summary);
    for (unsigned i = 0; i < COMMON_OPTIONS; i++)
        if (common[i].help != NULL)
            print_option(&common[i]);
    for (unsigned i = 0; i < workload->option_count; i++)
        print_option(&workload->options[i]);
    if (workload->size_small != 0)
        printf("  %-22s --size %llu\n", "--small", (unsigned long long)workload->size_small);
    if (workload->file_help != NULL)
        printf("  %-22s %s\n", "--file PATH", workload->file_help);
    printf("  %-22s %s\n", "--platform TEXT", "a platform whose name contains TEXT");
    printf("  %-22s %s\n", "--verbose", "print the device, each launch and a checksum");
    printf("  %-22s %s\n", "--help", "print this");
    printf("\nExit status: 0 right, 1 wrong results, 2 could not run.\n");
}

/* Of an option whose argument is one of several words: the index of `text`. */
static void set_word(const struct workload_option *option, const char *text)
{
    uint64_t index = 0;

    for (const char *word = option->argument;; index++) {
        size_t length = strcspn(word, "|");
        if (strlen(text) == length && strncmp(text, word, length) == 0)
            break;
        if (word[length] == '\0')
            workload_fail("--%s wants one of %s, not '%s'", option->name, option->argument, text);
        word += length + 1;
    }
    *option->value = index;
}

static const struct workload_option *find(const struct workload_option *rows, unsigned count,
                                          const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (rows[i].help != NULL && strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static void set_number(const struct workload_option *option, const char *text)
{
    char *end;

    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (*text == '\0' || *text == '-' || *end != '\0' || errno != 0)
        workload_fail("--%s wants a number, not '%s'", option->name, text);
    if (value < option->min || value > option->max)
        workload_fail("--%s is %llu but must lie between %llu and %llu", option->name, value,
                      (unsigned long long)option->min, (unsigned long long)option->max);
    *option->value = value;
}

/* The argument of option argv[*i]: after '=', or the next word, which is then used up. */
static const char *argument_of(int argc, char **argv, int *i, const char *equals)
{
    if (equals != NULL)
        return equals + 1;
    if (*i + 1 >= argc)
        workload_fail("%s wants an argument", argv[*i]);
    return argv[++*i];
}

static bool take_common_flag(struct workload *workload, const char *name)
{
    if (strcmp(name, "verbose") == 0)
        workload->verbose = true;
    else if (strcmp(name, "small") == 0 && workload->size_small != 0)
        workload->is_small = true;
    else
        return false;
    return true;
}

void workload_parse(struct workload *workload, int argc, char **argv)
{
    bool has_size = false;
    struct workload_option common[COMMON_OPTIONS];

    common_options(workload, common);
    for (int i = 1; i < argc; i++) {
        char name[32];
        const char *word = argv[i];
        const char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) : strlen(word);

        if (strncmp(word, "--", 2) != 0 || length - 2 >= sizeof name)
            workload_fail("unknown option '%s' (try --help)", word);
        memcpy(name, word + 2, length - 2);
        name[length - 2] = '\0';

        if (strcmp(name, "help") == 0) {
            print_help(workload, common);
            exit(0);
        } else if (take_common_flag(workload, name)) {
            continue;
        } else if (strcmp(name, "platform") == 0) {
            workload->platform = argument_of(argc, argv, &i, equals);
        } else if (strcmp(name, "file") == 0 && workload->file_help != NULL) {
            workload->file = argument_of(argc, argv, &i, equals);
        } else {
            const struct workload_option *option = find(common, COMMON_OPTIONS, name);
            if (option == NULL)
                option = find(workload->options, workload->option_count, name);
            if (option == NULL)
                workload_fail("unknown option '%s' (try --help)", word);
            has_size = has_size || option->value == &workload->size;
            if (has_words(option))
                set_word(option, argument_of(argc, argv, &i, equals));
            else if (option->argument != NULL)
                set_number(option, argument_of(argc, argv, &i, equals));
            else
                *option->value = 1;
        }
    }
    if (workload->is_small && !has_size)
        workload->size = workload->size_small;
}
