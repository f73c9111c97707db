/* SPDX-License-Identifier: MIT */
/*
 * What the driver in each process of a program tells the command that started the program. It is a
 * file of lines, to which each process adds as it goes. So a process that ends without a chance to
 * say anything (_exit, exec, a crash) has said it before.
 *
 *     IMAGE WORD TEXT
 *
 * IMAGE is "PROCESS.N": N counts the programs that one process became by exec, from 0. Each line is
 * added by one write, so that lines of several processes do not mix. TEXT has no line end.
 *
 * Beside the file an image keeps its results (kept.h), as of its latest `kept`: journal_kept_path.
 */
#ifndef REPORT_JOURNAL_H
#define REPORT_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#define JOURNAL_WORDS(word)                                                                        \
    word(BEGIN, "begin")         /* the driver was loaded */                                       \
        word(KERNEL, "kernel")   /* NAME: its first kernel begins */                               \
        word(FAILED, "failed")   /* NAME: a kernel could not be run to its end */                  \
        word(FENCES, "fences")   /* SETTING: its fences may be too narrow without that */          \
        word(UNBUILT, "unbuilt") /* a program could not be built */                                \
        word(TRACED, "traced")   /* its instruction trace is not empty */                          \
        word(CLAIM, "claim")     /* PATH: the first image to say so may write that file */         \
        word(JSON, "json")       /* PATH: the claim of its statistics */                           \
        word(PART, "part")       /* PATH: where its statistics are until they are written */       \
        word(OPEN, "open")       /* something happens now that nothing kept has */                 \
        word(KEPT, "kept")       /* what is kept has all again */                                  \
        word(TOLD, "told")       /* its table was printed */                                       \
        word(WRITTEN, "written") /* its statistics are where they belong */                        \
        word(LOST, "lost")       /* PATH: a result that could not be written, which was said */

#define JOURNAL_ENUM(name, word) JOURNAL_##name,
enum journal_word { JOURNAL_WORDS(JOURNAL_ENUM) JOURNAL_WORD_COUNT };
#undef JOURNAL_ENUM

struct journal_image {
    char *name; /* "1234.0" */
    bool has[JOURNAL_WORD_COUNT];
    bool is_open;               /* OPEN and not KEPT since */
    char *kernel, *json, *part; /* latest TEXT of these words; failed kernels are in `failed` */
    char *failed, *fences;
};

struct journal {
    struct journal_image *images; /* in the order of their first lines */
    uint32_t image_count;
};

/* Adds a line. False: errno says why. `text` may be NULL. */
bool journal_add(const char *file, const char *image, enum journal_word word, const char *text);

/* Reads the lines that there are; a missing file is empty, and a line that is none is skipped. */
void journal_read(struct journal *journal, const char *file);
void journal_finish(struct journal *journal);

/* The name of this process's program, if its driver was loaded just now. The caller frees. */
char *journal_image_name(const char *file);

/* Claims a path for the image: true if no other image has claimed it before. */
bool journal_claim(const char *file, const char *image, const char *path);

/* Where the image keeps its results. The caller frees. */
char *journal_kept_path(const char *file, const char *image);

#endif
