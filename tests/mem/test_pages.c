/* SPDX-License-Identifier: MIT */
/* Are the tables printed as a reader of Markdown needs them? */
#include "cmocka_all.h"

#include <string.h>

#include "mem/protocol.h"

static void tables_print(void **state)
{
    struct text text = {0};

    (void)state;
    protocol_print(protocol_find("si")->roles[ROLE_L2], &text);
    assert_non_null(strstr(text_chars(&text), "| REPLACE"));
    assert_non_null(strstr(text_chars(&text), "write_back → **I**"));
    text_finish(&text);
    protocol_describe(protocol_find("moesi"), &text);
    assert_non_null(strstr(text_chars(&text), "\n## Its own messages\n"));
    assert_non_null(strstr(text_chars(&text), "| `GETS` | request |  |\n"));
    text_finish(&text);
}

static unsigned cells_of(const char *line, size_t length)
{
    unsigned cells = 0;

    for (size_t i = 0; i < length; i++)
        cells += line[i] == '|';
    return cells;
}

/* Lines that stand together and begin with a bar are a table: all are as wide as its first, and the
 * second sets the heading apart. The number of tables. */
static unsigned check_tables(const char *document)
{
    unsigned tables = 0, rows = 0, cells = 0;

    for (const char *line = document, *end; *line != 0; line = end + (*end != 0)) {
        end = strchrnul(line, '\n');
        if (*line != '|') {
            rows = 0;
            continue;
        }
        if (rows++ == 0) {
            tables++;
            cells = cells_of(line, (size_t)(end - line));
        }
        if (cells_of(line, (size_t)(end - line)) != cells ||
            (rows == 2) != (strncmp(line, "| ---", 5) == 0))
            fail_msg("row %u of a table: %.*s", rows, (int)(end - line), line);
    }
    return tables;
}

static void tables_are_rectangles(void **state)
{
    (void)state;
    for (unsigned i = 0; protocols[i] != NULL; i++) {
        struct text text = {0};

        protocol_describe(protocols[i], &text);
        assert_true(check_tables(text_chars(&text)) >= 6); /* three for each of two roles or more */
        text_finish(&text);
    }
}

/* Of a drawing each line that begins a state's or an arrow's entry ends it too, and what is opened is
 * closed. The number of arrows. */
static unsigned check_drawing(const char *drawing)
{
    unsigned arrows = 0;
    int depth = 0;

    for (const char *line = drawing, *end; *line != 0; line = end + (*end != 0)) {
        size_t length;

        end = strchrnul(line, '\n');
        length = (size_t)(end - line);
        for (const char *c = line; c < end; c++)
            depth += (*c == '{') - (*c == '}');
        arrows += memmem(line, length, " -> ", 4) != NULL;
        if (memmem(line, length, " [label", 7) != NULL && strncmp(end - 2, "];", 2) != 0)
            fail_msg("an entry without an end: %.*s", (int)length, line);
    }
    assert_int_equal(depth, 0);
    return arrows;
}

static void drawings_are_whole(void **state)
{
    (void)state;
    for (unsigned i = 0; protocols[i] != NULL; i++) {
        struct text text = {0};

        protocol_draw(protocols[i], &text);
        assert_true(check_drawing(text_chars(&text)) >= 4); /* in and out, of two roles or more */
        text_finish(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_print),
        cmocka_unit_test(tables_are_rectangles),
        cmocka_unit_test(drawings_are_whole),
    };

    return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
