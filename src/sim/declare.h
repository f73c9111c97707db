/* SPDX-License-Identifier: MIT */
/*
 * Declare once: parameters and statistics are X-macro lists next to the component that has them. A
 * list makes the struct's fields and a table. From the table follows everything else: the
 * configuration parser, range checks, JSON keys, database columns and `wavetank explain`.
 *
 *     #define CACHE_PARAMETERS(X)                                                           \
 *         X(NUMBER, mshr_entries, "entries", 64, 1, 4096, "misses that may be outstanding") \
 *         X(WORD, replacement, "", "lru", replacement_word, 1, "which way is given up")
 *     struct cache_parameters { CACHE_PARAMETERS(PARAMETER_FIELD) };
 *     static const struct parameter cache_parameters[] = { CACHE_PARAMETERS(CACHE_ROW) };
 *         with #define CACHE_ROW(...) PARAMETER_ROW(struct cache_parameters, __VA_ARGS__)
 *
 *     #define CACHE_STATISTICS(X)                             \
 *         X(COUNTER, hits, "accesses", "accesses that found their bytes") \
 *         X(HISTOGRAM, occupancy, "entries", "MSHR entries in use, by cycles")
 *     struct cache_statistics { CACHE_STATISTICS(STATISTIC_FIELD) };
 *
 * In the hot path a statistic is `cache->statistics.hits++` and nothing else. A statistics struct
 * holds uint64_t and struct histogram only, so that a snapshot is a copy and a delta a subtraction.
 */
#ifndef SIM_DECLARE_H
#define SIM_DECLARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diagnosis;
struct text;

enum { PARAMETER_TEXT_BYTES = 64 };

/* The most that a NUMBER's range may allow: every reader of JSON keeps it exact (2^53 - 1). */
#define PARAMETER_MAX ((UINT64_C(1) << 53) - 1)

/* A WORD is a TEXT whose values are the names in a list, or several with commas between them. */
enum parameter_kind { PARAMETER_NUMBER, PARAMETER_TEXT, PARAMETER_WORD };

/* The index-th name of a list and its line of help; NULL after the last. */
typedef const char *parameter_words(unsigned index, const char **help);

/* Such a function, STEM_word, and STEM_find, the entry of a name or NULL, of an array that ends in
 * NULL of pointers to structs with `name` and `help`. */
#define PARAMETER_LIST(type, stem, list)                                                           \
    const char *stem##_word(unsigned index, const char **help)                                     \
    {                                                                                              \
        if (list[index] == NULL)                                                                   \
            return NULL;                                                                           \
        *help = list[index]->help;                                                                 \
        return list[index]->name;                                                                  \
    }                                                                                              \
    const type *stem##_find(const char *name)                                                      \
    {                                                                                              \
        unsigned index = parameter_word_index(stem##_word, name);                                  \
                                                                                                   \
        return index == PARAMETER_NO_WORD ? NULL : list[index];                                    \
    }

/* Such a function of names that stand for nothing but themselves: {"name", "help"}, ... */
struct parameter_choice {
    const char *name, *help;
};
#define PARAMETER_CHOICES(function, ...)                                                           \
    const char *function(unsigned index, const char **help)                                        \
    {                                                                                              \
        static const struct parameter_choice choices[] = {__VA_ARGS__};                            \
                                                                                                   \
        if (index >= sizeof choices / sizeof choices[0])                                           \
            return NULL;                                                                           \
        *help = choices[index].help;                                                               \
        return choices[index].name;                                                                \
    }

/* A name's index in its list. */
#define PARAMETER_NO_WORD (~0u)
unsigned parameter_word_index(parameter_words *words, const char *name);

struct parameter {
    const char *name; /* the last part of the path; units last: "hit_cycles" */
    const char *unit; /* "" for pure numbers and words */
    const char *help; /* one line */
    enum parameter_kind kind;
    uint32_t offset;          /* of the field in its struct */
    uint64_t initial;         /* NUMBER */
    uint64_t min, max;        /* NUMBER: allowed range, both included; WORD: at most `max` words */
    const char *initial_text; /* TEXT, WORD */
    parameter_words *words;   /* WORD */
};

/* True for every value of a parameter that is no WORD. Else a refusal that names the list, and the
 * name that was probably meant. `path` is the parameter's full one. */
bool parameter_word_check(const char *path, const struct parameter *parameter, const char *value,
                          struct diagnosis *diagnosis);
/* A WORD's list: "lru, fifo, random". */
void parameter_words_print(const struct parameter *parameter, struct text *text);
/* Gives each field of a struct its initial value. */
void parameters_set_initial(const struct parameter *rows, uint32_t count, void *values);

#define PARAMETER_FIELD(kind, name, ...) PARAMETER_FIELD_##kind(name)
#define PARAMETER_FIELD_NUMBER(name) uint64_t name;
#define PARAMETER_FIELD_TEXT(name) char name[PARAMETER_TEXT_BYTES];
#define PARAMETER_FIELD_WORD(name) PARAMETER_FIELD_TEXT(name)

#define PARAMETER_ROW(type, kind, name, unit, initial, min, max, help)                             \
    PARAMETER_ROW_##kind(type, name, unit, initial, min, max, help)
#define PARAMETER_ROW_NUMBER(type, name, unit, initial, min, max, help)                            \
    {#name, unit, help, PARAMETER_NUMBER, offsetof(type, name), initial, min, max, NULL, NULL},
#define PARAMETER_ROW_TEXT(type, name, unit, initial, min, max, help)                              \
    {#name, unit, help, PARAMETER_TEXT, offsetof(type, name), 0, 0, 0, initial, NULL},
#define PARAMETER_ROW_WORD(type, name, unit, initial, words, max, help)                            \
    {#name, unit, help, PARAMETER_WORD, offsetof(type, name), 0, 0, max, initial, words},

/* Sums, counts and a distribution in powers of two: bucket 0 counts zeros, bucket b values in
 * [2^(b-1), 2^b), the last bucket everything above. */
enum { HISTOGRAM_BUCKETS = 24 };
struct histogram {
    uint64_t count; /* weights added (events, or cycles) */
    uint64_t sum;   /* of value * weight */
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline void histogram_add(struct histogram *histogram, uint64_t value, uint64_t weight)
{
    unsigned bucket = value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);

    if (bucket >= HISTOGRAM_BUCKETS)
        bucket = HISTOGRAM_BUCKETS - 1;
    histogram->count += weight;
    histogram->sum += value * weight;
    histogram->buckets[bucket] += weight;
}

enum statistic_kind { STATISTIC_COUNTER, STATISTIC_HISTOGRAM };

struct statistic {
    const char *name;
    const char *unit; /* "cycles", "bytes", "lines", "instructions", ... */
    const char *help; /* one line of meaning */
    enum statistic_kind kind;
    uint32_t offset; /* of the field in its struct */
};

#define STATISTIC_FIELD(kind, name, ...) STATISTIC_FIELD_##kind(name)
#define STATISTIC_FIELD_COUNTER(name) uint64_t name;
#define STATISTIC_FIELD_HISTOGRAM(name) struct histogram name;

#define STATISTIC_ROW(type, kind, name, unit, help)                                                \
    {#name, unit, help, STATISTIC_##kind, offsetof(type, name)},

/* An occupancy that changes now and then, integrated over the cycles in between. */
struct occupancy {
    uint64_t value;
    uint64_t since; /* cycle of the latest change that has been counted */
};

/* Counts the cycles up to `cycle` at the present value. */
static inline void occupancy_settle(struct occupancy *occupancy, struct histogram *histogram,
                                    uint64_t cycle)
{
    if (cycle > occupancy->since)
        histogram_add(histogram, occupancy->value, cycle - occupancy->since);
    occupancy->since = cycle;
}

static inline void occupancy_change(struct occupancy *occupancy, struct histogram *histogram,
                                    uint64_t cycle, uint64_t value)
{
    occupancy_settle(occupancy, histogram, cycle);
    occupancy->value = value;
}

#endif
