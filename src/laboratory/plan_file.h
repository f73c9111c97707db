/* SPDX-License-Identifier: MIT */
/* Reading a plan's YAML: plan_inherit.c its text, plan_file.c the settings and axes,
 * plan_questions.c what is asked of the results, plan_check.c whether it fits together. */
#ifndef LABORATORY_PLAN_FILE_H
#define LABORATORY_PLAN_FILE_H

#include "base/text.h"
#include "laboratory/plan.h"
#include "laboratory/tree.h"

struct plan_reader {
    struct plan *plan;
    struct tree tree;
    struct plan_settings baseline; /* of derived quantities that name none */
    struct diagnosis *diagnosis;
};

/* A diagnosis with the node's place. Gives false. */
bool plan_wrong(struct plan_reader *reader, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text of a scalar as a copy. */
bool plan_text(struct plan_reader *reader, const yaml_node_t *node, char **text) MUST_USE;
/* KEY: VALUE pairs as settings, with no look at the keys. */
bool plan_pairs(struct plan_reader *reader, const yaml_node_t *node,
                struct plan_settings *settings) MUST_USE;

bool plan_read_derived(struct plan_reader *reader, const yaml_node_t *node) MUST_USE;
bool plan_read_claims(struct plan_reader *reader, const yaml_node_t *node) MUST_USE;
bool plan_read_figures(struct plan_reader *reader, const yaml_node_t *node) MUST_USE;

/* Whether a plan has words and sections of all these names. */
bool plan_check_words(struct tree *tree, struct diagnosis *diagnosis) MUST_USE;

/* Adds a plan's text, with what it inherits from other plans. */
bool plan_text_whole(const char *path, struct text *text, struct diagnosis *diagnosis) MUST_USE;

/* Whether axes, placeholders and names in formulas fit together. */
bool plan_check(struct plan_reader *reader) MUST_USE;

#endif
