/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

enum { KERNEL_CONVENTION = 91 }; /* llvm::CallingConv::AMDGPU_KERNEL */

enum walk_state { NOT_SEEN, ON_PATH, DONE };

/* A defined function on the walk from the kernels along their calls. */
struct visit {
    LLVMValueRef function;
    LLVMBasicBlockRef block;  /* where the walk stands in it */
    LLVMValueRef instruction; /* the next to look at */
    LLVMValueRef call;        /* that leads to the next function of the path */
    enum walk_state state;
};

struct walk {
    struct visit *visits; /* sorted by function */
    unsigned count;
    struct visit **path;
    unsigned depth;
    bool is_free; /* of circles */
};

static int compare_functions(const void *a, const void *b)
{
    const struct visit *one = a, *other = b;

    return (one->function > other->function) - (one->function < other->function);
}

static struct visit *find_visit(const struct walk *walk, LLVMValueRef function)
{
    struct visit key = {.function = function};

    return bsearch(&key, walk->visits, walk->count, sizeof *walk->visits, compare_functions);
}

static void visit_enter(struct walk *walk, struct visit *visit)
{
    visit->state = ON_PATH;
    visit->block = LLVMGetFirstBasicBlock(visit->function);
    visit->instruction = LLVMGetFirstInstruction(visit->block);
    walk->path[walk->depth++] = visit;
}

/* The next call in the function that `visit` stands in, or NULL. */
static LLVMValueRef next_call(struct visit *visit)
{
    while (visit->block != NULL) {
        while (visit->instruction != NULL) {
            LLVMValueRef instruction = visit->instruction;

            visit->instruction = LLVMGetNextInstruction(instruction);
            if (LLVMIsACallInst(instruction) != NULL)
                return instruction;
        }
        visit->block = LLVMGetNextBasicBlock(visit->block);
        if (visit->block != NULL)
            visit->instruction = LLVMGetFirstInstruction(visit->block);
    }
    return NULL;
}

/* The path from `first` on is a circle. A kernel and its body count as one. */
static void circle_report(struct walk *walk, const struct visit *first)
{
    unsigned from = 0;
    struct text message = {0};
    char *name = backend_plain_name(first->function);

    while (walk->path[from] != first)
        from++;
    if (backend_add_place(&message, walk->path[walk->depth - 1]->call))
        text_add(&message, ": ");
    text_add(&message, "error: recursion: function %s calls itself", name);
    for (unsigned i = from + 1; i < walk->depth; i++) {
        char *between = backend_plain_name(walk->path[i]->function);

        if (strcmp(between, name) != 0)
            text_add(&message, "%s %s", i == from + 1 ? " by way of" : ",", between);
        free(between);
    }
    fprintf(stderr, "%s\n", text_chars(&message));
    free(name);
    text_finish(&message);
    walk->is_free = false;
}

static void walk_from(struct walk *walk, struct visit *start)
{
    visit_enter(walk, start);
    while (walk->depth > 0) {
        struct visit *visit = walk->path[walk->depth - 1];
        struct visit *callee;

        visit->call = next_call(visit);
        if (visit->call == NULL) {
            visit->state = DONE;
            walk->depth--;
            continue;
        }
        callee = find_visit(walk, LLVMGetCalledValue(visit->call));
        if (callee == NULL || callee->state == DONE)
            continue;
        if (callee->state == ON_PATH)
            circle_report(walk, callee);
        else
            visit_enter(walk, callee);
    }
}

static void walk_collect(struct walk *walk, LLVMModuleRef module)
{
    unsigned count = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        count += !LLVMIsDeclaration(f);
    walk->visits = allocate(count + 1, sizeof *walk->visits);
    walk->path = allocate(count + 1, sizeof *walk->path);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            walk->visits[walk->count++].function = f;
    qsort(walk->visits, walk->count, sizeof *walk->visits, compare_functions);
}

bool backend_check_recursion(LLVMModuleRef module)
{
    struct walk walk = {.is_free = true};

    walk_collect(&walk, module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        struct visit *visit = find_visit(&walk, f);

        if (visit != NULL && visit->state == NOT_SEEN &&
            LLVMGetFunctionCallConv(f) == KERNEL_CONVENTION)
            walk_from(&walk, visit);
    }
    free(walk.visits);
    free(walk.path);
    return walk.is_free;
}
