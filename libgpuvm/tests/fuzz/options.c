/* SPDX-License-Identifier: MIT */
/* The fuzzer's command line. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Random operations on libgpuvm, every byte compared with a model.\n"
    "\n"
    "  --rung NAME       svm, uffd-move, uffd-copy, uffd-move-user, uffd-copy-user,\n"
    "                    segv-mem\n"
    "                    (sets GPUVM_BACKEND; without: what the library chooses)\n"
    "  --device KIND     fake (default) or opencl (every device of the first platform that has "
    "any)\n"
    "  --devices N       how many: fake 1 to 8 (default 1); opencl: at least, default all\n"
    "  --reach           the host can reach the fake devices' buffers\n"
    "  --no-huge         GPUVM_NO_HUGE_PAGES\n"
    "  --no-failures     the fake devices never fail\n"
    "  --threads N       each with arrays of its own (default 1, at most 16)\n"
    "  --seed S          repeats a run (default: the clock)\n"
    "  --seconds T       how long (default 2, if --operations is not given)\n"
    "  --operations N    how many\n"
    "\n"
    "Exit status: 0 no difference, 1 a difference, 2 wrong use, 77 the rung is refused here.\n";

static void refuse(const char *what, const char *value)
{
    fprintf(stderr, "fuzz: %s: %s (--help lists the options)\n", what, value);
    exit(2);
}

static uint64_t read_number(const char *name, const char *text, uint64_t low, uint64_t high)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 0);
    if (*text == '\0' || *end != '\0' || value < low || value > high)
        refuse(name, text);
    return value;
}

static double read_seconds(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !(value > 0 && value < 1e6))
        refuse("--seconds", text);
    return value;
}

static uint64_t clock_seed(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000003u + (uint64_t)now.tv_nsec + (uint64_t)getpid()) %
           1000000007u;
}

static bool read_kind(const char *text)
{
    if (strcmp(text, "fake") != 0 && strcmp(text, "opencl") != 0)
        refuse("--device", text);
    return strcmp(text, "opencl") == 0;
}

static void read_option(struct options *options, int which, const char *value)
{
    switch (which) {
    case 'r':
        options->rung = value;
        break;
    case 'd':
        options->is_opencl = read_kind(value);
        break;
    case 'n':
        options->devices = (unsigned)read_number("--devices", value, 1, MAX_DEVICES);
        break;
    case 't':
        options->threads = (unsigned)read_number("--threads", value, 1, MAX_THREADS);
        break;
    case 's':
        options->seed = read_number("--seed", value, 0, UINT64_MAX);
        break;
    case 'T':
        options->seconds = read_seconds(value);
        break;
    case 'o':
        options->operations = read_number("--operations", value, 1, UINT64_MAX);
        break;
    case 'h':
        fputs(help, stdout);
        exit(0);
    default:
        if (which != 0)
            refuse("options", "wrong use");
    }
}

struct options read_options(int count, char **arguments)
{
    struct options options = {.threads = 1, .seed = clock_seed()};
    int has_reach = 0, has_no_huge = 0, has_no_faults = 0;
    const struct option names[] = {
        {"rung", required_argument, NULL, 'r'},          {"device", required_argument, NULL, 'd'},
        {"devices", required_argument, NULL, 'n'},       {"threads", required_argument, NULL, 't'},
        {"seed", required_argument, NULL, 's'},          {"seconds", required_argument, NULL, 'T'},
        {"operations", required_argument, NULL, 'o'},    {"help", no_argument, NULL, 'h'},
        {"reach", no_argument, &has_reach, 1},           {"no-huge", no_argument, &has_no_huge, 1},
        {"no-failures", no_argument, &has_no_faults, 1}, {0},
    };
    for (int which; (which = getopt_long(count, arguments, "", names, NULL)) != -1;)
        read_option(&options, which, optarg);
    if (optind < count)
        refuse("unknown argument", arguments[optind]);
    options.has_reach = has_reach;
    options.has_no_huge_pages = has_no_huge;
    options.has_no_faults = has_no_faults;
    if (options.seconds == 0 && options.operations == 0)
        options.seconds = 2;
    if (options.devices == 0 && !options.is_opencl)
        options.devices = 1;
    return options;
}
