/* SPDX-License-Identifier: MIT */
#include "backend/index.h"

#include <ctype.h>
#include <fcntl.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 1, PARTS = 64 };

struct header {
    char magic[8];
    uint32_t version, parts;
    uint64_t library_bytes;
    int64_t seconds, nanoseconds; /* of the library's last change */
    struct {
        uint64_t start, bytes;
    } part[PARTS];
};

static const char index_magic[8] = {'W', 'A', 'V', 'E', 'T', 'K', 'I', 'X'};

/* All variants of a function ("sin" for float, float4, double ...) are in one part: of a C++ name
 * "_Z3sinDv4_f" what counts is "sin". */
static unsigned part_of(const char *name)
{
    size_t length = strlen(name);
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    if (strncmp(name, "_Z", 2) == 0 && isdigit((unsigned char)name[2])) {
        char *rest;
        unsigned long digits = strtoul(name + 2, &rest, 10);

        name = rest;
        length = digits < strlen(rest) ? digits : strlen(rest);
    }
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    return (unsigned)(hash % PARTS);
}

static bool library_identify(const char *library, struct header *header)
{
    struct stat status;

    if (stat(library, &status) != 0)
        return false;
    memcpy(header->magic, index_magic, sizeof index_magic);
    header->version = VERSION;
    header->parts = PARTS;
    header->library_bytes = (uint64_t)status.st_size;
    header->seconds = status.st_mtim.tv_sec;
    header->nanoseconds = status.st_mtim.tv_nsec;
    return true;
}

/* ---- Making ---- */

/* A module with the functions of one part and all that they need. */
static LLVMModuleRef make_part(LLVMContextRef context, const char *path, unsigned number)
{
    LLVMModuleRef library = backend_open_library(context, path);
    LLVMModuleRef part = LLVMModuleCreateWithNameInContext("part", context);

    if (library == NULL)
        return NULL;
    LLVMSetTarget(part, LLVMGetTarget(library));
    LLVMSetDataLayout(part, LLVMGetDataLayoutStr(library));
    for (LLVMValueRef f = LLVMGetFirstFunction(library); f != NULL; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage &&
            part_of(LLVMGetValueName(f)) == number)
            LLVMAddFunction(part, LLVMGetValueName(f), LLVMGlobalGetValueType(f));
    backend_make_optional(library);
    return LLVMLinkModules2(part, library) ? NULL : part;
}

bool index_make(LLVMContextRef context, const char *library, const char *output)
{
    struct header header = {0};
    uint64_t end = sizeof header;
    FILE *file = fopen(output, "wb");
    bool is_written = file != NULL && library_identify(library, &header) &&
                      fwrite(&header, sizeof header, 1, file) == 1;

    for (unsigned i = 0; is_written && i < PARTS; i++) {
        LLVMModuleRef part = make_part(context, library, i);
        LLVMMemoryBufferRef bitcode;

        if (part == NULL)
            return false;
        bitcode = LLVMWriteBitcodeToMemoryBuffer(part);
        header.part[i].start = end;
        header.part[i].bytes = LLVMGetBufferSize(bitcode); /* a multiple of 4 */
        end += header.part[i].bytes;
        is_written = fwrite(LLVMGetBufferStart(bitcode), header.part[i].bytes, 1, file) == 1;
        LLVMDisposeMemoryBuffer(bitcode);
        LLVMDisposeModule(part);
    }
    is_written =
        is_written && fseek(file, 0, SEEK_SET) == 0 && fwrite(&header, sizeof header, 1, file) == 1;
    if (file != NULL)
        is_written = fclose(file) == 0 && is_written;
    return is_written || backend_fail("cannot write %s", output);
}

/* ---- Use ---- */

struct library_index index_open(const char *path, const char *library)
{
    struct library_index index = {0};
    struct header expected = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *bytes;

    if (file < 0)
        return index;
    if (fstat(file, &status) == 0 && (size_t)status.st_size >= sizeof expected &&
        library_identify(library, &expected)) {
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED && memcmp(bytes, &expected, offsetof(struct header, part)) == 0)
            index = (struct library_index){bytes, (size_t)status.st_size};
    }
    close(file);
    return index;
}

static bool link_part(const struct library_index *index, unsigned number, LLVMModuleRef module)
{
    const struct header *header = (const void *)index->bytes;
    uint64_t start = header->part[number].start, bytes = header->part[number].bytes;
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef part;

    if (start > index->count || bytes > index->count - start)
        return backend_fail("the index of the library is damaged");
    buffer = LLVMCreateMemoryBufferWithMemoryRange((const char *)index->bytes + start, bytes,
                                                   "part", false);
    if (LLVMGetBitcodeModuleInContext2(LLVMGetModuleContext(module), buffer, &part))
        return backend_fail("the index of the library is damaged");
    return !LLVMLinkModules2(module, part);
}

bool index_link(const struct library_index *index, LLVMModuleRef module)
{
    bool is_needed[PARTS] = {false};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && LLVMGetIntrinsicID(f) == 0)
            is_needed[part_of(LLVMGetValueName(f))] = true;
    for (unsigned i = 0; i < PARTS; i++)
        if (is_needed[i] && !link_part(index, i, module))
            return false;
    return true;
}
