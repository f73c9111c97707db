/* SPDX-License-Identifier: MIT */
/* Random transactional programs: made, made smaller, printed; and the kernel that runs them. */
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "cli/verify_tm.h"

/* The tables are volatile: what a step loads, the step after it may need from memory again. With
 * both, a word's lowest bit says in which table it is. */
const char verify_tm_kernel[] =
    "#define STEP(SPACE, table, word)                                                     \\\n"
    "    switch (step >> 5) {                                                             \\\n"
    "    case 1: seen += table[word]; break;                                              \\\n"
    "    case 2: table[word] = seen + mine; break;                                        \\\n"
    "    case 3: table[word] += 1; break;                                                 \\\n"
    "    case 4: seen += atomic_add(&table[word], 3u); break;                             \\\n"
    "    case 5: ((volatile SPACE ulong *)table)[(word) / 2] += 0x100000001UL; break;       \\\n"
    "    case 6: ((volatile SPACE uchar *)table)[(word) * 4 + (id & 3)] += 1; break;        \\\n"
    "    case 7: linger(step & 31); break;                                                \\\n"
    "    }\n"
    "void linger(uint times)\n"
    "{\n"
    "    for (uint i = 0; i < 8 * times; i++)\n"
    "        __asm__ volatile(\"s_nop 7\");\n"
    "}\n"
    "__kernel void steps(__global const uchar *program, __global uint *out, uint transactions,\n"
    "                    uint spread)\n"
    "{\n"
    "    uint id = get_global_id(0), sum = 0;\n"
    "#ifdef IS_GLOBAL\n"
    "    volatile __global uint *there = out + 256;\n"
    "#endif\n"
    "#ifdef IS_LOCAL\n"
    "    volatile __local uint here[1024];\n"
    "    for (uint i = get_local_id(0); i < 1024; i += get_local_size(0))\n"
    "        here[i] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "#endif\n"
    "    for (uint t = 0; t < transactions; t++) {\n"
    "        uint seen = 0;\n"
    "        __asm__ volatile(\"s_nop 0x5a40\" : : : \"memory\");\n"
    "        for (uint s = 0; s < 6; s++) {\n"
    "            uint step = program[(t * 6 + s) * 256 + id], word = step & 31;\n"
    "            uint mine = (t * 6 + s) * 65536 + id * 16;\n"
    "#if defined(IS_LOCAL) && defined(IS_GLOBAL)\n"
    "            if ((word & 1) != 0) {\n"
    "                STEP(__global, there, word / 2 * spread)\n"
    "            } else {\n"
    "                STEP(__local, here, word / 2 * min(spread, 32u))\n"
    "            }\n"
    "#elif defined(IS_GLOBAL)\n"
    "            STEP(__global, there, word * spread)\n"
    "#else\n"
    "            STEP(__local, here, word * spread)\n"
    "#endif\n"
    "        }\n"
    "        __asm__ volatile(\"s_nop 0x5a41\" : \"+v\"(seen) : : \"memory\");\n"
    "        sum += seen;\n"
    "    }\n"
    "    out[id] = sum;\n"
    "}\n";

static unsigned draw_number(struct random *random, const unsigned *list, unsigned count)
{
    return list[random_below(random, count)];
}

void tm_program_make(struct tm_program *program, uint64_t seed, bool is_global)
{
    static const unsigned spreads[] = {1, 1, 2, 8, 32},
                          global_spreads[] = {1, 8, 32, 64, 64, 72, 72},
                          groups[] = {64, 64, 128, 256, 40};
    struct random random = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    unsigned idle, kinds;

    memset(program, 0, sizeof *program);
    program->items = 1 + (unsigned)random_below(&random, TM_ITEMS_MAX);
    program->transactions = 1 + (unsigned)random_below(&random, TM_TRANSACTIONS_MAX);
    program->words = 1u << random_below(&random, 6);
    program->spread = is_global ? draw_number(&random, global_spreads, ARRAY_COUNT(global_spreads))
                                : draw_number(&random, spreads, ARRAY_COUNT(spreads));
    program->group = is_global ? draw_number(&random, groups, ARRAY_COUNT(groups)) : program->items;
    idle = (unsigned)random_below(&random, 4); /* of four steps so many are left out */
    kinds = random_below(&random, 8) == 0 ? TM_STEP_LINGER : TM_STEP_BYTE;
    for (unsigned t = 0; t < program->transactions; t++)
        for (unsigned s = 0; s < TM_STEPS; s++)
            for (unsigned i = 0; i < program->items; i++) {
                unsigned kind = 1 + (unsigned)random_below(&random, kinds);
                unsigned word = (unsigned)random_below(&random, program->words);

                if (random_below(&random, 4) >= idle)
                    program->steps[t][s][i] = (unsigned char)(kind << 5 | word);
            }
}

uint64_t tm_program_count(const struct tm_program *program)
{
    return (uint64_t)program->items * program->transactions;
}

/* One try to leave something out: kept if the program still fails. */
struct shrinking {
    struct tm_program *program, before;
    bool (*fails)(void *context, const struct tm_program *program);
    void *context;
    unsigned asked;
};

static bool still_fails(struct shrinking *shrinking)
{
    shrinking->asked++;
    if (shrinking->fails(shrinking->context, shrinking->program))
        return true;
    *shrinking->program = shrinking->before;
    return false;
}

static bool shrink_number(struct shrinking *shrinking, unsigned *number)
{
    bool is_less = false;

    for (unsigned step = *number / 2; step > 0; step /= 2)
        while (*number > step) {
            shrinking->before = *shrinking->program;
            *number -= step;
            if (!still_fails(shrinking))
                break;
            is_less = true;
        }
    return is_less;
}

/* Leaves out all steps of a run of items. */
static bool shrink_steps(struct shrinking *shrinking, unsigned run)
{
    struct tm_program *program = shrinking->program;
    bool is_less = false;

    for (unsigned t = 0; t < program->transactions; t++)
        for (unsigned s = 0; s < TM_STEPS; s++)
            for (unsigned i = 0; i < program->items; i += run) {
                unsigned count = run < program->items - i ? run : program->items - i;
                bool has_any = false;

                for (unsigned j = i; j < i + count; j++)
                    has_any |= program->steps[t][s][j] != 0;
                if (!has_any)
                    continue;
                shrinking->before = *program;
                memset(&program->steps[t][s][i], 0, count);
                is_less |= still_fails(shrinking);
            }
    return is_less;
}

unsigned tm_program_shrink(struct tm_program *program,
                           bool (*fails)(void *context, const struct tm_program *program),
                           void *context)
{
    enum { ASKED_MAX = 2000 };
    struct shrinking shrinking = {.program = program, .fails = fails, .context = context};
    bool is_less = true;

    while (is_less && shrinking.asked < ASKED_MAX) {
        is_less = shrink_number(&shrinking, &program->transactions);
        is_less |= shrink_number(&shrinking, &program->items);
        for (unsigned run = program->items; run > 0 && shrinking.asked < ASKED_MAX; run /= 2)
            is_less |= shrink_steps(&shrinking, run);
    }
    return shrinking.asked;
}

static const char *step_name(unsigned kind)
{
    static const char *const names[] = {"nothing",    "load",        "store",       "increase",
                                        "atomic add", "add to pair", "add to byte", "linger"};

    return names[kind & 7];
}

void tm_program_print(const struct tm_program *program, FILE *stream)
{
    fprintf(stream,
            "%u work-items in groups of %u, %u transactions each, word w of the table at %u w\n",
            program->items, program->group, program->transactions, program->spread);
    for (unsigned i = 0; i < program->items; i++)
        for (unsigned t = 0; t < program->transactions; t++) {
            bool has_any = false;

            for (unsigned s = 0; s < TM_STEPS; s++) {
                unsigned step = program->steps[t][s][i];

                if (step == 0)
                    continue;
                if (!has_any)
                    fprintf(stream, "  work-item %u, transaction %u:", i, t);
                fprintf(stream, "%s %s %u", has_any ? "," : "", step_name(step >> 5), step & 31);
                has_any = true;
            }
            if (has_any)
                fputc('\n', stream);
        }
}
