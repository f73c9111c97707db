/* SPDX-License-Identifier: MIT */
#include "program/binary.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { VERSION = 2, FLAG_KEEPS_LINES = 1, FLAG_IS_SILENT = 2, FLAG_IS_NARROW = 4, LEVEL_MAX = 3 };

struct header {
    char magic[8];
    uint32_t version, kind, level, flags, llvm_major, zero;
    uint64_t bitcode_bytes;
    struct program_stamp stamp;
    uint64_t hash[2]; /* of all that is not the hash */
};

struct seal {
    char magic[8];
    struct program_stamp stamp;
    uint64_t bytes;
    uint64_t hash[2]; /* of the stamp and the code object */
};

_Static_assert(sizeof(struct header) == BINARY_HEADER_BYTES, "as drawn");
_Static_assert(sizeof(struct seal) == BINARY_SEAL_BYTES, "as drawn");

static const char bitcode_magic[8] = {'W', 'A', 'V', 'E', 'T', 'K', 'B', 'C'};
static const char seal_magic[8] = {'W', 'A', 'V', 'E', 'T', 'K', 'C', '2'};

/* Of a seal without a stamp, 32 bytes before the end: who compiled it is not known. */
static const char old_seal_magic[8] = {'W', 'A', 'V', 'E', 'T', 'K', 'C', 'O'};
enum { OLD_SEAL_BYTES = 32 };

static void hash_all(const struct header *header, const void *bitcode, uint64_t hash[2])
{
    uint64_t of_header[2];

    content_hash(header, offsetof(struct header, hash), 0, of_header);
    content_hash(bitcode, header->bitcode_bytes, of_header[0] ^ of_header[1], hash);
}

unsigned char *binary_wrap(enum program_binary kind, const struct binary_settings *settings,
                           const void *bitcode, size_t bitcode_bytes, size_t *file_bytes)
{
    struct header header = {.version = VERSION,
                            .kind = (uint32_t)kind,
                            .level = settings->level,
                            .flags = (settings->keeps_lines ? FLAG_KEEPS_LINES : 0u) |
                                     (settings->is_silent ? FLAG_IS_SILENT : 0u) |
                                     (settings->is_narrow ? FLAG_IS_NARROW : 0u),
                            .llvm_major = (uint32_t)atoi(BACKEND_LLVM_MAJOR),
                            .bitcode_bytes = bitcode_bytes,
                            .stamp = settings->stamp};
    unsigned char *file = allocate(sizeof header + bitcode_bytes, 1);

    memcpy(header.magic, bitcode_magic, sizeof bitcode_magic);
    hash_all(&header, bitcode, header.hash);
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, bitcode, bitcode_bytes);
    *file_bytes = sizeof header + bitcode_bytes;
    return file;
}

bool binary_is_wrapped(const void *file, size_t file_bytes)
{
    return file_bytes >= sizeof bitcode_magic &&
           memcmp(file, bitcode_magic, sizeof bitcode_magic) == 0;
}

static bool is_known(const struct header *header, struct diagnosis *diagnosis)
{
    if (header->version != VERSION)
        return diagnose(diagnosis, "the program binary has format %u; this version reads %u",
                        header->version, VERSION);
    if (header->llvm_major != (uint32_t)atoi(BACKEND_LLVM_MAJOR))
        return diagnose(diagnosis,
                        "the program binary was compiled with LLVM %u; here is LLVM %s: compile it "
                        "again",
                        header->llvm_major, BACKEND_LLVM_MAJOR);
    return true;
}

bool binary_open(const void *file, size_t file_bytes, enum program_binary *kind,
                 struct binary_settings *settings, struct diagnosis *diagnosis)
{
    struct header header;
    uint64_t hash[2];

    if (!binary_is_wrapped(file, file_bytes) || file_bytes < sizeof header)
        return diagnose(diagnosis, "damaged program binary: no whole header");
    memcpy(&header, file, sizeof header);
    if (header.bitcode_bytes != file_bytes - sizeof header)
        return diagnose(diagnosis, "damaged program binary: %zu bytes where the header says %llu",
                        file_bytes, (unsigned long long)header.bitcode_bytes + sizeof header);
    hash_all(&header, (const unsigned char *)file + sizeof header, hash);
    if (hash[0] != header.hash[0] || hash[1] != header.hash[1])
        return diagnose(diagnosis, "damaged program binary: its bytes are not what was written");
    if (!is_known(&header, diagnosis))
        return false;
    if ((header.kind != PROGRAM_BINARY_OBJECT && header.kind != PROGRAM_BINARY_LIBRARY) ||
        header.level > LEVEL_MAX)
        return diagnose(diagnosis, "damaged program binary: an impossible header");
    *kind = (enum program_binary)header.kind;
    *settings = (struct binary_settings){.level = header.level,
                                         .keeps_lines = (header.flags & FLAG_KEEPS_LINES) != 0,
                                         .is_silent = (header.flags & FLAG_IS_SILENT) != 0,
                                         .is_narrow = (header.flags & FLAG_IS_NARROW) != 0,
                                         .stamp = header.stamp};
    return true;
}

static void hash_sealed(const struct seal *seal, const void *file, uint64_t hash[2])
{
    uint64_t of_stamp[2];

    content_hash(&seal->stamp, sizeof seal->stamp, 0, of_stamp);
    content_hash(file, seal->bytes, of_stamp[0] ^ of_stamp[1], hash);
}

void binary_seal(unsigned char **file, size_t *file_bytes, const struct program_stamp *stamp)
{
    struct seal seal = {.bytes = *file_bytes, .stamp = *stamp};

    memcpy(seal.magic, seal_magic, sizeof seal_magic);
    hash_sealed(&seal, *file, seal.hash);
    *file = reallocate(*file, *file_bytes + sizeof seal, 1);
    memcpy(*file + *file_bytes, &seal, sizeof seal);
    *file_bytes += sizeof seal;
}

/* False: there is none. */
static bool read_seal(const void *file, size_t file_bytes, struct seal *seal)
{
    if (file_bytes < sizeof *seal)
        return false;
    memcpy(seal, (const unsigned char *)file + file_bytes - sizeof *seal, sizeof *seal);
    return memcmp(seal->magic, seal_magic, sizeof seal_magic) == 0;
}

size_t binary_code_bytes(const void *file, size_t file_bytes)
{
    struct seal seal;

    return read_seal(file, file_bytes, &seal) ? file_bytes - sizeof seal : file_bytes;
}

static bool has_old_seal(const void *file, size_t file_bytes)
{
    return file_bytes >= OLD_SEAL_BYTES &&
           memcmp((const unsigned char *)file + file_bytes - OLD_SEAL_BYTES, old_seal_magic,
                  sizeof old_seal_magic) == 0;
}

bool binary_check_seal(const void *file, size_t file_bytes, struct diagnosis *diagnosis)
{
    struct seal seal;
    uint64_t hash[2];

    if (has_old_seal(file, file_bytes))
        return diagnose(diagnosis, "the program binary is an older version's: compile it again");
    if (!read_seal(file, file_bytes, &seal))
        return true;
    if (seal.bytes == file_bytes - sizeof seal) {
        hash_sealed(&seal, file, hash);
        if (seal.hash[0] == hash[0] && seal.hash[1] == hash[1])
            return true;
    }
    diagnose(diagnosis, "damaged code object: its bytes are not what was written");
    return diagnose_hint(diagnosis, "if it was changed on purpose, take its last %u bytes away",
                         BINARY_SEAL_BYTES);
}

bool program_check_binary(const void *file, size_t file_bytes, enum program_binary *kind,
                          struct diagnosis *diagnosis)
{
    struct binary_settings settings;
    struct program *program;

    if (binary_is_wrapped(file, file_bytes))
        return binary_open(file, file_bytes, kind, &settings, diagnosis);
    program = program_load(file, file_bytes, diagnosis);
    *kind = PROGRAM_BINARY_EXECUTABLE;
    program_destroy(program);
    return program != NULL;
}

struct program_stamp program_read_stamp(const void *file, size_t file_bytes)
{
    struct program_stamp none = {0};
    struct header header;
    struct seal seal;

    if (binary_is_wrapped(file, file_bytes) && file_bytes >= sizeof header) {
        memcpy(&header, file, sizeof header);
        return header.stamp;
    }
    return read_seal(file, file_bytes, &seal) ? seal.stamp : none;
}
