/* SPDX-License-Identifier: MIT */
/* Formulas over points: comparison, truth, text, functions, and what is undefined or wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "report/formula.h"

/* Four points: two programs by two sizes. The last one's hits have no value. */
struct point {
    struct formula_names names;
    const char *program;
    double size, cycles, hits;
};

static bool value_of_point(const struct formula_names *names, const char *name, double *value)
{
    const struct point *point = container_of(names, struct point, names);

    *value = strcmp(name, "size") == 0     ? point->size
             : strcmp(name, "cycles") == 0 ? point->cycles
                                           : point->hits;
    return strcmp(name, "size") == 0 || strcmp(name, "cycles") == 0 ||
           (strcmp(name, "hits") == 0 && point->hits >= 0);
}

static const char *text_of_point(const struct formula_names *names, const char *name)
{
    const struct point *point = container_of(names, struct point, names);

    if (strcmp(name, "size") == 0)
        return point->size == 16 ? "16" : "32";
    return strcmp(name, "program") == 0 ? point->program : NULL;
}

static const struct formula_names *base_of_point(const struct formula_names *names,
                                                 struct diagnosis *diagnosis);
static const char *place_of_point(const struct formula_names *names)
{
    return text_of_point(names, "program");
}

#define POINT_NAMES                                                                                \
    {                                                                                              \
        .value = value_of_point, .text = text_of_point, .base = base_of_point,                     \
        .place = place_of_point                                                                    \
    }
static const struct point points[] = {
    {POINT_NAMES, "add", 16, 100, 1},
    {POINT_NAMES, "add", 32, 50, 4},
    {POINT_NAMES, "sort", 16, 800, 16},
    {POINT_NAMES, "sort", 32, 100, -1},
};

/* The same program with size 16. */
static const struct formula_names *base_of_point(const struct formula_names *names,
                                                 struct diagnosis *diagnosis)
{
    const struct point *point = container_of(names, struct point, names);

    return &points[strcmp(point->program, "sort") == 0 ? 2 : 0].names;
}

static const struct formula_names *member(const struct formula_names *names, unsigned index)
{
    return index < ARRAY_COUNT(points) ? &points[index].names : NULL;
}

static bool no_value(const struct formula_names *names, const char *name, double *value)
{
    return false;
}

static const struct formula_names all = {.value = no_value, .member = member};

static double evaluate(const char *formula, const struct formula_names *names)
{
    struct diagnosis diagnosis = {.line = 0};
    double value = NAN;

    if (formula_try(formula, names, &value, &diagnosis) != FORMULA_VALUE)
        fail_msg("%s: %s", formula, diagnosis.message);
    return value;
}

#define assert_number(formula, expected)                                                           \
    assert_true(fabs(evaluate(formula, &all) - (expected)) < 1e-9)

static void assert_outcome(const char *formula, enum formula_outcome expected, const char *words)
{
    struct diagnosis diagnosis = {.line = 0};
    double value;

    assert_int_equal(formula_try(formula, &all, &value, &diagnosis), expected);
    if (strstr(diagnosis.message, words) == NULL)
        fail_msg("%s: \"%s\" lacks \"%s\"", formula, diagnosis.message, words);
}

static void truth_is_one_or_zero(void **state)
{
    static const struct {
        const char *formula;
        double value;
    } cases[] = {
        {"1 < 2", 1},        {"2 <= 1", 0},       {"2 != 2", 0},       {"2 == 2 and 3 > 2", 1},
        {"0 or 0", 0},       {"0 or 5", 1},       {"not 0", 1},        {"not 1 or 1", 1},
        {"1 and 0 or 1", 1}, {"1 + 1 == 2", 1},   {"-3 < -2", 1},      {"abs(-3)", 3},
        {"2 - -2", 4},       {"defined(1/0)", 0}, {"'a' == 'a'", 1},   {"'a' != 'ab'", 1},
        {"defined(2)", 1},   {"not (1 > 2)", 1},  {"1 or 0 and 0", 1}, {"'a b' == 'a b'", 1},
    };

    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++)
        if (evaluate(cases[i].formula, &all) != cases[i].value)
            fail_msg("%s", cases[i].formula);
}

static void functions_go_through_points(void **state)
{
    assert_number("sum(cycles)", 1050);
    assert_number("mean(cycles where program == 'add')", 75);
    assert_number("geomean(cycles where size == 16)", sqrt(100.0 * 800));
    assert_number("min(cycles)", 50);
    assert_number("max(cycles where program != 'sort')", 100);
    assert_number("median(cycles)", 100);
    assert_number("count(cycles > 75)", 3);
    assert_number("count(1 where size == '32')", 2);
    assert_number("count(1 where size == 99)", 0);
    assert_number("fraction(cycles > 75)", 0.75);
    assert_number("all(cycles >= 50)", 1);
    assert_number("all(cycles > 50)", 0);
    assert_number("any(cycles > 50)", 1);
    assert_number("one(cycles where program == 'sort' and size == 16)", 800);
    assert_number("max(cycles) / min(cycles) + 1", 17);
}

static void a_base_is_the_point_compared_with(void **state)
{
    assert_number("one(base(cycles) / cycles where program == 'sort' and size == 32)", 8);
    assert_number("geomean(base(cycles) / cycles where size == 32)", 4);
}

static void nothing_is_left_out_silently(void **state)
{
    assert_number("sum(hits where size == 16)", 17);
    assert_outcome("sum(hits)", FORMULA_UNDEFINED, "hits has no value sort");
    assert_number("sum(hits where defined(hits))", 21);
    assert_outcome("one(cycles)", FORMULA_UNDEFINED, "there are several");
    assert_outcome("mean(cycles where size == 99)", FORMULA_UNDEFINED, "there is no such point");
    assert_outcome("geomean(cycles - 50)", FORMULA_UNDEFINED, "positive");
    assert_outcome("1 / 0", FORMULA_UNDEFINED, "division by zero");
    assert_outcome("base(1)", FORMULA_UNDEFINED, "nothing to compare with");
    assert_outcome("sum(cycles where hits > 1)", FORMULA_UNDEFINED, "hits has no value");
}

static void what_does_not_parse_is_told(void **state)
{
    static const char *const cases[] = {"",
                                        "1 +",
                                        "(1",
                                        "sum(cycles",
                                        "sum()",
                                        "nosuch(1)",
                                        "1 2",
                                        "'a",
                                        "'a' + 1",
                                        "sum('a')",
                                        "mean(cycles where)",
                                        "1 < 'a'",
                                        "and",
                                        "sum(cycles where program)",
                                        "mean(sum(cycles)"};

    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++)
        if (formula_try(cases[i], &all, &(double){0}, NULL) != FORMULA_WRONG)
            fail_msg("%s is taken", cases[i]);
    assert_outcome("1 2", FORMULA_WRONG, "does not end at \"2\"");
    assert_outcome("sum(program)", FORMULA_WRONG, "'add' is no number");
}

static bool take_name(void *context, const char *name, struct diagnosis *diagnosis)
{
    char *names = context;

    if (strcmp(name, "bad") == 0)
        return diagnose(diagnosis, "a bad name");
    strncat(names, name, 30);
    strncat(names, " ", 2);
    return true;
}

static void each_name_is_visited(void **state)
{
    struct diagnosis diagnosis = {.line = 0};
    char names[200] = "";

    assert_true(formula_visit("sum(base(a.b) where c == 'd') / e", take_name, names, &diagnosis));
    assert_string_equal(names, "a.b c e ");
    assert_false(formula_visit("1 + bad", take_name, names, &diagnosis));
    assert_string_equal(diagnosis.message, "a bad name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_is_one_or_zero),
        cmocka_unit_test(functions_go_through_points),
        cmocka_unit_test(a_base_is_the_point_compared_with),
        cmocka_unit_test(nothing_is_left_out_silently),
        cmocka_unit_test(what_does_not_parse_is_told),
        cmocka_unit_test(each_name_is_visited),
    };

    return cmocka_run_group_tests_name("report/formula", tests, NULL, NULL);
}
