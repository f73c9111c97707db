/* SPDX-License-Identifier: MIT */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

static char *place_of(LLVMValueRef function)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMMetadataRef file = subprogram != NULL ? LLVMDIScopeGetFile(subprogram) : NULL;
    const char *name;
    unsigned length;

    if (file == NULL)
        return NULL;
    name = LLVMDIFileGetFilename(file, &length);
    return format_string("%.*s:%u:1", (int)length, name, LLVMDISubprogramGetLine(subprogram));
}

void places_note(struct place_list *list, LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        char *place = place_of(f);

        if (place == NULL)
            continue;
        list->entries = reallocate(list->entries, list->count + 1, sizeof *list->entries);
        list->entries[list->count++] =
            (struct place){.function = copy_string(LLVMGetValueName(f)), .place = place};
    }
}

/* "... function 'NAME' ..." */
static const char *find_place(const struct place_list *list, const char *name)
{
    size_t length = strcspn(name, "'");

    for (unsigned i = 0; i < list->count; i++)
        if (strlen(list->entries[i].function) == length &&
            strncmp(list->entries[i].function, name, length) == 0)
            return list->entries[i].place;
    return NULL;
}

void places_tell(const struct place_list *list, const char *severity, const char *description)
{
    static const char no_place[] = "<unknown>:0:0: ", label[] = " in function '";
    const char *named;
    const char *place;

    if (strncmp(description, no_place, sizeof no_place - 1) == 0)
        description += sizeof no_place - 1;
    named = strstr(description, label);
    if (named == NULL) {
        fprintf(stderr, "%s: %s\n", severity, description);
        return;
    }
    place = find_place(list, named + sizeof label - 1);
    fprintf(stderr, "%s%s%s: %.*s in '%s\n", place != NULL ? place : "", place != NULL ? ": " : "",
            severity, (int)(named - description), description, named + sizeof label - 1);
}

void places_finish(struct place_list *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        free(list->entries[i].function);
        free(list->entries[i].place);
    }
    free(list->entries);
}
