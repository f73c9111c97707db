/* SPDX-License-Identifier: MIT */
#include "report/journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define JOURNAL_STRING(name, word) word,
static const char *const words[] = {JOURNAL_WORDS(JOURNAL_STRING)};
#undef JOURNAL_STRING

bool journal_add(const char *file, const char *image, enum journal_word word, const char *text)
{
    char *line = format_string("%s %s%s%s\n", image, words[word], text != NULL ? " " : "",
                               text != NULL ? text : "");
    size_t length = strlen(line);
    int descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    bool is_good = descriptor >= 0 && write(descriptor, line, length) == (ssize_t)length;

    if (descriptor >= 0)
        close(descriptor);
    free(line);
    return is_good;
}

/* ---- Lines ---- */

struct journal_line {
    char *image, *text; /* text: "" where there is none */
    enum journal_word word;
};

/* Cuts a line in place. */
static bool parse_line(char *line, struct journal_line *parsed)
{
    char *blank = strchr(line, ' '), *word;

    if (blank == NULL)
        return false;
    *blank = '\0';
    word = blank + 1;
    parsed->image = line;
    blank = strchr(word, ' ');
    parsed->text = blank != NULL ? blank + 1 : word + strlen(word);
    if (blank != NULL)
        *blank = '\0';
    for (unsigned i = 0; i < JOURNAL_WORD_COUNT; i++)
        if (strcmp(word, words[i]) == 0) {
            parsed->word = (enum journal_word)i;
            return true;
        }
    return false;
}

/* Calls `take` for each line, until it gives false. */
static void each_line(const char *file, bool (*take)(void *context, const struct journal_line *),
                      void *context)
{
    FILE *stream = fopen(file, "re");
    char *line = NULL;
    size_t bytes = 0;
    ssize_t length;
    bool goes_on = true;

    while (stream != NULL && goes_on && (length = getline(&line, &bytes, stream)) > 0) {
        struct journal_line parsed;

        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        if (parse_line(line, &parsed))
            goes_on = take(context, &parsed);
    }
    free(line);
    if (stream != NULL)
        fclose(stream);
}

/* ---- Reading ---- */

static struct journal_image *image_of(struct journal *journal, const char *name)
{
    struct journal_image *image;

    for (uint32_t i = 0; i < journal->image_count; i++)
        if (strcmp(journal->images[i].name, name) == 0)
            return &journal->images[i];
    journal->images =
        reallocate(journal->images, journal->image_count + 1, sizeof *journal->images);
    image = &journal->images[journal->image_count++];
    memset(image, 0, sizeof *image);
    image->name = copy_string(name);
    return image;
}

static void set_string(char **place, const char *text)
{
    free(*place);
    *place = copy_string(text);
}

static bool take_line(void *context, const struct journal_line *line)
{
    struct journal_image *image = image_of(context, line->image);

    image->has[line->word] = true;
    switch (line->word) {
    case JOURNAL_KERNEL:
        set_string(&image->kernel, line->text);
        break;
    case JOURNAL_FAILED:
        set_string(&image->failed, line->text);
        break;
    case JOURNAL_FENCES:
        set_string(&image->fences, line->text);
        break;
    case JOURNAL_JSON:
        set_string(&image->json, line->text);
        break;
    case JOURNAL_PART:
        set_string(&image->part, line->text);
        break;
    case JOURNAL_OPEN:
        image->is_open = true;
        break;
    case JOURNAL_KEPT:
        image->is_open = false;
        break;
    default:
        break;
    }
    return true;
}

void journal_read(struct journal *journal, const char *file)
{
    memset(journal, 0, sizeof *journal);
    each_line(file, take_line, journal);
}

void journal_finish(struct journal *journal)
{
    for (uint32_t i = 0; i < journal->image_count; i++) {
        free(journal->images[i].name);
        free(journal->images[i].kernel);
        free(journal->images[i].failed);
        free(journal->images[i].fences);
        free(journal->images[i].json);
        free(journal->images[i].part);
    }
    free(journal->images);
    memset(journal, 0, sizeof *journal);
}

/* ---- Names and claims ---- */

struct image_count {
    long process;
    unsigned count;
};

static bool count_image(void *context, const struct journal_line *line)
{
    struct image_count *images = context;

    images->count += line->word == JOURNAL_BEGIN && atol(line->image) == images->process;
    return true;
}

char *journal_image_name(const char *file)
{
    struct image_count images = {.process = (long)getpid()};

    each_line(file, count_image, &images);
    return format_string("%ld.%u", images.process, images.count);
}

struct claim {
    const char *image, *path;
    bool is_ours;
};

static bool find_claim(void *context, const struct journal_line *line)
{
    struct claim *claim = context;

    if (line->word != JOURNAL_CLAIM || strcmp(line->text, claim->path) != 0)
        return true;
    claim->is_ours = strcmp(line->image, claim->image) == 0;
    return false;
}

/* Lines are added one behind the other, so all processes see the same first one. */
bool journal_claim(const char *file, const char *image, const char *path)
{
    struct claim claim = {.image = image, .path = path};

    if (!journal_add(file, image, JOURNAL_CLAIM, path))
        return true; /* alone, as far as can be known */
    each_line(file, find_claim, &claim);
    return claim.is_ours;
}

char *journal_kept_path(const char *file, const char *image)
{
    return format_string("%s.%s.kept", file, image);
}
