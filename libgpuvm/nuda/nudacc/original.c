/* SPDX-License-Identifier: MIT */
#include "original.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

struct token {
    size_t begin, length;
};

enum { ORIGINAL_MOST = 4000000 };

/* The file that was read last. */
static struct {
    const char *name;
    struct text text;
} original_file;

static const char *original_row(const char *file, int number)
{
    if (!string_is(original_file.name, file)) {
        original_file.name = file;
        original_file.text = (struct text){0};
        FILE *stream = fopen(file, "rb");
        char part[4096];
        for (size_t count; stream && (count = fread(part, 1, sizeof(part), stream)) > 0;)
            text_add(&original_file.text, part, count);
        if (stream)
            fclose(stream);
    }
    const char *row = original_file.text.characters;
    for (; row && number > 1; number--) {
        row = strchr(row, '\n');
        row += row != NULL;
    }
    return row && *row ? memory_copy(row, strcspn(row, "\r\n")) : NULL;
}

static size_t original_quoted(const char *text)
{
    size_t length = 1;
    while (text[length] && text[length] != text[0] && text[length] != '\n')
        length += text[length] == '\\' && text[length + 1] ? 2 : 1;
    return length + (text[length] == text[0]);
}

static void original_tokens(const char *text, struct list *tokens)
{
    for (size_t at = 0; text[at];) {
        const char *here = text + at;
        size_t length = 1;
        if (isspace((unsigned char)*here)) {
            at++;
            continue;
        }
        if (string_begins(here, "//"))
            break;
        if (string_begins(here, "/*")) {
            const char *end = strstr(here + 2, "*/");
            at = end ? (size_t)(end + 2 - text) : strlen(text);
            continue;
        }
        if (*here == '"' || *here == '\'')
            length = original_quoted(here);
        else
            while (isalnum((unsigned char)*here) &&
                   (isalnum((unsigned char)here[length]) || here[length] == '_'))
                length++;
        *(struct token *)list_add(tokens, sizeof(struct token)) = (struct token){at, length};
        at += length;
    }
}

static bool original_same(const char *one, struct token a, const char *other, struct token b)
{
    return a.length == b.length && strncmp(one + a.begin, other + b.begin, a.length) == 0;
}

/*
 * For each new token the old one that it is, or comes from. It is found by the longest common
 * subsequence of both lines. A token of a macro's body is where the macro is used.
 */
static size_t *original_align(const char *row, const struct list *old, const char *made,
                              const struct list *new)
{
    size_t rows = old->count + 1, *common = memory_take(rows * (new->count + 1) * sizeof(*common));
    size_t *found = memory_take(new->count * sizeof(*found)), o = 0, last = 0;
    const struct token *olds = old->items, *news = new->items;
    for (size_t n = new->count; n-- > 0;)
        for (size_t i = old->count; i-- > 0;) {
            size_t *here = &common[n * rows + i], one = here[1], other = here[rows];
            *here = one > other ? one : other;
            if (original_same(row, olds[i], made, news[n]))
                *here = here[rows + 1] + 1;
        }
    if (*common == 0)
        return NULL;
    for (size_t n = 0; n < new->count; n++) {
        size_t left = n * rows;
        while (o < old->count && !original_same(row, olds[o], made, news[n]) &&
               common[left + o + 1] == common[left + o] &&
               common[left + o] > common[left + rows + o])
            o++;
        bool is_same = o < old->count && original_same(row, olds[o], made, news[n]);
        found[n] = o < old->count ? o : last;
        if (is_same)
            last = o++;
    }
    return found;
}

struct column original_column(const char *file, int number, const char *made, size_t here)
{
    struct list old = {0}, new = {0};
    const char *row = original_row(file, number);
    size_t index = 0;
    if (!row)
        return (struct column){0};
    original_tokens(row, &old);
    original_tokens(made, &new);
    const struct token *olds = old.items, *news = new.items;
    while (index + 1 < new.count && news[index + 1].begin <= here)
        index++;
    if (old.count == 0 || new.count == 0 || old.count *new.count > ORIGINAL_MOST)
        return (struct column){0};
    const size_t *aligned = original_align(row, &old, made, &new);
    if (!aligned)
        return (struct column){0};
    size_t found = aligned[index];
    /* The parenthesis after a macro's name may be taken for one of its body. */
    bool is_name = found > 0 && row[olds[found].begin] == '(' &&
                   isalpha((unsigned char)row[olds[found - 1].begin]);
    if (is_name && !strstr(made, memory_copy(row + olds[found - 1].begin, olds[found - 1].length)))
        found--;
    return (struct column){row, (int)olds[found].begin + 1};
}
