/* SPDX-License-Identifier: MIT */
/* wavetank verify --random and --replay. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/command.h"
#include "cli/verify.h"

enum { SHRINK_RUNS = 6000 };

static void coverage_look(void *context, const struct controller *controller)
{
    verify_coverage_add(context, controller);
}

static struct tester tester_of(const struct verify_request *request)
{
    return (struct tester){.protocol = request->protocol,
                           .promise = request->exhaustive.promise,
                           .breaks = request->exhaustive.shape.breaks,
                           .look = coverage_look,
                           .context = request->coverage};
}

static void failure_save(const struct verify_request *request, const struct text *text)
{
    FILE *stream = fopen(request->save_path, "w");

    if (stream == NULL || fputs(text_chars(text), stream) < 0 || fclose(stream) != 0)
        fprintf(stderr, "wavetank: cannot write %s\n", request->save_path);
    else
        printf("  kept in %s\n", request->save_path);
}

/* The program is wrong: it is made smaller and printed. */
static int tell_fault(const struct verify_request *request, const struct tester *tester,
                      struct program *program, uint64_t seed, const struct fault *first)
{
    uint32_t operations = program->count;
    struct text text = {0};
    struct fault fault = *first;

    printf("  a fault: seed %llu: %s: %s\n", (unsigned long long)seed,
           verify_check_name(fault.check), fault.text);
    if (request->is_shrunk) {
        program_shrink(program, tester, SHRINK_RUNS);
        program_run(program, tester, &fault);
        printf("%u of its %u operations are enough (`--replay FILE` runs them again):\n\n",
               program->count, operations);
        program_print(program, request->protocol_name, &text);
        fputs(text_chars(&text), stdout);
        printf("\n%s: %s\n", verify_check_name(fault.check), fault.text);
        if (request->save_path != NULL)
            failure_save(request, &text);
        text_finish(&text);
    }
    program_finish(program);
    return EXIT_FAULTY;
}

bool verify_is_over(const struct verify_request *request, uint64_t seed, time_t begun)
{
    if (request->seconds > 0)
        return (uint64_t)(time(NULL) - begun) >= request->seconds;
    return seed >= request->first_seed + request->seeds;
}

int verify_random(struct verify_request *request)
{
    struct tester tester = tester_of(request);
    time_t begun = time(NULL);
    clock_t processor = clock();
    uint64_t seed = request->first_seed, operations = 0;

    printf("%s%s%s, random: seeds from %llu, %d machines each\n", request->protocol_name,
           request->break_name != NULL ? " with the fault " : "",
           request->break_name != NULL ? request->break_name : "", (unsigned long long)seed,
           RANDOM_SIZES);
    fflush(stdout);
    for (; !verify_is_over(request, seed, begun); seed++)
        for (unsigned which = 0; which < RANDOM_SIZES; which++) {
            struct episode episode = episode_of(request->protocol, which, seed);
            struct program program = {0};
            struct fault fault;

            program_generate(&program, &episode);
            operations += program.count;
            if (program_run(&program, &tester, &fault) != PROGRAM_RIGHT)
                return tell_fault(request, &tester, &program, seed, &fault);
            program_finish(&program);
        }
    printf("  no fault: %llu programs, %llu operations, %.1f s\n",
           (unsigned long long)((seed - request->first_seed) * RANDOM_SIZES),
           (unsigned long long)operations, (double)(clock() - processor) / CLOCKS_PER_SEC);
    return 0;
}

int verify_replay(struct verify_request *request)
{
    struct tester tester = tester_of(request);
    char protocol[32];
    struct program program;
    struct diagnosis diagnosis;
    struct fault fault;
    enum program_end end;

    if (!program_read(&program, request->replay_path, protocol, &diagnosis))
        return mistake_print(&diagnosis);
    if (strcmp(protocol, request->protocol_name) != 0)
        printf("the program was kept for %s\n", protocol);
    end = program_run(&program, &tester, &fault);
    program_finish(&program);
    if (end == PROGRAM_INVALID) {
        diagnose(&diagnosis, "%s: two nodes store to one byte without a 'settle' between",
                 request->replay_path);
        return mistake_print(&diagnosis);
    }
    printf("%s, replay of %s: %s%s%s\n", request->protocol_name, request->replay_path,
           end == PROGRAM_RIGHT ? "no fault" : verify_check_name(fault.check),
           end == PROGRAM_RIGHT ? "" : ": ", end == PROGRAM_RIGHT ? "" : fault.text);
    return end == PROGRAM_RIGHT ? 0 : EXIT_FAULTY;
}
