/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

/* "  in FUNCTION (PLACE)" for each instruction that uses `value`, directly or within a constant. */
static void add_users(struct text *users, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        struct text line = {0}, place = {0};
        char *function;

        if (LLVMIsAInstruction(user) == NULL) {
            if (LLVMIsAConstantExpr(user) != NULL)
                add_users(users, user);
            continue;
        }
        function = backend_plain_name(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
        text_add(&line, "  in %s", function);
        if (backend_add_place(&place, user))
            text_add(&line, " (%s)", text_chars(&place));
        text_add(&line, "\n");
        if (strstr(text_chars(users), text_chars(&line)) == NULL)
            text_add(users, "%s", text_chars(&line));
        free(function);
        text_finish(&place);
        text_finish(&line);
    }
}

static bool is_missing(LLVMValueRef value)
{
    return LLVMIsDeclaration(value) && LLVMGetFirstUse(value) != NULL &&
           (LLVMIsAFunction(value) == NULL || LLVMGetIntrinsicID(value) == 0);
}

static void missing_add(struct missing_list *list, LLVMValueRef value)
{
    struct missing *entry;

    if (!is_missing(value))
        return;
    list->entries = reallocate(list->entries, list->count + 1, sizeof *list->entries);
    entry = &list->entries[list->count++];
    *entry = (struct missing){.symbol = copy_string(LLVMGetValueName(value)),
                              .plain_name = backend_plain_name(value)};
    add_users(&entry->users, value);
}

void missing_note(struct missing_list *list, LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        missing_add(list, f);
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
        missing_add(list, v);
}

static bool missing_tell(const struct missing_list *list, LLVMValueRef value)
{
    const char *symbol = LLVMGetValueName(value);

    if (!is_missing(value))
        return true;
    for (unsigned i = 0; i < list->count; i++) {
        if (strcmp(list->entries[i].symbol, symbol) != 0)
            continue;
        backend_fail("%s is used and defined nowhere", list->entries[i].plain_name);
        fputs(text_chars(&list->entries[i].users), stderr);
        return false;
    }
    return backend_fail("%s is used and defined nowhere", symbol);
}

bool missing_check(const struct missing_list *list, LLVMModuleRef module)
{
    bool is_whole = true;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        is_whole = missing_tell(list, f) && is_whole;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
        is_whole = missing_tell(list, v) && is_whole;
    return is_whole;
}

void missing_finish(struct missing_list *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        free(list->entries[i].symbol);
        free(list->entries[i].plain_name);
        text_finish(&list->entries[i].users);
    }
    free(list->entries);
}
