/* SPDX-License-Identifier: MIT */
/* Radix sort, eight bits a pass; the host makes places of the counts. The check is exact. */
#include <stdlib.h>
#include <string.h>

#include "thesis_radix_sort.cl.h"
#include "workload.h"

enum { GROUP = 64, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, BLOCK = GROUP * DIGITS };

struct sort {
    cl_kernel count_digits, place_words;
    cl_mem words, sorted, counts, places;
    cl_uint *table; /* of the host: a row of DIGITS for each work-item */
    size_t count;
};

static int compare_words(const void *a, const void *b)
{
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;

    return (x > y) - (x < y);
}

/* A digit's words come after those of smaller digits, and in the order of work-items. */
static void make_places(cl_uint *table, size_t items)
{
    cl_uint place = 0;

    for (size_t digit = 0; digit < DIGITS; digit++)
        for (cl_uint *entry = table + digit; entry < table + items * DIGITS; entry += DIGITS) {
            cl_uint count = *entry;
            *entry = place;
            place += count;
        }
}

/* `words` are put in the order of the digit at `shift`. */
static void run_pass(const struct workload *workload, const struct sort *sort, cl_uint *words,
                     cl_uint shift)
{
    size_t items = sort->count / DIGITS, bytes = sort->count * sizeof *words;
    size_t local_bytes = BLOCK * sizeof(cl_ushort);

    workload_write(workload, sort->words, words, bytes);
    workload_arguments(sort->count_digits, "bbul", sort->words, sort->counts, shift, local_bytes);
    workload_run_items(workload, sort->count_digits, items, GROUP);
    workload_read(workload, sort->counts, sort->table, bytes);
    make_places(sort->table, items);
    workload_write(workload, sort->places, sort->table, bytes);
    workload_arguments(sort->place_words, "bbbul", sort->words, sort->places, sort->sorted, shift,
                       local_bytes);
    workload_run_items(workload, sort->place_words, items, GROUP);
    workload_read(workload, sort->sorted, words, bytes);
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "thesis_radix_sort",
                                .summary = "Sorts 32-bit words, 256 of them a work-item.",
                                .size_help = "words, rounded up to a multiple of 16384",
                                .size = 65536,
                                .size_small = BLOCK,
                                .size_min = 1,
                                .size_max = 65536,
                                .iterations = 1,
                                .seed = 1};
    bool right = true;

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    size_t count = workload_round_up(workload.size, BLOCK), bytes = count * sizeof(cl_uint);
    cl_uint *unsorted = workload_random_words(&workload, count);
    cl_uint *words = workload_own_memory(&workload, count, sizeof *words);
    cl_uint *expected = workload_own_memory(&workload, count, sizeof *expected);
    struct sort sort = {workload_own_kernel(&workload, "count_digits"),
                        workload_own_kernel(&workload, "place_words"),
                        workload_own_buffer(&workload, bytes, NULL),
                        workload_own_buffer(&workload, bytes, NULL),
                        workload_own_buffer(&workload, bytes, NULL),
                        workload_own_buffer(&workload, bytes, NULL),
                        workload_own_memory(&workload, count, sizeof(cl_uint)),
                        count};

    memcpy(expected, unsorted, bytes);
    qsort(expected, count, sizeof *expected, compare_words);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        memcpy(words, unsorted, bytes);
        for (cl_uint shift = 0; shift < 32; shift += DIGIT_BITS)
            run_pass(&workload, &sort, words, shift);
        right = right && workload_is_equal("word", words, expected, count);
    }
    int status = workload_verdict(&workload, right, words, bytes);
    workload_close(&workload);
    return status;
}
