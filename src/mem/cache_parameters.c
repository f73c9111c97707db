/* SPDX-License-Identifier: MIT */
/* A cache's parameters: their tables, what they may not be, and the shape that follows. */
#include <string.h>

#include "base/bits.h"
#include "mem/cache_time.h"

#define ROW(...) PARAMETER_ROW(struct cache_parameters, __VA_ARGS__)
const struct parameter cache_parameters[] = {CACHE_PARAMETERS(ROW)};
const uint32_t cache_parameter_count = sizeof cache_parameters / sizeof cache_parameters[0];
const struct parameter request_queue_parameters[] = {REQUEST_QUEUE_PARAMETERS(ROW)};
const uint32_t request_queue_parameter_count = ARRAY_COUNT(request_queue_parameters);
const struct parameter set_index_parameters[] = {SET_INDEX_PARAMETERS(ROW)};
const uint32_t set_index_parameter_count = ARRAY_COUNT(set_index_parameters);
const struct parameter eviction_parameters[] = {EVICTION_PARAMETERS(ROW)};
const uint32_t eviction_parameter_count = ARRAY_COUNT(eviction_parameters);
const struct parameter admission_parameters[] = {ADMISSION_PARAMETERS(ROW)};
const uint32_t admission_parameter_count = ARRAY_COUNT(admission_parameters);
const struct parameter vector_cache_parameters[] = {VECTOR_CACHE_PARAMETERS(ROW)};
const uint32_t vector_cache_parameter_count = ARRAY_COUNT(vector_cache_parameters);

static uint64_t lines_of(const struct cache_parameters *parameters)
{
    return parameters->size_kb * 1024 / LINE_BYTES;
}

PARAMETER_CHOICES(set_index_word, [SET_MODULO] = {"modulo", "the low bits of its number"},
                  [SET_XOR] = {"xor", "all parts of its number, combined by exclusive or"})

/* Caches without the parameters have zeros for them. */
static const struct admission *admission_of(const struct cache_parameters *parameters)
{
    return parameters->admission[0] == '\0' ? admissions[0] : admission_find(parameters->admission);
}

bool cache_parameters_check(const char *path, const struct cache_parameters *parameters,
                            uint64_t channels, struct diagnosis *diagnosis)
{
    uint64_t lines = lines_of(parameters);

    if (lines % (parameters->ways * channels) != 0 || lines < parameters->ways * channels)
        return diagnose(diagnosis, "%s: %llu KB do not divide into %llu ways%s", path,
                        (unsigned long long)parameters->size_kb,
                        (unsigned long long)parameters->ways,
                        channels > 1 ? " for each of its channels" : "");
    if (lines >= NO_INDEX)
        return diagnose(diagnosis, "%s: %llu KB are too large for one cache: 4095 KB at the most",
                        path, (unsigned long long)parameters->size_kb);
    return true;
}

struct controller_shape cache_shape(const struct cache_parameters *parameters)
{
    struct controller_shape shape = {
        .set_index = parameters->set_index[0] == '\0'
                         ? SET_MODULO
                         : parameter_word_index(set_index_word, parameters->set_index),
        .sets = (uint32_t)(lines_of(parameters) / parameters->ways),
        .ways = (uint32_t)parameters->ways,
        .replacement = replacement_find(parameters->replacement),
        .admission = admission_of(parameters),
        .admission_seed = parameters->admission_seed,
        .splits = parameters->admission[0] != '\0' && parameters->merging == 0,
        .mshr_entries = (uint32_t)parameters->mshr_entries,
        .eviction_entries = (uint32_t)parameters->eviction_entries,
        .waiting_entries = (uint32_t)parameters->waiting_entries,
        .walk_lines = (uint32_t)parameters->walk_lines_per_cycle,
    };

    return shape;
}

/* Kinds whose answer, the kind after it, carries data, and answers that do themselves. */
uint64_t cache_kinds_answered_with_data(const struct protocol *protocol)
{
    uint64_t kinds = 0;

    for (unsigned kind = 1; kind < MESSAGE_KINDS; kind++) {
        const struct message_kind *known = protocol_find_kind(protocol, kind), *answer;

        if (known == NULL)
            continue;
        answer =
            known->channel == CHANNEL_RESPONSE ? known : protocol_find_kind(protocol, kind + 1);
        if (answer != NULL && answer->channel == CHANNEL_RESPONSE && answer->has_data)
            kinds |= UINT64_C(1) << kind;
    }
    return kinds;
}
