/* SPDX-License-Identifier: MIT */
/* wavetank signatures: how often signatures would stop transactions that do not conflict. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cli/command.h"
#include "cli/signature_replay.h"

enum { OPTION_BITS, MAX_SIZES = 16 };

static const struct option options[] = {
    {"--bits", "N",
     "of a signature, a power of two from 8 to 65536 (256 to 4096); may be repeated"},
};

struct signature_request {
    uint32_t sizes[MAX_SIZES];
    unsigned size_count;
};

static bool take_size(struct signature_request *request, const char *value,
                      struct diagnosis *diagnosis)
{
    char *end;
    unsigned long bits;

    errno = 0;
    bits = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || bits < 8 ||
        bits > 65536 || (bits & (bits - 1)) != 0)
        return diagnose(diagnosis, "--bits takes a power of two from 8 to 65536, not '%s'", value);
    if (request->size_count == MAX_SIZES)
        return diagnose(diagnosis, "more than %u sizes", (unsigned)MAX_SIZES);
    request->sizes[request->size_count++] = (uint32_t)bits;
    return true;
}

static double share_of(uint64_t part, uint64_t all)
{
    return all > 0 ? 100.0 * (double)part / (double)all : 0;
}

static void print_counts(enum signature_scheme scheme, uint32_t bits,
                         const struct signature_counts *counts)
{
    printf("%-5s %6u %12llu %14llu %7.1f%% %10llu %12llu %7.1f%%\n",
           scheme == SCHEME_SETS ? "sets" : "ring", bits, (unsigned long long)counts->real,
           (unsigned long long)counts->false_ones,
           share_of(counts->false_ones, counts->false_ones + counts->real),
           (unsigned long long)counts->stopped, (unsigned long long)counts->stopped_for_nothing,
           share_of(counts->stopped_for_nothing, counts->stopped));
}

static bool replay_file(const struct signature_request *request, const char *name,
                        struct diagnosis *diagnosis)
{
    FILE *file = fopen(name, "r");
    struct signature_counts counts[SCHEMES][MAX_SIZES] = {0};
    struct recording recording = {0};
    bool is_wrong = false;

    if (file == NULL)
        return diagnose(diagnosis, "%s: %s", name, strerror(errno));
    while (recording_read(&recording, file, name, &is_wrong, diagnosis))
        for (unsigned scheme = 0; scheme < SCHEMES; scheme++)
            for (unsigned i = 0; i < request->size_count; i++)
                signatures_replay(&recording, scheme, request->sizes[i], &counts[scheme][i]);
    recording_finish(&recording);
    fclose(file);
    if (is_wrong)
        return false;
    printf("%s: %llu attempts, %llu commits, at most %llu at a time\n", name,
           (unsigned long long)counts[0][0].attempts, (unsigned long long)counts[0][0].commits,
           (unsigned long long)counts[0][0].max_at_once);
    printf("%-5s %6s %12s %14s %8s %10s %12s %8s\n", "", "bits", "conflicts", "false ones", "",
           "stopped", "for nothing", "");
    for (unsigned scheme = 0; scheme < SCHEMES; scheme++)
        for (unsigned i = 0; i < request->size_count; i++)
            print_counts(scheme, request->sizes[i], &counts[scheme][i]);
    return true;
}

static int signatures_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    struct signature_request request = {0};
    struct diagnosis diagnosis;
    int index, status = 0;

    while ((index = option_next(&reader)) >= 0)
        if (!take_size(&request, reader.value, &diagnosis))
            return mistake_print(&diagnosis);
    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    if (reader.at == argc) {
        diagnose(&diagnosis, "signatures takes files of sim.record_transactions");
        return mistake_print(&diagnosis);
    }
    if (request.size_count == 0)
        for (uint32_t bits = 256; bits <= 4096; bits *= 2)
            request.sizes[request.size_count++] = bits;
    for (int i = reader.at; i < argc && status == 0; i++)
        if (!replay_file(&request, argv[i], &diagnosis))
            status = mistake_print(&diagnosis);
    return status;
}

const struct command command_signatures = {
    .name = "signatures",
    .usage = "[OPTIONS] RECORDING...",
    .summary = "Replays recorded transactions against signatures: false conflicts",
    .details =
        "A RECORDING is what a run with -o sim.record_transactions=FILE has written, of a system\n"
        "for global memory. Each commit is looked up among the transactions that run then:\n"
        "  sets  its words, in a signature of what each other has read and written\n"
        "  ring  its signature, in those of what the others have read (RingSTM)\n"
        "Signatures are Bloom filters in 4 parts. A conflict that a signature shows and no word\n"
        "is false; the right half counts transactions, by the first conflict that each meets.\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = signatures_main,
};
