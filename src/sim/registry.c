/* SPDX-License-Identifier: MIT */
#include "sim/registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

void registry_add(struct registry *registry, const char *path, const char *kind,
                  const struct statistic *statistics, uint32_t statistic_count, void *values,
                  uint32_t bytes)
{
    struct statistics_group *group;

    check(bytes % 8 == 0, "statistics of %s are not whole words", path);
    registry->groups = reallocate(registry->groups, registry->group_count + 1, sizeof *group);
    group = &registry->groups[registry->group_count++];
    group->path = copy_string(path);
    group->kind = kind;
    group->statistics = statistics;
    group->statistic_count = statistic_count;
    group->values = values;
    group->bytes = bytes;
}

void registry_finish(struct registry *registry)
{
    for (uint32_t i = 0; i < registry->group_count; i++)
        free(registry->groups[i].path);
    free(registry->groups);
    memset(registry, 0, sizeof *registry);
}

static uint32_t word_count(const struct registry *registry)
{
    uint32_t words = 0;

    for (uint32_t i = 0; i < registry->group_count; i++)
        words += registry->groups[i].bytes / 8;
    return words;
}

void snapshot_take(struct snapshot *snapshot, const struct registry *registry)
{
    uint64_t *word;

    snapshot->word_count = word_count(registry);
    snapshot->words = allocate(snapshot->word_count, sizeof *snapshot->words);
    word = snapshot->words;
    for (uint32_t i = 0; i < registry->group_count; i++) {
        memcpy(word, registry->groups[i].values, registry->groups[i].bytes);
        word += registry->groups[i].bytes / 8;
    }
}

void snapshot_finish(struct snapshot *snapshot)
{
    free(snapshot->words);
    memset(snapshot, 0, sizeof *snapshot);
}

void snapshot_subtract(struct snapshot *difference, const struct snapshot *later,
                       const struct snapshot *earlier)
{
    check(later->word_count == earlier->word_count, "snapshots of two different machines");
    difference->word_count = later->word_count;
    difference->words = allocate(later->word_count, sizeof *difference->words);
    for (uint32_t i = 0; i < later->word_count; i++)
        difference->words[i] = later->words[i] - earlier->words[i];
}

const void *snapshot_group(const struct snapshot *snapshot, const struct registry *registry,
                           uint32_t index)
{
    uint32_t offset = 0;

    for (uint32_t i = 0; i < index; i++)
        offset += registry->groups[i].bytes / 8;
    return snapshot->words + offset;
}

uint64_t snapshot_counter(const struct snapshot *snapshot, const struct registry *registry,
                          const char *path)
{
    const char *dot = strrchr(path, '.');

    check(dot != NULL, "%s is not a statistic's path", path);
    for (uint32_t i = 0; i < registry->group_count; i++) {
        const struct statistics_group *group = &registry->groups[i];

        if (strlen(group->path) != (size_t)(dot - path) ||
            strncmp(group->path, path, (size_t)(dot - path)) != 0)
            continue;
        for (uint32_t j = 0; j < group->statistic_count; j++) {
            uint64_t value;

            if (strcmp(group->statistics[j].name, dot + 1) != 0)
                continue;
            memcpy(&value,
                   (const char *)snapshot_group(snapshot, registry, i) +
                       group->statistics[j].offset,
                   sizeof value);
            return value;
        }
    }
    check(0, "there is no statistic %s", path);
    return 0;
}

static uint64_t mix(uint64_t digest, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        digest = (digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return digest;
}

uint64_t snapshot_digest(const struct snapshot *snapshot, const struct registry *registry)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);

    for (uint32_t i = 0; i < registry->group_count; i++)
        digest = mix(digest, registry->groups[i].path, strlen(registry->groups[i].path));
    return mix(digest, snapshot->words, snapshot->word_count * sizeof *snapshot->words);
}
