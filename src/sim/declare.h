/* SPDX-License-Identifier: MIT */
/*
 * Declare once: parameters and statistics are X-macro lists next to the component that has them. A
 * list makes the struct's fields and a table. From the table follows everything else: the
 * configuration parser, range checks, JSON keys, database columns and `wavetank explain`.
 *
 *     #define CACHE_PARAMETERS(X)                                                           \
 *         X(NUMBER, mshr_entries, "entries", 64, 1, 4096, "misses that may be outstanding") \
 *         X(TEXT, replacement, "", "lru", 0, 0, "which way is given up")
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

#include <stddef.h>
#include <stdint.h>

enum { PARAMETER_TEXT_BYTES = 64 };

/* The most that a NUMBER's range may allow: every reader of JSON keeps it exact (2^53 - 1). */
#define PARAMETER_MAX ((UINT64_C(1) << 53) - 1)

enum parameter_kind { PARAMETER_NUMBER, PARAMETER_TEXT };

struct parameter {
    const char *name; /* the last part of the path; units last: "hit_cycles" */
    const char *unit; /* "" for pure numbers and words */
    const char *help; /* one line */
    enum parameter_kind kind;
    uint32_t offset;          /* of the field in its struct */
    uint64_t initial;         /* NUMBER */
    uint64_t min, max;        /* NUMBER: allowed range, both included */
    const char *initial_text; /* TEXT */
};

#define PARAMETER_FIELD(kind, name, ...) PARAMETER_FIELD_##kind(name)
#define PARAMETER_FIELD_NUMBER(name) uint64_t name;
#define PARAMETER_FIELD_TEXT(name) char name[PARAMETER_TEXT_BYTES];

#define PARAMETER_ROW(type, kind, name, unit, initial, min, max, help)                             \
    PARAMETER_ROW_##kind(type, name, unit, initial, min, max, help)
#define PARAMETER_ROW_NUMBER(type, name, unit, initial, min, max, help)                            \
    {#name, unit, help, PARAMETER_NUMBER, offsetof(type, name), initial, min, max, NULL},
#define PARAMETER_ROW_TEXT(type, name, unit, initial, min, max, help)                              \
    {#name, unit, help, PARAMETER_TEXT, offsetof(type, name), 0, 0, 0, initial},

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
