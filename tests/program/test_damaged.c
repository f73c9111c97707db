/* SPDX-License-Identifier: MIT */
/* Hostile and damaged code objects: a diagnosis that names the reason, never a crash. Run it under
 * ASan and UBSan for its full worth. WAVETANK_FUZZ_ROUNDS and WAVETANK_FUZZ_SEED vary it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "base/text.h"
#include "fuzz_load.h"
#include "program/binary.h"
#include "support.h"

static const char source[] = "__constant int table[4] = {3, 1, 4, 1};\n"
                             "__constant int *__constant pointers[1] = {table};\n"
                             "__attribute__((noinline)) int f(int x) { return x * x; }\n"
                             "__kernel void k(__global int *a, __local int *b, int n) {\n"
                             "  b[n] = f(a[n]); barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  a[get_global_id(0)] = b[n + 1] + pointers[n][n];\n"
                             "}\n"
                             "__kernel void l(__global float *a) { a[1] = sqrt(a[0]); }\n";

static unsigned char *good;
static size_t good_bytes;

static int build_good(void **state)
{
    if (make_sandbox(state) != 0)
        return -1;
    good = must_compile(source, "-g", &good_bytes);
    good_bytes -= BINARY_SEAL_BYTES; /* which would tell of any change */
    return 0;
}

static int drop_good(void **state)
{
    free(good);
    return remove_sandbox(state);
}

/* Loads a copy with `count` bytes at `offset` replaced and expects the reason. */
static void expect_refusal(size_t offset, const void *bytes, size_t count, const char *reason)
{
    unsigned char *copy = allocate(good_bytes, 1);
    struct diagnosis diagnosis;

    memcpy(copy, good, good_bytes);
    memcpy(copy + offset, bytes, count);
    assert_null(program_load(copy, good_bytes, &diagnosis));
    if (strstr(diagnosis.message, reason) == NULL)
        fail_msg("expected '%s', got '%s'", reason, diagnosis.message);
    free(copy);
}

static void wrong_headers_are_named(void **state)
{
    Elf64_Ehdr header;

    (void)state;
    memcpy(&header, good, sizeof header);
    expect_refusal(0, "MZ", 2, "not an ELF file");
    expect_refusal(offsetof(Elf64_Ehdr, e_machine), &(uint16_t){EM_X86_64}, 2, "AMD GPUs");
    expect_refusal(offsetof(Elf64_Ehdr, e_type), &(uint16_t){ET_REL}, 2, "not linked");
    expect_refusal(offsetof(Elf64_Ehdr, e_flags), &(uint32_t){0x2c}, 4, "gfx600");
    expect_refusal(EI_OSABI, &(uint8_t){0}, 1, "amdhsa");
    expect_refusal(EI_ABIVERSION, &(uint8_t){1}, 1, "ABI version");
    expect_refusal(EI_CLASS, &(uint8_t){ELFCLASS32}, 1, "64-bit");
    assert_true(header.e_phnum > 3);
}

/* The file offset of the n-th program header of a type. */
static size_t find_segment(uint32_t type, unsigned skip)
{
    Elf64_Ehdr header;

    memcpy(&header, good, sizeof header);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
        Elf64_Phdr segment;

        memcpy(&segment, good + at, sizeof segment);
        if (segment.p_type == type && skip-- == 0)
            return at;
    }
    fail_msg("no such segment");
    return 0;
}

static void wrong_segments_are_named(void **state)
{
    size_t second = find_segment(PT_LOAD, 1);

    (void)state;
    expect_refusal(second + offsetof(Elf64_Phdr, p_memsz), &(uint64_t){1}, 8, "outside the file");
    expect_refusal(second + offsetof(Elf64_Phdr, p_offset), &(uint64_t){UINT64_MAX - 4}, 8,
                   "outside the file");
    expect_refusal(second + offsetof(Elf64_Phdr, p_vaddr), &(uint64_t){0}, 8, "overlap");
    expect_refusal(second + offsetof(Elf64_Phdr, p_memsz), &(uint64_t){UINT64_MAX}, 8,
                   "larger than");
}

/* The file offset of some bytes that occur once. */
static size_t find_bytes(const void *bytes, size_t count)
{
    unsigned char *found = memmem(good, good_bytes, bytes, count);

    assert_non_null(found);
    return (size_t)(found - good);
}

static void wrong_metadata_is_named(void **state)
{
    size_t kind = find_bytes("hidden_block_count_x", 20);
    size_t size = find_bytes(".kernarg_segment_size", 21);
    size_t lanes = find_bytes(".wavefront_size", 15);
    size_t kernels = find_bytes("amdhsa.kernels", 14);
    unsigned char *stack = memmem(good, good_bytes, ".uses_dynamic_stack", 19); /* of kernel k */

    (void)state;
    expect_refusal(kind, "hidden_block_count_q", 20, "hidden_block_count_q");
    expect_refusal(size, ".kernarg_segment_sizf", 21, "misses .kernarg_segment_size");
    expect_refusal(lanes + 15, &(uint8_t){32}, 1, "wavefronts of 32");
    assert_non_null(stack);
    expect_refusal((size_t)(stack - good) + 19, &(uint8_t){0xc3}, 1, "stack of unknown size");
    expect_refusal(kernels + 14, &(uint8_t){0xc0}, 1, "no list of kernels");
    expect_refusal(kernels + 14, "\xdd\xff\xff\xff\xff", 5, "not a MessagePack value");
    expect_refusal(find_bytes("amdgcn-amd-amdhsa--gfx600", 25), "amdgcn-amd-amdhsa--gfx601", 25,
                   "gfx600");
}

static void wrong_relocations_are_named(void **state)
{
    /* .rela.dyn holds one entry, R_AMDGPU_RELATIVE64 (13); its type is the low half of r_info. */
    struct program *program = program_load(good, good_bytes, NULL);
    uint64_t key[2];
    size_t entry;

    (void)state;
    assert_non_null(program);
    assert_int_equal(program->relocation_count, 1);
    key[0] = program->relocations[0].offset;
    key[1] = 13;
    entry = find_bytes(key, sizeof key);
    expect_refusal(entry + 8, &(uint32_t){4}, 4, "R_AMDGPU_REL32");
    expect_refusal(entry + 8, &(uint32_t){99}, 4, "unknown relocation");
    expect_refusal(entry, &(uint64_t){program->image_bytes - 7}, 8, "outside the segments");
    program_destroy(program);
}

static void every_cut_is_survived(void **state)
{
    (void)state;
    for (size_t count = 0; count < good_bytes; count += count < 512 ? 1 : 61)
        LLVMFuzzerTestOneInput(good, count);
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoul(text, NULL, 0) : otherwise;
}

/* Overwrites 1 to 4 places, each with a random byte, a flipped bit, an extreme number, or bytes
 * from elsewhere. */
static void mutate(unsigned char *bytes, size_t count, struct random *random)
{
    static const uint64_t extremes[] = {
        0,          1,          0x7fffffff,        0x80000000,
        0xffffffff, UINT64_MAX, UINT64_C(1) << 63, 0xfffffffffffff000};
    unsigned changes = 1 + (unsigned)random_below(random, 4);

    for (unsigned i = 0; i < changes; i++) {
        size_t at = random_below(random, count - 8);
        size_t width = (size_t)1 << random_below(random, 4);

        switch (random_below(random, 4)) {
        case 0:
            bytes[at] = (unsigned char)random_next(random);
            break;
        case 1:
            bytes[at] ^= (unsigned char)(1u << random_below(random, 8));
            break;
        case 2:
            memcpy(bytes + (at & ~(size_t)7),
                   &extremes[random_below(random, ARRAY_COUNT(extremes))], width);
            break;
        default:
            memmove(bytes + at, bytes + random_below(random, count - 8), width);
        }
    }
}

static void mutations_are_survived(void **state)
{
    unsigned long rounds = setting("WAVETANK_FUZZ_ROUNDS", 20000);
    struct random random = {setting("WAVETANK_FUZZ_SEED", 20240501)};
    unsigned char *copy = allocate(good_bytes, 1);

    (void)state;
    printf("seed %llu, %lu rounds\n", (unsigned long long)random.state, rounds);
    for (unsigned long i = 0; i < rounds; i++) {
        memcpy(copy, good, good_bytes);
        mutate(copy, good_bytes, &random);
        LLVMFuzzerTestOneInput(copy, good_bytes);
    }
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"damaged/wrong_headers_are_named", wrong_headers_are_named, NULL, NULL, NULL},
        {"damaged/wrong_segments_are_named", wrong_segments_are_named, NULL, NULL, NULL},
        {"damaged/wrong_metadata_is_named", wrong_metadata_is_named, NULL, NULL, NULL},
        {"damaged/wrong_relocations_are_named", wrong_relocations_are_named, NULL, NULL, NULL},
        {"damaged/every_cut_is_survived", every_cut_is_survived, NULL, NULL, NULL},
        {"damaged/mutations_are_survived", mutations_are_survived, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests_name("program/damaged", tests, build_good, drop_good);
}
