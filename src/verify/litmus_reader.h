/* SPDX-License-Identifier: MIT */
/* The reader of litmus tests: what its files share. */
#ifndef VERIFY_LITMUS_READER_H
#define VERIFY_LITMUS_READER_H

#include "verify/litmus_file.h"

enum {
    TOKEN_CHARS = 64,
    READER_VARIABLES = 16,
    READER_DEPTH = 16, /* of statements, expressions and conditions in each other */
    READER_VALUE_MAX = 254,
    READER_NUMBER_MAX = 9999
};

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SYMBOL };

struct token {
    uint8_t kind;
    int line, number;
    char text[TOKEN_CHARS];
};

struct variable {
    char name[LITMUS_NAME];
    bool is_local, is_atomic, is_declared, is_accessed, is_written, has_word;
    uint8_t initial, word;
};

struct reader {
    const char *path, *at, *end;
    int line;
    struct token token; /* the next one */
    struct litmus_file *file;
    struct diagnosis *diagnosis;
    bool has_failed; /* from then on all tokens are TOKEN_END */
    bool ends_lines; /* the end of a line is a token, ";" */
    struct variable variables[READER_VARIABLES];
    uint32_t variable_count;
    /* Of the thread that is read. */
    uint8_t thread, count, depth;
    uint8_t registers[LITMUS_THREADS]; /* how many each has */
    uint8_t hidden;                    /* registers that have no name */
};

/* ---- Tokens ---- */

/* The first mistake, at the next token's line. Returns false. */
bool reader_refuse(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void reader_advance(struct reader *reader);
bool reader_sees(const struct reader *reader, const char *text);
/* Takes the token if it is this one. */
bool reader_takes(struct reader *reader, const char *text);
/* It must be this one. False: it is refused. */
bool reader_expect(struct reader *reader, const char *text);
bool reader_name(struct reader *reader, char *name, size_t size, const char *what);
bool reader_number(struct reader *reader, int min, int max, int *number);
/* One deeper; false: it is too deep. reader_rise goes back. */
bool reader_sink(struct reader *reader);
void reader_rise(struct reader *reader);

/* ---- Variables and registers ---- */

/* NULL: there is none. */
struct variable *reader_variable(struct reader *reader, const char *name);
struct variable *reader_add_variable(struct reader *reader, const char *name);
/* A register's number and 1; 0: there is none, or no room. */
uint8_t reader_register(struct reader *reader, uint8_t thread, const char *name);
uint8_t reader_add_register(struct reader *reader, const char *name);

/* ---- Parts of a file ---- */

/* One more operation of the thread; NULL: it has too many. */
struct litmus_operation *reader_emit(struct reader *reader, uint8_t kind);
void reader_statement(struct reader *reader);
/* An access by a function of OpenCL C: its result, in register `into`. */
void reader_call(struct reader *reader, uint8_t into);
/* A register (number and 1, or 0) and a constant. */
struct reader_sum {
    uint8_t from;
    int number;
};
struct reader_sum reader_expression(struct reader *reader);
/* A test in brackets, or without where lines count, a block, and after "else" another. */
void reader_if(struct reader *reader, void (*read_block)(struct reader *reader));
void reader_condition(struct reader *reader);
/* A test in the plain form, up to its condition. */
void reader_plain(struct reader *reader);
/* Gives variables their words. */
void reader_place_variables(struct reader *reader);

#endif
