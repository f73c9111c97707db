/* SPDX-License-Identifier: MIT */
#include "report/level.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

/* How much of a part of a path is name: "cu3" 2, "l1" 2, "slice_4" 5, "17" 0. */
static size_t name_length(const char *part, size_t length)
{
    size_t letters = length;

    while (letters > 0 && isdigit((unsigned char)part[letters - 1]))
        letters--;
    if (letters == length || letters == 0)
        return letters;
    if (part[letters - 1] == '_')
        return letters - 1;
    return letters >= 2 ? letters : length;
}

char *level_name(const char *path)
{
    struct text name = {0};
    char *result;

    while (*path != '\0') {
        size_t length = strcspn(path, ".");
        size_t kept = name_length(path, length);

        if (kept > 0)
            text_add(&name, "%s%.*s", name.length > 0 ? "." : "", (int)kept, path);
        path += length;
        path += *path == '.';
    }
    result = copy_string(text_chars(&name));
    text_finish(&name);
    return result;
}

/* Lists that each place has of its own, such as those of message kinds, may be equal. */
static bool are_alike(const struct level *level, const struct statistics_group *group)
{
    if (level->statistics == group->statistics)
        return true;
    if (level->statistic_count != group->statistic_count)
        return false;
    for (uint32_t i = 0; i < group->statistic_count; i++)
        if (strcmp(level->statistics[i].name, group->statistics[i].name) != 0 ||
            level->statistics[i].kind != group->statistics[i].kind)
            return false;
    return true;
}

static uint32_t find_or_add(struct levels *levels, const struct statistics_group *group)
{
    char *name = level_name(group->path);
    struct level *level;

    for (uint32_t i = 0; i < levels->count; i++)
        if (strcmp(levels->level[i].name, name) == 0 && are_alike(&levels->level[i], group)) {
            free(name);
            return i;
        }
    levels->level = reallocate(levels->level, levels->count + 1, sizeof *levels->level);
    level = &levels->level[levels->count];
    level->name = name;
    level->kind = group->kind;
    level->statistics = group->statistics;
    level->statistic_count = group->statistic_count;
    level->bytes = group->bytes;
    level->offset = levels->word_count;
    level->places = 0;
    levels->word_count += group->bytes / 8;
    return levels->count++;
}

/* From words of a snapshot to the groups that they belong to. */
static void map_words(struct levels *levels)
{
    const struct registry *registry = levels->registry;
    uint32_t word = 0;

    for (uint32_t i = 0; i < registry->group_count; i++) {
        levels->group_word[i] = levels->snapshot_words;
        levels->snapshot_words += registry->groups[i].bytes / 8;
    }
    levels->word_group = allocate(levels->snapshot_words, sizeof *levels->word_group);
    for (uint32_t i = 0; i < registry->group_count; i++)
        for (uint32_t j = 0; j < registry->groups[i].bytes / 8; j++)
            levels->word_group[word++] = i;
}

void levels_init(struct levels *levels, const struct registry *registry)
{
    memset(levels, 0, sizeof *levels);
    levels->registry = registry;
    levels->of_group = allocate(registry->group_count, sizeof *levels->of_group);
    levels->group_word = allocate(registry->group_count, sizeof *levels->group_word);
    for (uint32_t i = 0; i < registry->group_count; i++) {
        uint32_t level = find_or_add(levels, &registry->groups[i]);

        check(levels->level[level].bytes == registry->groups[i].bytes,
              "the places of %s have structs of two sizes", levels->level[level].name);
        levels->level[level].places++;
        levels->of_group[i] = level;
    }
    map_words(levels);
}

void levels_finish(struct levels *levels)
{
    for (uint32_t i = 0; i < levels->count; i++)
        free(levels->level[i].name);
    free(levels->level);
    free(levels->of_group);
    free(levels->group_word);
    free(levels->word_group);
    memset(levels, 0, sizeof *levels);
}

void levels_add(const struct levels *levels, const struct changes *changes, uint64_t *sums)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        uint32_t word = changes->list[i].word, group;

        check(word < levels->snapshot_words, "a change of another registry");
        group = levels->word_group[word];
        sums[levels->level[levels->of_group[group]].offset + word - levels->group_word[group]] +=
            changes->list[i].value;
    }
}

/* What follows "NAME." at the start of `path`, or NULL. Mostly NULL, at the first characters. */
static const char *name_after(const char *path, const char *name)
{
    while (*name != '\0' && *path == *name) {
        path++;
        name++;
    }
    return *name == '\0' && *path == '.' ? path + 1 : NULL;
}

static bool statistic_value(const struct statistic *statistic, const uint64_t *words,
                            const char *name, uint64_t *value)
{
    const char *part;

    if (name[0] != statistic->name[0])
        return false;
    part = name_after(name, statistic->name);
    words = statistic_words(statistic, words);
    if (statistic->kind == STATISTIC_COUNTER && strcmp(name, statistic->name) == 0) {
        *value = words[0];
        return true;
    }
    if (statistic->kind != STATISTIC_HISTOGRAM || part == NULL)
        return false;
    if (strcmp(part, "count") == 0)
        *value = words[offsetof(struct histogram, count) / 8];
    else if (strcmp(part, "sum") == 0)
        *value = words[offsetof(struct histogram, sum) / 8];
    else
        return false;
    return true;
}

bool levels_value(const struct levels *levels, const uint64_t *sums, const char *name,
                  uint64_t *value)
{
    for (uint32_t i = 0; i < levels->count; i++) {
        const struct level *level = &levels->level[i];
        const char *rest = name_after(name, level->name);

        for (uint32_t j = 0; rest != NULL && j < level->statistic_count; j++)
            if (statistic_value(&level->statistics[j], sums + level->offset, rest, value))
                return true;
    }
    return false;
}
