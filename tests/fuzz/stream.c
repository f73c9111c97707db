/* SPDX-License-Identifier: MIT */
#include "fuzz/stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "isa/gcn/decode.h"

/* ---- words of code ---- */

struct code {
    uint32_t *words;
    uint32_t count;
};

static void code_add(struct code *code, uint32_t word)
{
    check(code->count < STREAM_WORDS, "a stream of more than %d words", STREAM_WORDS);
    code->words[code->count++] = word;
}

static void set_scalar(struct code *code, unsigned index, uint32_t value)
{
    code_add(code, 0xbe8003ffu | index << 16); /* s_mov_b32 sN, literal */
    code_add(code, value);
}

static void set_vector(struct code *code, unsigned index, uint32_t value)
{
    code_add(code, 0x7e0002ffu | index << 17); /* v_mov_b32 vN, literal */
    code_add(code, value);
}

/* A descriptor of four scalar registers. */
static void set_descriptor(struct code *code, unsigned index, uint64_t base, uint32_t stride,
                           uint32_t records, uint32_t flags)
{
    set_scalar(code, index, (uint32_t)base);
    set_scalar(code, index + 1, (uint32_t)(base >> 32) | stride << 16);
    set_scalar(code, index + 2, records);
    set_scalar(code, index + 3, flags);
}

/*
 * s[0:3] the buffer as private memory | s[4:7] the constants | s[8:11] the buffer | s[12:15] everything | s[16:19] records of 16 bytes |
 * s[20:23] swizzled | s[24:25] the constants | s[26:27] the buffer | s28 a small offset | s62 a loop's
 * count
 * v0 the lane | v1 4 * lane | v2 16 * lane | v3 a multiple of 8 | v[4:5] buffer + 4 * lane |
 * v[6:7] buffer + v3
 * Formats, in the descriptors' order: 32 UINT, 16_16_16_16 FLOAT, 32 FLOAT, none that is modelled, 8_8_8_8 UNORM, 32 UINT.
 */
static void add_prologue(struct code *code, uint64_t buffer)
{
    code_add(code, 0xbf8c0000u); /* s_waitcnt 0: the compiler's loads must not come later */
    set_descriptor(code, 0, buffer, 0x8000, STREAM_BUFFER_BYTES, 0x00ea4fac);
    set_descriptor(code, 4, buffer + STREAM_BUFFER_BYTES, 0, STREAM_CONSTANT_BYTES, 0x00067fac);
    set_descriptor(code, 8, buffer, 0, STREAM_BUFFER_BYTES, 0x00027fac);
    set_descriptor(code, 12, 0, 0, UINT32_MAX, 0x0100f000);
    set_descriptor(code, 16, buffer, 16, STREAM_BUFFER_BYTES / 16, 0x00050fac);
    set_descriptor(code, 20, buffer, 0x8000 | 16, 512, 0x00324fac);
    set_descriptor(code, 24, buffer + STREAM_BUFFER_BYTES, 0, (uint32_t)buffer,
                   (uint32_t)(buffer >> 32));
    set_scalar(code, 28, 64);
    set_scalar(code, 62, 3);
    for (unsigned i = 29; i < 42; i++)
        set_scalar(code, i, i * 0x9e3779b9u >> (i % 4 * 8));
    code_add(code, 0x34020082);  /* v_lshlrev_b32 v1, 2, v0 */
    code_add(code, 0x34040084);  /* v_lshlrev_b32 v2, 4, v0 */
    code_add(code, 0x120600ffu); /* v_mul_i32_i24 v3, literal, v0 */
    code_add(code, 0x9e370u);
    code_add(code, 0x360606ffu); /* v_and_b32 v3, literal, v3 */
    code_add(code, 0x1ff8u);
    set_vector(code, 4, (uint32_t)buffer);
    code_add(code, 0x4a080901u); /* v_add_i32 v4, vcc, v1, v4 */
    set_vector(code, 5, (uint32_t)(buffer >> 32));
    set_vector(code, 6, (uint32_t)buffer);
    code_add(code, 0x4a0c0d03u); /* v_add_i32 v6, vcc, v3, v6 */
    set_vector(code, 7, (uint32_t)(buffer >> 32));
    for (unsigned i = 8; i < 24; i++) {
        set_vector(code, i, i * 0x85ebca6bu >> (i % 4 * 8));
        if (i % 2 == 0)
            code_add(code, 0x3a000000u | i << 17 | (i - 1) << 9 | (256 + i)); /* v_xor_b32 */
    }
}

static bool is_kept(const struct stream *stream, uint32_t index)
{
    return !stream->items[index].is_dropped;
}

uint32_t stream_lay_out(const struct stream *stream, uint32_t *words)
{
    uint32_t places[STREAM_ITEMS + 1];
    struct code code = {words, 0};

    add_prologue(&code, stream->buffer);
    for (uint32_t i = 0, place = code.count; i <= stream->count; i++) {
        places[i] = place;
        if (i < stream->count && is_kept(stream, i))
            place += stream->items[i].count;
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        const struct stream_item *item = &stream->items[i];

        for (unsigned j = 0; j < item->count && is_kept(stream, i); j++) {
            uint32_t word = item->words[j];

            if (item->target != STREAM_NO_TARGET && j == item->branch)
                word =
                    (word & 0xffff0000u) | ((places[item->target] - (places[i] + j + 1)) & 0xffff);
            code_add(&code, word);
        }
    }
    code_add(&code, 0xbf8c0000u); /* s_waitcnt 0 */
    code_add(&code, 0xbf810000u); /* s_endpgm */
    return code.count;
}

void stream_print(const struct stream *stream, const struct isa *isa, struct text *text)
{
    uint32_t words[STREAM_WORDS] = {0};
    struct code prologue = {words, 0};
    uint32_t count = stream_lay_out(stream, words);
    struct isa_code *code = isa->decode(words, count * 4, 0x1000);

    add_prologue(&prologue, stream->buffer);
    for (uint32_t offset = prologue.count * 4; offset < count * 4;) {
        const struct isa_instruction *instruction = isa_code_at(code, 0x1000 + offset);

        text_add(text, "%6x:  ", (unsigned)offset);
        isa->disassemble(code, instruction, text);
        text_add(text, "\n");
        offset += instruction->bytes != 0 ? instruction->bytes : 4;
    }
    isa->code_destroy(code);
}

/* ---- files ---- */

void stream_write(const struct stream *stream, FILE *file)
{
    fprintf(file, "stream %u %u %d %" PRIx64 "\n", (unsigned)stream->groups,
            (unsigned)stream->group_items, stream->is_shared, stream->buffer);
    for (uint32_t i = 0; i < stream->count; i++) {
        const struct stream_item *item = &stream->items[i];
        int target = item->target;

        if (item->is_dropped)
            continue;
        for (int j = 0; j < item->target; j++)
            target -= stream->items[j].is_dropped;
        fprintf(file, "%d %u", target, (unsigned)item->branch);
        for (unsigned j = 0; j < item->count; j++)
            fprintf(file, " %08" PRIx32, item->words[j]);
        fprintf(file, "\n");
    }
}

static bool item_read(struct stream_item *item, const char *line)
{
    int target, length;
    unsigned branch;

    if (sscanf(line, "%d %u%n", &target, &branch, &length) != 2)
        return false;
    item->target = (int16_t)target;
    item->branch = (uint8_t)branch;
    for (line += length; item->count < 6; line += length, item->count++)
        if (sscanf(line, "%" SCNx32 "%n", &item->words[item->count], &length) != 1)
            break;
    return item->count > 0;
}

bool stream_read(struct stream *stream, FILE *file)
{
    char line[128];
    unsigned groups, items;
    int is_shared;

    memset(stream, 0, sizeof *stream);
    if (fgets(line, sizeof line, file) == NULL ||
        sscanf(line, "stream %u %u %d %" SCNx64, &groups, &items, &is_shared, &stream->buffer) != 4)
        return false;
    stream->groups = groups;
    stream->group_items = items;
    stream->is_shared = is_shared != 0;
    while (stream->count < STREAM_ITEMS && fgets(line, sizeof line, file) != NULL)
        if (!item_read(&stream->items[stream->count++], line))
            return false;
    return stream->count > 0;
}
