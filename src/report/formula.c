/* SPDX-License-Identifier: MIT */
#include "report/formula.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "report/formula_fold.h"

enum { NAME_BYTES = 128, DEPTH_MAX = 64 };

struct operand {
    bool is_number; /* false: text alone */
    bool is_literal;
    double number;
    const char *text; /* NULL: a number alone */
    size_t length;
};

struct parser {
    const char *formula, *at;
    const struct formula_names *names; /* NULL: only the form is looked at */
    bool defined, is_wrong;
    unsigned depth;
    struct diagnosis reason; /* why it is wrong, or undefined */
    bool (*visit)(void *context, const char *name, struct diagnosis *diagnosis); /* NULL: none */
    void *visit_context;
};

static struct operand formula_any(struct parser *parser);

static struct operand number_operand(double number)
{
    return (struct operand){.is_number = true, .number = number};
}

/* The first reason is told; the rest of the formula is not read. */
__attribute__((format(printf, 2, 3))) static struct operand parse_wrong(struct parser *parser,
                                                                        const char *format, ...)
{
    char words[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (!parser->is_wrong)
        diagnose(&parser->reason, "formula \"%s\": %s", parser->formula, words);
    parser->is_wrong = true;
    parser->at += strlen(parser->at);
    return number_operand(0);
}

__attribute__((format(printf, 2, 3))) static void value_undefine(struct parser *parser,
                                                                 const char *format, ...)
{
    const struct formula_names *names = parser->names;
    const char *place = names != NULL && names->place != NULL ? names->place(names) : NULL;
    char words[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (parser->defined && !parser->is_wrong)
        diagnose(&parser->reason, "%s%s%s", words, place != NULL ? " " : "",
                 place != NULL ? place : "");
    parser->defined = false;
}

static char next_char(struct parser *parser)
{
    if (parser->is_wrong)
        parser->at = ""; /* wherever an operator has left the place */
    parser->at += strspn(parser->at, " \t\n\v\f\r");
    return *parser->at;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Takes a word of the language, which no name may continue. */
static bool take_word(struct parser *parser, const char *word)
{
    size_t length = strlen(word);

    next_char(parser);
    if (strncmp(parser->at, word, length) != 0 || is_name_char(parser->at[length]))
        return false;
    parser->at += length;
    return true;
}

static bool take_sign(struct parser *parser, const char *sign)
{
    next_char(parser);
    if (strncmp(parser->at, sign, strlen(sign)) != 0)
        return false;
    parser->at += strlen(sign);
    return true;
}

static double number_of(struct parser *parser, struct operand operand)
{
    if (!operand.is_number)
        parse_wrong(parser, "'%.*s' is no number", (int)operand.length, operand.text);
    return operand.number;
}

/* A parser of its own for the part from `at` on, evaluated for other names. */
static struct parser parser_branch(const struct parser *parser, const char *at,
                                   const struct formula_names *names)
{
    struct parser other = *parser;

    other.at = at;
    other.names = names;
    other.defined = true;
    return other;
}

static void take_reason(struct parser *parser, const struct parser *from)
{
    if (from->is_wrong && !parser->is_wrong) {
        parser->is_wrong = true;
        parser->reason = from->reason;
        parser->at += strlen(parser->at);
    } else if (!from->defined && parser->defined) {
        parser->defined = false;
        parser->reason = from->reason;
    }
}

/* The value at one point. False: the point is not among those that are meant, or all is over. */
static bool value_at(struct parser *parser, const char *start, const struct formula_names *names,
                     double *value)
{
    struct parser other = parser_branch(parser, start, names), condition;
    bool is_meant = true;

    *value = number_of(&other, formula_any(&other));
    if (take_word(&other, "where")) {
        condition = parser_branch(&other, other.at, names);
        is_meant = number_of(&condition, formula_any(&condition)) != 0;
        take_reason(parser, &condition);
    }
    if (other.is_wrong || (is_meant && parser->defined))
        take_reason(parser, &other);
    return is_meant && parser->defined && !parser->is_wrong;
}

/* Reads "FORMULA [where FORMULA])" for its form, and leaves the parser behind it. */
static void pass_arguments(struct parser *parser)
{
    const struct formula_names *names = parser->names;
    bool defined = parser->defined;

    parser->names = NULL;
    formula_any(parser);
    if (take_word(parser, "where"))
        formula_any(parser);
    if (!take_sign(parser, ")"))
        parse_wrong(parser, "a bracket is not closed");
    parser->names = names;
    parser->defined = defined;
}

static struct operand over_points(struct parser *parser, const struct fold *fold, const char *name)
{
    const char *start = parser->at, *reason;
    const struct formula_names *names = parser->names, *member;
    double *values = NULL, result = 0;
    unsigned count = 0;

    pass_arguments(parser);
    if (names == NULL || parser->is_wrong)
        return number_operand(0);
    if (names->member == NULL)
        return parse_wrong(parser, "%s() is over points, and here there are none", name);
    for (unsigned i = 0; (member = names->member(names, i)) != NULL && !parser->is_wrong; i++) {
        double value;

        if (!value_at(parser, start, member, &value))
            continue;
        if ((count & (count + 1)) == 0)
            values = reallocate(values, 2 * (count + 1), sizeof *values);
        values[count++] = fold_takes_truths(fold) ? value != 0 : value;
    }
    if (!parser->is_wrong && !fold_values(fold, values, count, &result, &reason))
        value_undefine(parser, "%s(): %s", name, reason);
    free(values);
    return number_operand(result);
}

static struct operand of_base(struct parser *parser)
{
    const char *start = parser->at;
    const struct formula_names *names = parser->names, *base;
    struct diagnosis diagnosis = {.line = 0};
    double value;

    pass_arguments(parser);
    if (names == NULL || parser->is_wrong)
        return number_operand(0);
    base = names->base != NULL ? names->base(names, &diagnosis) : NULL;
    if (base == NULL) {
        value_undefine(parser, "base(): %s",
                       names->base != NULL ? diagnosis.message : "here is nothing to compare with");
        return number_operand(0);
    }
    value_at(parser, start, base, &value);
    return number_operand(value);
}

static struct operand of_one(struct parser *parser, const char *name)
{
    struct parser other = parser_branch(parser, parser->at, parser->names);
    double value = number_of(&other, formula_any(&other));

    if (!take_sign(&other, ")"))
        parse_wrong(&other, "a bracket is not closed");
    if (strcmp(name, "defined") == 0) {
        value = other.defined;
        other.defined = true;
    } else {
        value = value < 0 ? -value : value;
    }
    parser->at = other.at;
    take_reason(parser, &other);
    return number_operand(value);
}

static struct operand function_parse(struct parser *parser, const char *name)
{
    const struct fold *fold = fold_find(name);

    if (fold != NULL)
        return over_points(parser, fold, name);
    if (strcmp(name, "base") == 0)
        return of_base(parser);
    if (strcmp(name, "abs") == 0 || strcmp(name, "defined") == 0)
        return of_one(parser, name);
    return parse_wrong(parser, "there is no function %s()", name);
}

static struct operand name_parse(struct parser *parser, const char *name)
{
    const struct formula_names *names = parser->names;
    struct operand operand = {0};

    if (parser->visit != NULL && !parser->is_wrong &&
        !parser->visit(parser->visit_context, name, &parser->reason)) {
        parser->is_wrong = true;
        parser->at += strlen(parser->at);
    }
    if (names == NULL)
        return number_operand(0);
    operand.is_number = names->value(names, name, &operand.number);
    operand.text = names->text != NULL ? names->text(names, name) : NULL;
    operand.length = operand.text != NULL ? strlen(operand.text) : 0;
    if (!operand.is_number && operand.text == NULL) {
        value_undefine(parser, "%s has no value", name);
        operand.is_number = true;
    }
    return operand;
}

static bool is_reserved(const char *word)
{
    return strcmp(word, "and") == 0 || strcmp(word, "or") == 0 || strcmp(word, "not") == 0 ||
           strcmp(word, "where") == 0;
}

static struct operand name_or_call(struct parser *parser)
{
    char word[NAME_BYTES];
    size_t length = 0;

    while (is_name_char(parser->at[length]))
        length++;
    if (length == 0)
        return parse_wrong(parser, "a name is missing at \"%s\"", parser->at);
    if (length >= NAME_BYTES)
        return parse_wrong(parser, "a name is too long");
    memcpy(word, parser->at, length);
    word[length] = '\0';
    if (is_reserved(word))
        return parse_wrong(parser, "a value is missing before \"%s\"", word);
    parser->at += length;
    if (next_char(parser) != '(')
        return name_parse(parser, word);
    parser->at++;
    return function_parse(parser, word);
}

/* Whole numbers and simple fractions; strtod would read the host program's locale. */
static struct operand number_parse(struct parser *parser)
{
    double value = 0, place = 1;

    while (isdigit((unsigned char)*parser->at))
        value = value * 10 + (*parser->at++ - '0');
    if (*parser->at != '.')
        return number_operand(value);
    parser->at++;
    while (isdigit((unsigned char)*parser->at)) {
        value = value * 10 + (*parser->at++ - '0');
        place *= 10;
    }
    return number_operand(value / place);
}

static struct operand quoted_parse(struct parser *parser)
{
    const char *end = strchr(parser->at + 1, '\'');
    struct operand operand = {.is_literal = true, .text = parser->at + 1};

    if (end == NULL)
        return parse_wrong(parser, "a quotation mark is missing");
    operand.length = (size_t)(end - operand.text);
    parser->at = end + 1;
    return operand;
}

static struct operand factor_parse(struct parser *parser)
{
    char first = next_char(parser);
    struct operand operand;

    if (first == '-') {
        parser->at++;
        return number_operand(-number_of(parser, factor_parse(parser)));
    }
    if (first == '\'')
        return quoted_parse(parser);
    if (first != '(')
        return isdigit((unsigned char)first) ? number_parse(parser) : name_or_call(parser);
    parser->at++;
    operand = formula_any(parser);
    if (!take_sign(parser, ")"))
        return parse_wrong(parser, "a bracket is not closed");
    return operand;
}

static double operands_divide(struct parser *parser, double by, double what)
{
    if (by != 0)
        return what / by;
    value_undefine(parser, "a division by zero");
    return 0;
}

static struct operand term_parse(struct parser *parser)
{
    struct operand value = factor_parse(parser);

    for (char sign = next_char(parser); sign == '*' || sign == '/'; sign = next_char(parser)) {
        double left = number_of(parser, value), right;

        parser->at++;
        right = number_of(parser, factor_parse(parser));
        value = number_operand(sign == '*' ? left * right : operands_divide(parser, right, left));
    }
    return value;
}

static struct operand sum_parse(struct parser *parser)
{
    struct operand value = term_parse(parser);

    for (char sign = next_char(parser); sign == '+' || sign == '-'; sign = next_char(parser)) {
        double left = number_of(parser, value), right;

        parser->at++;
        right = number_of(parser, term_parse(parser));
        value = number_operand(sign == '+' ? left + right : left - right);
    }
    return value;
}

static bool same_text(struct parser *parser, struct operand left, struct operand right)
{
    if (left.text != NULL && right.text != NULL)
        return left.length == right.length && memcmp(left.text, right.text, left.length) == 0;
    if (parser->names != NULL && parser->defined)
        parse_wrong(parser, "a number is compared with a text");
    return false;
}

static struct operand operands_compare(struct parser *parser, unsigned sign, struct operand left,
                                       struct operand right)
{
    bool by_text = left.is_literal || right.is_literal || !left.is_number || !right.is_number;
    double a, b;

    if (by_text && sign < 2)
        return number_operand(same_text(parser, left, right) == (sign == 0));
    a = number_of(parser, left);
    b = number_of(parser, right);
    return number_operand(sign == 0   ? a == b
                          : sign == 1 ? a != b
                          : sign == 2 ? a <= b
                          : sign == 3 ? a >= b
                          : sign == 4 ? a < b
                                      : a > b);
}

static struct operand comparison_parse(struct parser *parser)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    struct operand left = sum_parse(parser);

    for (unsigned i = 0; i < ARRAY_COUNT(signs); i++)
        if (take_sign(parser, signs[i]))
            return operands_compare(parser, i, left, sum_parse(parser));
    return left;
}

static struct operand negation_parse(struct parser *parser)
{
    if (take_word(parser, "not"))
        return number_operand(number_of(parser, negation_parse(parser)) == 0);
    return comparison_parse(parser);
}

static struct operand conjunction_parse(struct parser *parser)
{
    struct operand left = negation_parse(parser);

    while (take_word(parser, "and")) {
        bool is_true = number_of(parser, left) != 0;

        left = number_operand(number_of(parser, negation_parse(parser)) != 0 && is_true);
    }
    return left;
}

static struct operand formula_any(struct parser *parser)
{
    struct operand left;

    if (++parser->depth > DEPTH_MAX)
        return parse_wrong(parser, "too many brackets");
    left = conjunction_parse(parser);
    while (take_word(parser, "or")) {
        bool is_true = number_of(parser, left) != 0;

        left = number_operand(number_of(parser, conjunction_parse(parser)) != 0 || is_true);
    }
    parser->depth--;
    return left;
}

static void formula_whole(struct parser *parser, double *value)
{
    parser->at = parser->formula;
    parser->defined = true;
    *value = number_of(parser, formula_any(parser));
    if (!parser->is_wrong && next_char(parser) != '\0')
        parse_wrong(parser, "it does not end at \"%s\"", parser->at);
}

enum formula_outcome formula_try(const char *formula, const struct formula_names *names,
                                 double *value, struct diagnosis *diagnosis)
{
    struct parser parser = {.formula = formula, .names = names};

    formula_whole(&parser, value);
    if ((parser.is_wrong || !parser.defined) && diagnosis != NULL)
        *diagnosis = parser.reason;
    return parser.is_wrong ? FORMULA_WRONG : parser.defined ? FORMULA_VALUE : FORMULA_UNDEFINED;
}

bool formula_evaluate(const char *formula, const struct formula_names *names, double *value)
{
    struct diagnosis diagnosis = {.line = 0};
    enum formula_outcome outcome = formula_try(formula, names, value, &diagnosis);

    check(outcome != FORMULA_WRONG, "%s", diagnosis.message);
    return outcome == FORMULA_VALUE;
}

bool formula_visit(const char *formula,
                   bool (*visit)(void *context, const char *name, struct diagnosis *diagnosis),
                   void *context, struct diagnosis *diagnosis)
{
    struct parser parser = {.formula = formula, .visit = visit, .visit_context = context};
    double value;

    formula_whole(&parser, &value);
    if (parser.is_wrong && diagnosis != NULL)
        *diagnosis = parser.reason;
    return !parser.is_wrong;
}
