/* SPDX-License-Identifier: MIT */
/* From a line of metadata and the bytes of a call to the text that it prints, with no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "opencl/print_format.h"
#include "program/printf_formats.h"

static struct program_format must_read(const char *line)
{
    struct program_format format;

    assert_true(printf_format_read(line, strlen(line), &format));
    return format;
}

/* The strings of %s: at 16 and at 32, and no memory elsewhere. */
static bool read_string(void *context, uint64_t address, struct text *text)
{
    (void)context;
    if (address != 16 && address != 32)
        return false;
    text_add(text, "%s", address == 16 ? "abcdefg" : "%d in a format");
    return true;
}

static const struct print_memory memory = {read_string, NULL};

static void check_text(const char *line, const void *arguments, size_t count, const char *wanted)
{
    struct program_format format = must_read(line);
    struct text text = {0};

    print_format(&text, &format, arguments, count, &memory);
    assert_string_equal(text_chars(&text), wanted);
    text_finish(&text);
    printf_format_finish(&format);
}

#define CHECK(line, wanted, type, ...)                                                             \
    do {                                                                                           \
        const type values[] = {__VA_ARGS__};                                                       \
        check_text(line, values, sizeof values, wanted);                                           \
    } while (0)

static void lines_of_metadata_are_read(void **state)
{
    struct program_format format = must_read("17:2:4:16:fa:b\n%d\\:\\n");

    (void)state;
    assert_int_equal(format.number, 17);
    assert_int_equal(format.argument_count, 2);
    assert_int_equal(format.argument_bytes[0], 4);
    assert_int_equal(format.argument_bytes[1], 16);
    assert_string_equal(format.text, "a:b\n%d\\:\\n");
    printf_format_finish(&format);
    format = must_read("1:0:f");
    assert_string_equal(format.text, "");
    printf_format_finish(&format);
    format = must_read("2:1:8:a");
    assert_null(format.text);
    printf_format_finish(&format);
}

static void other_lines_are_refused(void **state)
{
    static const char *const lines[] = {
        "",           "1",          "1:",        ":0:f",   "1:f:",    "a:0:f",
        "1:0:",       "1:0:x",      "1:1:f%d",   "1:1::f", "-1:0:f",  "99999999999:0:f",
        "1:1:9999:f", "1:99999:4:", "1:1:8:a%d", "1:0:a",  "1:2:4:fa"};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(lines); i++) {
        struct program_format format;

        assert_false(printf_format_read(lines[i], strlen(lines[i]), &format));
    }
}

static void integers(void **state)
{
    (void)state;
    CHECK("1:1:4:f%d|", "-7|", int32_t, -7);
    CHECK("1:6:4:4:4:4:4:4:f%5.3d|%-5d|%+i|% d|%#x|%05d", "  001|2    |+3| 4|0x5|00006", int32_t, 1,
          2, 3, 4, 5, 6);
    CHECK("1:3:4:4:4:f%u %o %X", "4294967295 37777777777 ABC", uint32_t, UINT32_MAX, UINT32_MAX,
          0xabc);
    CHECK("1:2:4:4:f%hhd %hd", "-1 -2", int32_t, 0x1ff, 0x1fffe);
    CHECK("1:2:4:4:f%hhu %hx", "255 fffe", int32_t, 0x1ff, 0x1fffe);
    CHECK("1:2:8:8:f%ld %lx", "-1099511627776 ffffff0000000000", int64_t, -(1ll << 40),
          -(1ll << 40));
    CHECK("1:1:4:f%ld", "-5", int32_t, -5); /* no more than is there */
    CHECK("1:1:8:f%d", "5", int64_t, (1ll << 40) + 5);
    CHECK("1:2:4:4:f%c%3c", "A  z", int32_t, 'A', 'z' + 256);
}

static void reals(void **state)
{
    (void)state;
    CHECK("1:2:4:4:f%f %.2e", "1.500000 -2.50e+00", float, 1.5f, -2.5f);
    CHECK("1:4:8:8:8:8:f%g %G %a %F", "0.1 1E+300 0x1p-1 3.000000", double, 0.1, 1e300, 0.5, 3);
    CHECK("1:2:8:8:f%f %F", "inf -INF", double, 1.0 / 0.0, -1.0 / 0.0);
    CHECK("1:1:8:f%+08.2f|", "+0003.14|", double, 3.14159);
}

static void vectors(void **state)
{
    (void)state;
    CHECK("1:1:16:f%v4hlf", "1.000000,2.000000,3.000000,4.000000", float, 1, 2, 3, 4);
    CHECK("1:1:16:f%v3hld", "1,-2,3", int32_t, 1, -2, 3, 99);
    CHECK("1:1:8:f%v4hd", "1,-2,3,-4", int16_t, 1, -2, 3, -4);
    CHECK("1:1:4:f%v4hhu", "255,2,3,4", int8_t, -1, 2, 3, 4);
    CHECK("1:2:2:4:f%v2hhd %d", "-1,2 3", int8_t, -1, 2, 9, 9, 3, 0, 0, 0); /* takes four bytes */
    CHECK("1:1:16:f%v2lg", "0.5,2", double, 0.5, 2);
}

static void strings(void **state)
{
    (void)state;
    CHECK("1:2:8:8:f%s-%s", "abcdefg-(null)", uint64_t, 16, 0);
    CHECK("1:2:8:8:f[%5.2s][%-9s]", "[   ab][abcdefg  ]", uint64_t, 16, 16);
    CHECK("1:1:8:f%s", "???", uint64_t, 17);
    CHECK("1:1:4:f%5s", "  ???", uint32_t, 16); /* of another address space */
    CHECK("1:2:8:8:a", "5 in a format", uint64_t, 32, 5);
    CHECK("1:2:8:8:a", "", uint64_t, 33, 5);
}

static void odd_formats_print_themselves(void **state)
{
    (void)state;
    CHECK("1:1:4:f100%% of %d", "100% of 7", int32_t, 7);
    CHECK("1:1:4:f%k %d", "%k 7", int32_t, 7);
    check_text("1:0:f%d and %s", "", 0, "%d and %s");
    check_text("1:0:f%", "", 0, "%");
    check_text("1:0:f%5", "", 0, "%5");
    CHECK("1:2:4:4:f%v5d %d", "%v5d 1", int32_t, 1, 7);
    CHECK("1:2:4:4:f%d %d", "1 %d", int32_t, 1); /* the record is cut */
    check_text("1:1:4:f%n%d", "\1\0\0", 4, "%n1");
}

static void widths_have_a_limit(void **state)
{
    struct program_format format = must_read("1:2:4:8:f%999999999d%.99999999999f");
    struct text text = {0};
    const double values[2] = {0, 1e308};

    (void)state;
    print_format(&text, &format, (const unsigned char *)values + 4, 12, &memory);
    assert_int_equal(text.length, 4095 + 309 + 1 + 4095);
    text_finish(&text);
    printf_format_finish(&format);
}

/* Whatever bytes and formats: no more than a text comes out (run with sanitizers). */
static void any_bytes_are_harmless(void **state)
{
    static const char letters[] = "%%%%%%dsfvhlcpxg0123468.-+ #k:n\\a";
    struct random random = {20};

    (void)state;
    print_message("seed %llu\n", (unsigned long long)random.state);
    for (unsigned round = 0; round < 20000; round++) {
        char line[80] = "1:3:4:8:16:f";
        unsigned char bytes[40];
        struct program_format format;
        struct text text = {0};
        size_t length = strlen(line), count = random_next(&random) % sizeof bytes;

        for (unsigned more = random_next(&random) % 40; more > 0; more--)
            line[length++] = letters[random_next(&random) % (sizeof letters - 1)];
        for (size_t i = 0; i < count; i++)
            bytes[i] = (unsigned char)random_next(&random);
        if (!printf_format_read(line, length, &format))
            continue;
        print_format(&text, &format, bytes, count, &memory);
        text_finish(&text);
        printf_format_finish(&format);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_metadata_are_read),
        cmocka_unit_test(other_lines_are_refused),
        cmocka_unit_test(integers),
        cmocka_unit_test(reals),
        cmocka_unit_test(vectors),
        cmocka_unit_test(strings),
        cmocka_unit_test(odd_formats_print_themselves),
        cmocka_unit_test(widths_have_a_limit),
        cmocka_unit_test(any_bytes_are_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
