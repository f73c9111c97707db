/* SPDX-License-Identifier: MIT */
#include "sim/registry.h"

#include <stdbool.h>
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

void snapshot_refresh(struct snapshot *snapshot, const struct registry *registry)
{
    uint64_t *word;

    if (snapshot->words == NULL) {
        snapshot->word_count = word_count(registry);
        snapshot->words = allocate(snapshot->word_count, sizeof *snapshot->words);
    }
    word = snapshot->words;
    for (uint32_t i = 0; i < registry->group_count; i++) {
        memcpy(word, registry->groups[i].values, registry->groups[i].bytes);
        word += registry->groups[i].bytes / 8;
    }
    check(word == snapshot->words + snapshot->word_count, "a snapshot of another registry");
}

void snapshot_take(struct snapshot *snapshot, const struct registry *registry)
{
    *snapshot = (struct snapshot){0};
    snapshot_refresh(snapshot, registry);
}

void snapshot_finish(struct snapshot *snapshot)
{
    free(snapshot->words);
    memset(snapshot, 0, sizeof *snapshot);
}

static void add_change(struct changes *changes, uint32_t word, uint64_t value)
{
    if (changes->count == changes->capacity) {
        changes->capacity = 2 * changes->capacity + 64;
        changes->list = reallocate(changes->list, changes->capacity, sizeof *changes->list);
    }
    changes->list[changes->count++] = (struct change){.word = word, .value = value};
}

/* Whether some of `count` words differ; few do, so they are looked at in blocks. */
static bool words_differ(const uint64_t *a, const uint64_t *b, uint32_t count)
{
    uint64_t difference = 0;

    for (uint32_t i = 0; i < count; i++)
        difference |= a[i] ^ b[i];
    return difference != 0;
}

static void take_group(struct changes *changes, uint64_t *then, const uint64_t *now, uint32_t first,
                       uint32_t count)
{
    enum { BLOCK = 8 };

    for (uint32_t at = 0; at < count; at += BLOCK) {
        uint32_t end = at + BLOCK < count ? at + BLOCK : count;

        if (!(end - at == BLOCK ? words_differ(now + at, then + at, BLOCK)
                                : words_differ(now + at, then + at, end - at)))
            continue;
        for (uint32_t word = at; word < end; word++)
            if (now[word] != then[word]) {
                add_change(changes, first + word, now[word] - then[word]);
                then[word] = now[word];
            }
    }
}

void changes_take(struct changes *changes, struct snapshot *before, const struct registry *registry)
{
    uint32_t first = 0;

    check(before->word_count == word_count(registry), "a snapshot of another registry");
    changes->count = 0;
    for (uint32_t i = 0; i < registry->group_count; i++) {
        const struct statistics_group *group = &registry->groups[i];

        take_group(changes, before->words + first, group->values, first, group->bytes / 8);
        first += group->bytes / 8;
    }
}

void changes_finish(struct changes *changes)
{
    free(changes->list);
    memset(changes, 0, sizeof *changes);
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

static uint64_t digest_mix(uint64_t digest, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        digest = (digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return digest;
}

uint64_t snapshot_digest(const struct snapshot *snapshot, const struct registry *registry)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);

    for (uint32_t i = 0; i < registry->group_count; i++)
        digest = digest_mix(digest, registry->groups[i].path, strlen(registry->groups[i].path));
    return digest_mix(digest, snapshot->words, snapshot->word_count * sizeof *snapshot->words);
}
