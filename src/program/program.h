/* SPDX-License-Identifier: MIT */
/*
 * OpenCL C to AMD code objects, and code objects to kernels. The stock clang and libclc compile.
 * libelf reads the ELF file, with its kernel descriptors and its MessagePack metadata. Which source
 * line an address belongs to is answered by libdw, when built with -g.
 *
 *
 *     source ─► clang: front end ─► bitcode ─┬─► program_compile_object: kept with a header of ours
 *                                            ├─► program_link: several, and libraries of them
 *     backend: link, libraries, passes, code ┴─► lld ─► code object
 *
 * Left out: SPIR-V.
 * Source: LLVM, "User Guide for AMDGPU Backend": code object v4 to v6, amdhsa kernel descriptors,
 * NT_AMDGPU_METADATA.
 */
#ifndef PROGRAM_PROGRAM_H
#define PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnosis.h"
#include "base/text.h"

/* What stands where in the kernel argument segment (metadata key .value_kind). */
enum argument_kind {
    ARGUMENT_BY_VALUE,
    ARGUMENT_GLOBAL_BUFFER,
    ARGUMENT_DYNAMIC_SHARED_POINTER, /* __local: the host gives a size, the kernel an LDS offset */
    ARGUMENT_SAMPLER,
    ARGUMENT_IMAGE,
    ARGUMENT_PIPE,
    ARGUMENT_QUEUE,
    ARGUMENT_HIDDEN_BLOCK_COUNT_X,
    ARGUMENT_HIDDEN_BLOCK_COUNT_Y,
    ARGUMENT_HIDDEN_BLOCK_COUNT_Z,
    ARGUMENT_HIDDEN_GROUP_SIZE_X,
    ARGUMENT_HIDDEN_GROUP_SIZE_Y,
    ARGUMENT_HIDDEN_GROUP_SIZE_Z,
    ARGUMENT_HIDDEN_REMAINDER_X,
    ARGUMENT_HIDDEN_REMAINDER_Y,
    ARGUMENT_HIDDEN_REMAINDER_Z,
    ARGUMENT_HIDDEN_GLOBAL_OFFSET_X,
    ARGUMENT_HIDDEN_GLOBAL_OFFSET_Y,
    ARGUMENT_HIDDEN_GLOBAL_OFFSET_Z,
    ARGUMENT_HIDDEN_GRID_DIMS,
    ARGUMENT_HIDDEN_PRIVATE_BASE,
    ARGUMENT_HIDDEN_SHARED_BASE,
    ARGUMENT_HIDDEN_DYNAMIC_LDS_SIZE,
    ARGUMENT_HIDDEN_PRINTF_BUFFER,
    ARGUMENT_HIDDEN_OTHER /* known and not needed: left zero */
};

enum argument_address_space {
    ADDRESS_SPACE_PRIVATE,
    ADDRESS_SPACE_GLOBAL,
    ADDRESS_SPACE_CONSTANT,
    ADDRESS_SPACE_LOCAL
};

struct program_argument {
    enum argument_kind kind;
    enum argument_address_space address_space;
    uint32_t offset; /* bytes into the kernel argument segment */
    uint32_t bytes;
    uint32_t align;  /* of the pointee of a __local pointer, bytes; 0: not said */
    char *name;      /* NULL: built without -cl-kernel-arg-info */
    char *type_name; /* likewise */
    bool is_const, is_restrict, is_volatile;
    bool is_read_only, is_write_only; /* image access */
};

struct program_kernel {
    char *name;
    uint8_t descriptor[64];     /* the bytes of NAME.kd */
    uint64_t descriptor_offset; /* of NAME.kd in the image */
    uint64_t entry_offset;      /* of the first instruction, bytes from the start of the image */
    uint32_t argument_count;    /* hidden ones included */
    uint32_t visible_argument_count;
    struct program_argument *arguments;
    uint32_t kernarg_bytes, kernarg_align;
    uint32_t lds_bytes;              /* static group segment */
    uint32_t scratch_bytes;          /* private segment per work-item */
    uint32_t max_group_size;         /* .max_flat_workgroup_size */
    bool lost_barriers;              /* see barriers.h */
    uint32_t required_group_size[3]; /* reqd_work_group_size, or zeros */
    uint32_t hint_group_size[3];     /* work_group_size_hint, or zeros */
    char *vector_type_hint;          /* vec_type_hint, or NULL */
    uint32_t sgpr_count, vgpr_count; /* as the metadata says */
    uint32_t sgpr_spills, vgpr_spills;
};

/* An executable code object as it lies in device memory: image_bytes bytes, to be placed at a 4 KB
 * aligned address. The part to decode is code_offset/code_bytes. */
struct program {
    unsigned char *image; /* all loadable segments at their offsets, gaps zero, not yet relocated */
    size_t image_bytes;
    uint64_t code_offset, code_bytes;
    bool has_variables; /* data that kernels may store to: __global variables of the program */
    uint32_t kernel_count;
    struct program_kernel *kernels;
    unsigned char *file; /* the ELF file itself: what CL_PROGRAM_BINARIES returns */
    size_t file_bytes;
    uint64_t hash[2]; /* of the ELF file, without what is behind it (binary.h) */
    struct program_relocation {
        uint64_t offset; /* into the image */
        uint64_t addend; /* the 64-bit word there becomes image address + addend */
    } * relocations;
    uint32_t relocation_count;
    struct program_global { /* a __global or __constant variable with its own name */
        char *name;
        uint64_t offset, bytes;
    } * globals;
    uint32_t global_count;
    struct program_format { /* of a printf call; a record of it begins with its number */
        uint32_t number;
        uint32_t argument_count;  /* stored one behind the other */
        uint32_t *argument_bytes; /* how many bytes each has; it takes a multiple of 4 */
        char *text;               /* NULL: its address is the first argument */
    } * formats;
    uint32_t format_count;
    void *debug; /* line information, read when first asked for; private */
};

struct program_compiler {
    char clang[256];         /* path of the compiler */
    char clang_version[128]; /* first line of --version */
    char libclc[256];        /* path of amdgcn-amd-amdhsa.bc */
    char libclc_version[64];
    char builtins[256];                          /* path of builtins.bc: what comes before libclc */
    char backend[256];                           /* path of wavetank-backend (src/backend) */
    char builtins_index[256], libclc_index[256]; /* the libraries in parts; empty: none */
    char lld[256];                               /* path of ld.lld */
};

/* Finds clang, a libclc and an lld of the same major version, our built-in library and our
 * backend (WAVETANK_CLANG, WAVETANK_LIBCLC, WAVETANK_BUILTINS and WAVETANK_BACKEND override).
 * The diagnosis says what was looked for and which packages bring it. */
bool program_find_compiler(struct program_compiler *compiler, struct diagnosis *diagnosis) MUST_USE;

/* What made a program's code. Both are hashes. */
struct program_stamp {
    uint64_t compiler; /* program_compiler_stamp's; 0: not known, it comes from elsewhere */
    uint64_t added;    /* of options that the program did not ask for, PROGRAM_ADDED; 0: none */
};

/* Path, size and time of each file that takes part in compiling, and the versions: other code comes
 * only from another stamp. The cache's keys hold the same. Never 0. */
uint64_t program_compiler_stamp(const struct program_compiler *compiler);

/* What is in a binary that program_check_binary accepts; zeros: it has none. */
struct program_stamp program_read_stamp(const void *file, size_t file_bytes);

/* Whether the option string of clBuildProgram and clCompileProgram can be honoured (false:
 * CL_INVALID_BUILD_OPTIONS, and the diagnosis names the option), and that of clLinkProgram.
 * `options` may be NULL. */
bool program_check_options(const char *options, struct diagnosis *diagnosis) MUST_USE;
bool program_check_link_options(const char *options, struct diagnosis *diagnosis) MUST_USE;

/* What messages and line tables call a source without a file; made from its content. */
enum { PROGRAM_NAME_BYTES = 32 };
void program_source_name(const char *source, size_t source_bytes, char name[PROGRAM_NAME_BYTES]);

/* Compiles OpenCL C to a code object. `options` are clBuildProgram's. `headers` may be NULL. The
 * compiler's messages are appended to `log` (also on success: warnings). Results are cached by
 * content, options and compiler version under WAVETANK_CACHE, else $XDG_CACHE_HOME/wavetank,
 * else ~/.cache/wavetank; an unusable cache is no error. The working directory is on the include
 * path. The caller frees *file. */
#define PROGRAM_ADDED "-wavetank-added=" /* before a number in hexadecimal, for the stamp */
#define PROGRAM_NARROW_WAVEFRONTS "-wavetank-narrow-wavefronts" /* see barriers.h */
struct program_headers {
    unsigned count;
    const char *const *names;
    const char *const *sources;
};
bool program_compile(const char *source, size_t source_bytes, const char *options,
                     const struct program_headers *headers, unsigned char **file,
                     size_t *file_bytes, struct text *log, struct diagnosis *diagnosis) MUST_USE;

/* The same, to what program_link takes: functions may be defined elsewhere. */
bool program_compile_object(const char *source, size_t source_bytes, const char *options,
                            const struct program_headers *headers, unsigned char **file,
                            size_t *file_bytes, struct text *log,
                            struct diagnosis *diagnosis) MUST_USE;

/* What a program's binary is: see program/binary.h. */
enum program_binary {
    PROGRAM_BINARY_EXECUTABLE, /* a code object */
    PROGRAM_BINARY_OBJECT,     /* of program_compile_object */
    PROGRAM_BINARY_LIBRARY     /* of program_link with -create-library */
};

/* Which of them the file is. False: none that is whole; the diagnosis says why. */
bool program_check_binary(const void *file, size_t file_bytes, enum program_binary *kind,
                          struct diagnosis *diagnosis) MUST_USE;

/* Links compiled objects and libraries to a code object, or with -create-library to a library.
 * All that their options had in common with clBuildProgram's (level of optimisation, -g, -w)
 * comes along: the highest. Cached as above. */
struct program_input {
    const unsigned char *file; /* borrowed */
    size_t file_bytes;
};
bool program_link(const struct program_input *inputs, unsigned count, const char *options,
                  unsigned char **file, size_t *file_bytes, struct text *log,
                  struct diagnosis *diagnosis) MUST_USE;

/* Reads a linked amdhsa code object for gfx600 (EM_AMDGPU, ET_DYN). Copies what it keeps. A
 * hostile or damaged file is a diagnosis, never a crash (fuzzed). */
struct program *program_load(const void *file, size_t file_bytes, struct diagnosis *diagnosis);
void program_destroy(struct program *program);

const struct program_kernel *program_find_kernel(const struct program *program, const char *name);

/* Writes the image as it must stand at device address `address`: copied and relocated. `target`
 * has room for image_bytes. */
void program_place(const struct program *program, uint64_t address, unsigned char *target);

/* "FILE:LINE" of the instruction at image offset `offset`, or false when there is no line
 * information. */
bool program_source_line(struct program *program, uint64_t offset, char *place, size_t place_bytes);

/* Non-cryptographic 128-bit content hash, for cache keys and provenance. */
void content_hash(const void *bytes, size_t count, uint64_t seed, uint64_t hash[2]);

#endif
