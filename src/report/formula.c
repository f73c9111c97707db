/* SPDX-License-Identifier: MIT */
#include "report/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

enum { NAME_BYTES = 128 };

struct parser {
    const char *formula, *at;
    const struct formula_names *names;
    bool defined;
};

static double expression(struct parser *parser);

static char next(struct parser *parser)
{
    while (*parser->at == ' ')
        parser->at++;
    return *parser->at;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static double name(struct parser *parser)
{
    char word[NAME_BYTES];
    size_t length = 0;
    double value = 0;

    while (is_name_char(parser->at[length]))
        length++;
    check(length > 0 && length < NAME_BYTES, "formula \"%s\": a name is missing or too long",
          parser->formula);
    memcpy(word, parser->at, length);
    word[length] = '\0';
    parser->at += length;
    if (!parser->names->value(parser->names, word, &value))
        parser->defined = false;
    return value;
}

/* Whole numbers and simple fractions; strtod would read the host program's locale. */
static double number(struct parser *parser)
{
    double value = 0, place = 1;

    while (isdigit((unsigned char)*parser->at))
        value = value * 10 + (*parser->at++ - '0');
    if (*parser->at != '.')
        return value;
    parser->at++;
    while (isdigit((unsigned char)*parser->at)) {
        value = value * 10 + (*parser->at++ - '0');
        place *= 10;
    }
    return value / place;
}

static double factor(struct parser *parser)
{
    char first = next(parser);
    double value;

    if (first != '(')
        return isdigit((unsigned char)first) ? number(parser) : name(parser);
    parser->at++;
    value = expression(parser);
    check(next(parser) == ')', "formula \"%s\": a bracket is not closed", parser->formula);
    parser->at++;
    return value;
}

static double divide(struct parser *parser, double by, double what)
{
    if (by != 0)
        return what / by;
    parser->defined = false;
    return 0;
}

static double term(struct parser *parser)
{
    double value = factor(parser);

    for (char sign = next(parser); sign == '*' || sign == '/'; sign = next(parser)) {
        double right;

        parser->at++;
        right = factor(parser);
        value = sign == '*' ? value * right : divide(parser, right, value);
    }
    return value;
}

static double expression(struct parser *parser)
{
    double value = term(parser);

    for (char sign = next(parser); sign == '+' || sign == '-'; sign = next(parser)) {
        double right;

        parser->at++;
        right = term(parser);
        value = sign == '+' ? value + right : value - right;
    }
    return value;
}

bool formula_evaluate(const char *formula, const struct formula_names *names, double *value)
{
    struct parser parser = {.formula = formula, .at = formula, .names = names, .defined = true};

    *value = expression(&parser);
    check(next(&parser) == '\0', "formula \"%s\" does not end at \"%s\"", formula, parser.at);
    return parser.defined;
}
