/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a litmus test: they are read, or refused with a line and a reason, and what is read
 * can be printed. Files that are there are changed at random. Usage: fuzz_litmus COUNT FILE...
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/random.h"
#include "verify/litmus_file.h"

enum { BYTES_MAX = 1 << 15 };

struct sample {
    char bytes[BYTES_MAX];
    size_t count;
};

static uint32_t count_parsed;

static void use(const char *bytes, size_t count)
{
    struct litmus_file *file = allocate(1, sizeof *file);
    char *copy = allocate(count + 1, 1); /* so that a sanitizer sees its end */
    struct diagnosis diagnosis = {.line = -1};
    struct litmus_place places[CONDITION_PLACES];
    struct text text = {0};

    copy = reallocate(copy, count > 0 ? count : 1, 1);
    memcpy(copy, bytes, count);
    if (litmus_file_parse(file, "test", copy, count, &diagnosis)) {
        count_parsed++;
        litmus_print(&file->litmus, &text);
        litmus_condition_print(&file->condition, &file->litmus, &text);
        check(litmus_condition_places(&file->condition, &file->litmus, places) <= CONDITION_PLACES,
              "too many places");
        check(text.length > 0 && litmus_threads(&file->litmus) <= LITMUS_THREADS, "nothing");
    } else {
        check(diagnosis.message[0] != '\0' && diagnosis.line >= 1, "a refusal without a place");
    }
    text_finish(&text);
    free(copy);
    free(file);
}

static bool sample_read(struct sample *sample, const char *path)
{
    FILE *stream = fopen(path, "rb");

    if (stream == NULL)
        return false;
    sample->count = fread(sample->bytes, 1, BYTES_MAX / 2, stream);
    fclose(stream);
    return true;
}

static size_t draw(struct random *random, size_t bound)
{
    return bound == 0 ? 0 : (size_t)random_below(random, bound);
}

/* Bytes are changed, left out, or put in; a stretch of another place or file comes in. */
static void sample_change(struct sample *sample, const struct sample *other, struct random *random)
{
    static const char symbols[] = "(){}[]=!<>~*/\\|&,;:-+ \n0129PxyrA\377";
    size_t at = draw(random, sample->count), count = 1 + draw(random, 12);

    if (at + count > sample->count)
        count = sample->count - at;
    switch (draw(random, 4)) {
    case 0:
        if (sample->count > 0)
            sample->bytes[at] = symbols[draw(random, sizeof symbols)];
        break;
    case 1:
        memmove(sample->bytes + at, sample->bytes + at + count, sample->count - at - count);
        sample->count -= count;
        break;
    case 2: {
        size_t from = draw(random, other->count);

        count = 1 + draw(random, 60);
        if (from + count > other->count)
            count = other->count - from;
        if (sample->count + count > BYTES_MAX)
            break;
        memmove(sample->bytes + at + count, sample->bytes + at, sample->count - at);
        memcpy(sample->bytes + at, other->bytes + from, count);
        sample->count += count;
        break;
    }
    default:
        sample->count = draw(random, 8) == 0 ? at : sample->count;
        break;
    }
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0, files = 0;
    struct sample *samples = allocate((size_t)argc + 1, sizeof *samples);
    struct random random = {1};

    for (int i = 2; i < argc; i++)
        if (sample_read(&samples[files], argv[i]))
            use(samples[files].bytes, samples[files].count), files++;
    check(files > 0 && count_parsed == files, "%u of %u files are read", count_parsed, files);
    for (uint32_t i = 0; i < count; i++) {
        struct sample *changed = &samples[argc];

        *changed = samples[draw(&random, files)];
        for (size_t changes = 1 + draw(&random, 6); changes > 0; changes--)
            sample_change(changed, &samples[draw(&random, files)], &random);
        use(changed->bytes, changed->count);
    }
    printf("%u files and %u changed ones: %u are tests\n", files, count, count_parsed);
    free(samples);
    return count_parsed == files; /* the changes leave some right */
}
