/* SPDX-License-Identifier: MIT */
/* wavetank verify PROTOCOL: is a coherence protocol right? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cli/command.h"
#include "cli/verify.h"
#include "cli/verify_files.h"
#include "cli/verify_litmus.h"
#include "cli/verify_programs.h"
#include "cli/verify_tm.h"

enum {
    OPTION_EXHAUSTIVE = VERIFY_PARAMETER_OPTIONS,
    OPTION_L1S,
    OPTION_SLICES,
    OPTION_LINES,
    OPTION_L1_WAYS,
    OPTION_L2_WAYS,
    OPTION_L1_MSHRS,
    OPTION_L2_MSHRS,
    OPTION_OUTSTANDING,
    OPTION_TELL_APART,
    OPTION_TAKE_ALL,
    OPTION_SEND_AT_ONCE,
    OPTION_ROOM,
    OPTION_DOWN_FIFOS,
    OPTION_UP_FIFOS,
    OPTION_WITHOUT,
    OPTION_MEMORY,
    OPTION_STATES,
    OPTION_RANDOM,
    OPTION_SEED,
    OPTION_SEEDS,
    OPTION_SECONDS,
    OPTION_REPLAY,
    OPTION_SAVE,
    OPTION_NO_SHRINK,
    OPTION_LITMUS,
    OPTION_PROGRAMS,
    OPTION_OPERATIONS,
    OPTION_GO_ON,
    OPTION_COLUMNS,
    OPTION_BREAK,
    OPTION_LIST_BREAKS,
    OPTION_COVERAGE,
    OPTION_QUIET
};

static const struct option options[] = {
    VERIFY_PARAMETER_ROWS,
    {"--exhaustive", NULL, "all that a small machine can do, breadth first"},
    {"--l1s", "N", "its L1s, 1 to 4 (2)"},
    {"--slices", "N", "its L2 slices, 1 or 2 (1)"},
    {"--lines", "N", "its lines in each slice, at most 4 in all (1)"},
    {"--l1-ways", "N", "ways of its L1s, which have one set (1)"},
    {"--l2-ways", "N", "ways of its slices, which have one set (a way for each line)"},
    {"--l1-mshrs", "N", "MSHRs of its L1s (1)"},
    {"--l2-mshrs", "N", "MSHRs of its slices (2)"},
    {"--outstanding", "N", "requests of an L1 at once, 1 or 2 (1)"},
    {"--tell-l1s-apart", NULL, "takes states in which L1s have but changed places for two"},
    {"--take-all-moves", NULL,
     "makes no move as part of another, though nothing would go otherwise for it"},
    {"--send-at-once", NULL, "sends no request late, though nothing would go otherwise for it"},
    {"--room", "N", "messages that each FIFO between two nodes holds, 1 to 4 (2)"},
    {"--down-fifos", "N", "FIFOs of a link toward memory: crossbar.down_fifos (0: the fewest)"},
    {"--up-fifos", "N", "the same toward the compute units, as crossbar.up_fifos"},
    {"--without", "ACCESS[,ACCESS...]",
     "accesses that are left out: load, coherent load, store, coherent store, exchange, acquire, "
     "release, eviction"},
    {"--memory", "MB", "memory that the search may use (6144)"},
    {"--states", "N", "states after which the search gives up (no bound)"},
    {"--random", NULL, "random programs on tiny caches, against a memory of single bytes"},
    {"--seed", "N", "first seed of them (1)"},
    {"--seeds", "N", "how many seeds (30)"},
    {"--seconds", "N", "seeds for so long instead"},
    {"--replay", "FILE", "runs a program that was printed or kept"},
    {"--save", "FILE", "keeps the program that is wrong"},
    {"--no-shrink", NULL, "says what is wrong, and makes the program no smaller"},
    {"--litmus", NULL, "litmus tests as OpenCL programs on a simulated GPU of four compute units"},
    {"--programs", NULL,
     "tiny programs of scoped synchronisation, in every order of messages; with --random: random "
     "ones without races, one a seed; with FILEs: litmus tests, whose names have a '.' or '/'"},
    {"--operations", "N",
     "of --programs those of so many operations at most run with evictions too (6)"},
    {"--go-on", NULL, "of --programs: after a fault too; the status is still 1"},
    {"--columns", NULL, "of --programs: the path to a fault in columns, one for each cache"},
    {"--break", "FAULT",
     "verifies the protocol with one of its deliberate faults; sets the parameter that it needs"},
    {"--list-breaks", NULL, "lists them: protocol, fault, what it leaves out"},
    {"--coverage", NULL, "prints how often each row of the tables was used"},
    {"--quiet", NULL, "prints no progress"},
};

bool verify_number(const char *option, const char *value, uint64_t min, uint64_t max,
                   uint64_t *number, struct diagnosis *diagnosis)
{
    char *end;

    errno = 0;
    *number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || *number < min ||
        *number > max)
        return diagnose(diagnosis, "%s takes a number from %llu to %llu, not '%s'", option,
                        (unsigned long long)min, (unsigned long long)max, value);
    return true;
}

/* ---- Options ---- */

static bool leave_out(struct exhaustive_options *exhaustive, const char *names,
                      struct diagnosis *diagnosis)
{
    while (*names != '\0') {
        size_t length = strcspn(names, ",");
        unsigned access = 0;

        while (access < ACCESS_COUNT && (strlen(access_name(access)) != length ||
                                         strncmp(access_name(access), names, length) != 0))
            access++;
        if (access < ACCESS_COUNT)
            exhaustive->accesses &= ~(UINT32_C(1) << access);
        else if (length == strlen("eviction") && strncmp(names, "eviction", length) == 0)
            exhaustive->shape.evicts = false;
        else
            return diagnose(diagnosis, "--without: there is no access '%.*s'", (int)length, names);
        names += length + (names[length] == ',');
    }
    return true;
}

static bool set_number(uint32_t *field, const struct option_reader *reader, int index, uint64_t min,
                       uint64_t max, struct diagnosis *diagnosis)
{
    uint64_t number;

    if (!verify_number(options[index].name, reader->value, min, max, &number, diagnosis))
        return false;
    *field = (uint32_t)number;
    return true;
}

static bool take_shape(struct exhaustive_options *exhaustive, const struct option_reader *reader,
                       int index, struct diagnosis *diagnosis)
{
    struct world_shape *shape = &exhaustive->shape;

    switch (index) {
    case OPTION_L1S:
        return set_number(&shape->l1s, reader, index, 1, WORLD_MAX_L1S, diagnosis);
    case OPTION_SLICES:
        return set_number(&shape->slices, reader, index, 1, WORLD_MAX_SLICES, diagnosis);
    case OPTION_LINES:
        return set_number(&shape->lines, reader, index, 1, WORLD_MAX_LINES, diagnosis);
    case OPTION_L1_WAYS:
        return set_number(&shape->l1_ways, reader, index, 1, 16, diagnosis);
    case OPTION_L2_WAYS:
        return set_number(&shape->l2_ways, reader, index, 1, 16, diagnosis);
    case OPTION_L1_MSHRS:
        return set_number(&shape->l1_mshrs, reader, index, 1, 16, diagnosis);
    case OPTION_L2_MSHRS:
        return set_number(&shape->l2_mshrs, reader, index, 1, 16, diagnosis);
    case OPTION_ROOM:
        return set_number(&shape->room, reader, index, 1, WORLD_MAX_ROOM, diagnosis);
    case OPTION_DOWN_FIFOS:
        return set_number(&exhaustive->down_fifos, reader, index, 0, 2, diagnosis);
    case OPTION_UP_FIFOS:
        return set_number(&exhaustive->up_fifos, reader, index, 0, 2, diagnosis);
    default:
        return set_number(&exhaustive->outstanding, reader, index, 1, 2, diagnosis);
    }
}

static bool take_random(struct verify_request *request, const struct option_reader *reader,
                        int index, struct diagnosis *diagnosis)
{
    switch (index) {
    case OPTION_RANDOM:
        request->is_random = true;
        return true;
    case OPTION_SEED:
        return verify_number("--seed", reader->value, 0, UINT32_MAX, &request->first_seed,
                             diagnosis);
    case OPTION_SEEDS:
        return verify_number("--seeds", reader->value, 1, UINT32_MAX, &request->seeds, diagnosis);
    case OPTION_SECONDS:
        return verify_number("--seconds", reader->value, 1, UINT32_MAX, &request->seconds,
                             diagnosis);
    case OPTION_REPLAY:
        request->replay_path = reader->value;
        return true;
    case OPTION_SAVE:
        request->save_path = reader->value;
        return true;
    default:
        request->is_shrunk = false;
        return true;
    }
}

static bool take_option(struct verify_request *request, const struct option_reader *reader,
                        int index, struct diagnosis *diagnosis)
{
    uint64_t number;

    if (verify_parameters_take(request->parameters, index, reader->value))
        return true;
    switch (index) {
    case OPTION_WITHOUT:
        return leave_out(&request->exhaustive, reader->value, diagnosis);
    case OPTION_MEMORY:
        if (!verify_number("--memory", reader->value, 16, 1 << 20, &number, diagnosis))
            return false;
        request->exhaustive.bytes_max = number << 20;
        return true;
    case OPTION_STATES:
        return verify_number("--states", reader->value, 1, UINT32_MAX - 1,
                             &request->exhaustive.states_max, diagnosis);
    case OPTION_BREAK:
        request->break_name = reader->value;
        return true;
    case OPTION_LITMUS:
        request->is_litmus = true;
        return true;
    case OPTION_PROGRAMS:
        request->is_programs = true;
        return true;
    case OPTION_OPERATIONS:
        return verify_number("--operations", reader->value, 0, UINT8_MAX, &request->operations_max,
                             diagnosis);
    case OPTION_GO_ON:
        request->goes_on = true;
        return true;
    case OPTION_COLUMNS:
        request->has_columns = true;
        return true;
    case OPTION_COVERAGE:
        request->shows_coverage = true;
        return true;
    case OPTION_QUIET:
        request->is_quiet = true;
        return true;
    case OPTION_TELL_APART:
        request->exhaustive.tells_l1s_apart = true;
        return true;
    case OPTION_TAKE_ALL:
        request->exhaustive.takes_all_moves = true;
        return true;
    case OPTION_SEND_AT_ONCE:
        request->exhaustive.sends_at_once = true;
        return true;
    case OPTION_EXHAUSTIVE:
        request->is_exhaustive = true;
        return true;
    default:
        return index >= OPTION_RANDOM && index <= OPTION_NO_SHRINK
                   ? take_random(request, reader, index, diagnosis)
                   : take_shape(&request->exhaustive, reader, index, diagnosis);
    }
}

/* ---- What is done ---- */

static void list_break(const char *protocol, const struct mutation *mutation)
{
    printf("%-10s  %-24s  %s", protocol, mutation->name, mutation->help);
    if (mutation->needs != NULL)
        printf(" (sets %s)", mutation->needs);
    putchar('\n');
}

static int list_breaks(const char *protocol)
{
    for (unsigned i = 0; all_rules[i] != NULL; i++)
        for (uint32_t j = 0; j < all_rules[i]->mutation_count; j++)
            if (protocol_find(all_rules[i]->protocol) != NULL &&
                (protocol == NULL || strcmp(protocol, all_rules[i]->protocol) == 0))
                list_break(all_rules[i]->protocol, &all_rules[i]->mutations[j]);
    return 0;
}

/* What nothing was said of: all that the protocol can run. */
static int verify_all(struct verify_request *request)
{
    int status = verify_random(request);

    if (status == 0 && verify_runs_programs(request->protocol)) {
        status = verify_programs(request);
        if (status == 0)
            status = verify_random_programs(request);
    }
    return status == 0 ? verify_exhaustive(request) : status;
}

static int verify_as_asked(struct verify_request *request)
{
    int status = 0;

    if (request->replay_path != NULL)
        return verify_replay(request);
    if (!request->is_exhaustive && !request->is_random && !request->is_litmus &&
        !request->is_programs)
        status = verify_all(request);
    else if (request->file_count > 0)
        status = verify_files(request);
    else if (request->is_programs)
        status = request->is_random ? verify_random_programs(request) : verify_programs(request);
    else if (request->is_random)
        status = verify_random(request);
    if (status == 0 && request->is_exhaustive)
        status = verify_exhaustive(request);
    if (status == 0 && request->is_litmus)
        return verify_litmus(request->protocol_name, verify_parameters_set(request->parameters));
    if (status != EXIT_USAGE && (request->shows_coverage || (status == 0 && !request->is_programs)))
        verify_coverage_print(request->coverage, request->shows_coverage);
    return status;
}

static int verify_with(struct verify_request *request, const struct protocol *protocol,
                       const struct mutation *mutation)
{
    struct diagnosis diagnosis;
    struct mutant *mutant = mutant_create(protocol, mutation, &diagnosis);
    struct protocol set;
    int status;

    if (mutant == NULL)
        return mistake_print(&diagnosis);
    set = *mutant_protocol(mutant);
    if (verify_parameters_apply(request->parameters, &set, !request->is_litmus, &diagnosis)) {
        request->protocol = request->exhaustive.shape.protocol = &set;
        request->exhaustive.wired_for = protocol;
        request->exhaustive.shape.breaks = mutant_breaks(mutant);
        request->exhaustive.promise = promise_of(protocol);
        request->coverage = verify_coverage_create(request->protocol);
        status = verify_as_asked(request);
        verify_coverage_destroy(request->coverage);
    } else {
        status = mistake_print(&diagnosis);
    }
    mutant_destroy(mutant);
    return status;
}

static int verify_protocol(struct verify_request *request)
{
    const struct protocol *protocol = protocol_find(request->protocol_name);
    const struct mutation *mutation = NULL;
    struct diagnosis diagnosis;

    if (protocol == NULL) {
        diagnose(&diagnosis, "there is no protocol '%s'", request->protocol_name);
        diagnose_hint(&diagnosis, "`wavetank list protocols` lists them");
        return mistake_print(&diagnosis);
    }
    if (request->break_name != NULL && request->is_litmus) {
        diagnose(&diagnosis, "--litmus runs a protocol as it is, and takes no --break");
        diagnose_hint(&diagnosis, "`wavetank list breaks`: faults of the simulated machine");
        return mistake_print(&diagnosis);
    }
    if (request->break_name != NULL) {
        mutation = mutation_find(request->protocol_name, request->break_name, &diagnosis);
        if (mutation == NULL)
            return mistake_print(&diagnosis);
        if (verify_parameters_need(request->parameters, mutation->needs))
            printf("the fault %s sets -o %s\n", mutation->name, mutation->needs);
    }
    return verify_with(request, protocol, mutation);
}

/* A file of --programs has a '.' or '/' in its name, a protocol has not. False: neither. */
static bool take_word(struct verify_request *request, const char *word)
{
    if (strpbrk(word, "./") != NULL) {
        request->files[request->file_count++] = word;
        return true;
    }
    if (request->protocol_name != NULL)
        return false;
    request->protocol_name = word;
    return true;
}

/* Reads the words and does what they ask. */
static int read_and_verify(struct verify_request *request, struct option_reader *reader)
{
    struct diagnosis diagnosis;
    bool lists = false;
    int index;

    for (;;) {
        while ((index = option_next(reader)) >= 0)
            if (index == OPTION_LIST_BREAKS)
                lists = true;
            else if (!take_option(request, reader, index, &diagnosis))
                return mistake_print(&diagnosis);
        if (index != OPTION_END || reader->at == reader->argc ||
            !take_word(request, reader->argv[reader->at]))
            break;
        reader->at++; /* options may follow */
    }
    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    if (lists)
        return list_breaks(request->protocol_name);
    if (request->protocol_name == NULL || reader->at < reader->argc) {
        diagnose(&diagnosis, "verify takes one protocol");
        diagnose_hint(&diagnosis, "wavetank verify %s", reader->command->usage);
        return mistake_print(&diagnosis);
    }
    if (request->file_count > 0 && (!request->is_programs || request->is_random)) {
        diagnose(&diagnosis, "%s: files are for --programs, without --random", request->files[0]);
        return mistake_print(&diagnosis);
    }
    return verify_protocol(request);
}

static int verify_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    struct verify_request request = {
        .first_seed = 1, .seeds = 30, .is_shrunk = true, .operations_max = 6};
    struct promise none = {0};
    int status;

    if (argc > 1 && strcmp(argv[1], "tm") == 0)
        return verify_tm(argc - 1, argv + 1);
    exhaustive_defaults(&request.exhaustive, NULL, &none);
    request.parameters = verify_parameters_create();
    request.files = allocate((size_t)argc, sizeof *request.files);
    status = read_and_verify(&request, &reader);
    verify_parameters_destroy(request.parameters);
    free(request.files);
    return status;
}

const struct command command_verify = {
    .name = "verify",
    .usage = "[OPTIONS] PROTOCOL [FILE...] | tm [OPTIONS] SYSTEM",
    .summary = "Looks for faults in a coherence protocol or a transactional memory",
    .details =
        "Runs the tables that the simulator runs, without time.\n"
        "  --random      long programs on tiny caches, messages in random orders. A wrong program "
        "is\n"
        "                made smaller, and printed in a form that --replay takes.\n"
        "  --exhaustive  a small machine through everything that it can do: each access by each "
        "L1,\n"
        "                each order of messages that the links allow, each eviction. A fault is\n"
        "                printed as the shortest sequence that leads to it, and as a program.\n"
        "  --programs    tiny programs of scoped synchronisation, in each order of messages; a\n"
        "                forbidden outcome is printed as the shortest sequence that leads to it.\n"
        "                With --random: random ones without races, judged by happens-before.\n"
        "                With FILEs: litmus tests in herd's form for OpenCL. Their verdict by the\n"
        "                memory model is printed as herd prints it, then what the protocol shows.\n"
        "Without any: all that the protocol can run. Beside them, or alone:\n"
        "  --litmus      message passing, store buffering and the like as kernels in standard\n"
        "                atomics, in each placement; outcomes are counted and judged.\n"
        "\n"
        "Exit status: 0 no fault, 1 a fault, 6 the search was not finished.\n"
        "What is checked, and what that means: docs/models/verification.md.\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = verify_main,
};
