/* SPDX-License-Identifier: MIT */
#include "nest.h"

#include <string.h>

static bool nest_fails(struct nest_fault *fault, const struct node *node, const char *why)
{
    *fault = (struct nest_fault){why, node->begin};
    return false;
}

static bool nest_is(struct node *node, const struct symbol *symbol)
{
    node = tree_bare(node);
    return node && node->kind == NODE_REFERENCE && node->symbol == symbol;
}

static bool nest_read_start(struct node *start, struct loop *loop)
{
    start = tree_bare(start);
    if (start && start->kind == NODE_BLOCK && start->children == 1 &&
        start->child[0]->kind == NODE_DECLARATION && start->child[0]->symbol->initial) {
        loop->counter = start->child[0]->symbol;
        loop->start = loop->counter->initial;
        loop->is_declared = true;
    } else if (start && start->kind == NODE_ASSIGNMENT && string_is(start->text, "=") &&
               tree_bare(start->child[0])->kind == NODE_REFERENCE) {
        loop->counter = tree_bare(start->child[0])->symbol;
        loop->start = start->child[1];
    }
    return loop->counter && loop->counter->type->kind == TYPE_INTEGER &&
           !loop->counter->type->is_volatile && !(loop->is_declared && loop->counter->is_static);
}

static bool nest_read_limit(struct node *condition, struct loop *loop)
{
    static const char *const relations[][2] = {
        {"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}, {"!=", "!="}};
    condition = tree_bare(condition);
    if (condition && condition->kind == NODE_UNARY && string_is(condition->text, "p--") &&
        nest_is(condition->child[0], loop->counter)) {
        loop->relation = "!=";
        loop->is_early = loop->is_down = true;
        return true;
    }
    if (!condition || condition->kind != NODE_BINARY)
        return false;
    struct node *left = tree_bare(condition->child[0]);
    bool is_early = left->kind == NODE_UNARY && string_is(left->text, "p--") &&
                    nest_is(left->child[0], loop->counter);
    for (size_t i = 0; i < sizeof(relations) / sizeof(*relations); i++) {
        if (!string_is(condition->text, relations[i][0]))
            continue;
        if (nest_is(left, loop->counter) || is_early) {
            loop->limit = condition->child[1];
            loop->relation = relations[i][0];
        } else if (nest_is(condition->child[1], loop->counter)) {
            loop->limit = condition->child[0];
            loop->relation = relations[i][1];
        }
    }
    loop->is_early = loop->is_down = is_early;
    return loop->relation &&
           (!is_early || string_is(loop->relation, ">") || string_is(loop->relation, "!="));
}

static bool nest_read_sum(struct node *sum, struct loop *loop)
{
    if (sum->kind != NODE_BINARY || (!string_is(sum->text, "+") && !string_is(sum->text, "-")))
        return false;
    loop->is_down = *sum->text == '-';
    if (nest_is(sum->child[0], loop->counter))
        loop->step = sum->child[1];
    else if (!loop->is_down && nest_is(sum->child[1], loop->counter))
        loop->step = sum->child[0];
    return loop->step != NULL;
}

static bool nest_read_step(struct node *step, struct loop *loop)
{
    step = tree_bare(step);
    if (loop->is_early)
        return !step;
    if (!step || !tree_is_assignment(step) || !nest_is(step->child[0], loop->counter))
        return false;
    if (step->kind == NODE_UNARY) {
        loop->is_down = strchr(step->text, '-') != NULL;
        return true;
    }
    if (string_is(step->text, "="))
        return nest_read_sum(tree_bare(step->child[1]), loop);
    loop->step = step->child[1];
    loop->is_down = string_is(step->text, "-=");
    return loop->is_down || string_is(step->text, "+=");
}

/* A step of -n upwards is one of n downwards. */
static void nest_turn(struct loop *loop)
{
    struct node *step = tree_bare(loop->step);
    if (step && step->kind == NODE_UNARY && string_is(step->text, "-")) {
        loop->step = step->child[0];
        loop->is_down = !loop->is_down;
    }
}

static bool nest_is_whole(const struct node *node)
{
    return !node || node->type->kind == TYPE_INTEGER || node->type->kind == TYPE_BOOL;
}

bool nest_read(struct node *statement, struct loop *loop, struct nest_fault *fault)
{
    long step;
    *loop = (struct loop){.statement = statement};
    if (!statement || statement->kind != NODE_FOR)
        return nest_fails(fault, statement, "a for loop must follow the pragma");
    loop->body = statement->child[3];
    if (!nest_read_start(statement->child[0], loop))
        return nest_fails(
            fault, statement->child[0] ? statement->child[0] : statement,
            "the loop must begin by setting one integer counter: `for (int i = 0; ...`");
    if (!nest_read_limit(statement->child[1], loop))
        return nest_fails(
            fault, statement->child[1] ? statement->child[1] : statement,
            "the loop's condition must compare its counter with a limit, by <, <=, >, >= or !=");
    if (!nest_read_step(statement->child[2], loop))
        return nest_fails(
            fault, statement->child[2] ? statement->child[2] : statement,
            "the loop must step its counter by a fixed amount: i++, i--, i += 2, i -= step");
    nest_turn(loop);
    if (!nest_is_whole(loop->start) || !nest_is_whole(loop->limit) || !nest_is_whole(loop->step))
        return nest_fails(fault, statement->child[1],
                          "start, limit and step of the loop must be integers");
    bool is_unequal = string_is(loop->relation, "!=");
    if (!is_unequal && loop->is_down != (*loop->relation == '>'))
        return nest_fails(fault, statement->child[1],
                          "the loop's counter is stepped away from the limit");
    if (is_unequal && (!nest_step(loop, &step) || (step != 1 && step != -1)))
        return nest_fails(fault, statement->child[1],
                          "a condition with != needs a step of 1 or -1: use < or >");
    if (nest_step(loop, &step) && (loop->is_down ? step >= 0 : step <= 0))
        return nest_fails(fault, statement->child[2],
                          "the loop's step must not be 0, nor away from the limit");
    struct node *change = tree_assignment(loop->body, loop->counter);
    return !change || nest_fails(fault, change, "the loop's counter is changed in its body");
}

struct node *nest_inner(const struct loop *loop)
{
    struct node *only = loop->body;
    while (only && only->kind == NODE_BLOCK && !only->text) {
        struct node *one = NULL;
        for (unsigned i = 0; i < only->children; i++) {
            if (only->child[i]->kind == NODE_EMPTY)
                continue;
            if (one)
                return NULL;
            one = only->child[i];
        }
        only = one;
    }
    return only && only->kind == NODE_FOR ? only : NULL;
}

bool nest_step(const struct loop *loop, long *step)
{
    struct node *node = tree_bare(loop->step);
    if (node && node->kind != NODE_INTEGER)
        return false;
    *step = node ? (long)node->value : 1;
    if (loop->is_down)
        *step = -*step;
    return true;
}
