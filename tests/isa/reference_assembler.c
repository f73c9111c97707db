/* SPDX-License-Identifier: MIT */
#include "reference_assembler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_lines(const char *path, const char *const *lines, size_t count)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s\n", lines[i]);
    return fclose(file) == 0;
}

/* "... encoding: [0x02,0x07,0x02,0x06]" */
static bool parse_encoding(const char *line, struct reference_encoding *encoding)
{
    const char *next = strstr(line, "encoding: [");

    if (!next)
        return false;
    next += strlen("encoding: [");
    for (encoding->count = 0; encoding->count < sizeof encoding->bytes; next++) {
        char *end;

        encoding->bytes[encoding->count++] = (uint8_t)strtoul(next, &end, 16);
        next = end;
        if (*next != ',')
            return *next == ']';
    }
    return false;
}

static size_t read_encodings(FILE *output, size_t count, struct reference_encoding *encodings)
{
    char line[512];
    size_t found = 0;

    while (fgets(line, sizeof line, output)) {
        struct reference_encoding encoding;

        if (!parse_encoding(line, &encoding))
            continue;
        if (found < count)
            encodings[found] = encoding;
        found++;
    }
    return found;
}

bool reference_assemble(const char *const *lines, size_t count,
                        struct reference_encoding *encodings)
{
    const char *directory = getenv("TMPDIR");
    char path[256], command[512];
    size_t found = 0;

    snprintf(path, sizeof path, "%s/wavetank-assembler-XXXXXX", directory ? directory : "/tmp");
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return false;
    close(descriptor);
    snprintf(command, sizeof command,
             REFERENCE_ASSEMBLER " -triple=amdgcn -mcpu=tahiti -show-encoding '%s'", path);
    FILE *output = write_lines(path, lines, count) ? popen(command, "r") : NULL;
    if (output) {
        found = read_encodings(output, count, encodings);
        if (pclose(output) != 0)
            found = 0;
    }
    unlink(path);
    if (found != count)
        fprintf(stderr,
                "%s is missing or refused one of %zu instructions (Debian package llvm-22)\n",
                REFERENCE_ASSEMBLER, count);
    return found == count;
}
