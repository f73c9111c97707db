/* SPDX-License-Identifier: MIT */
/* wavetank disasm FILE: what clang makes of a kernel, or what a code object holds. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/command.h"
#include "isa/isa.h"
#include "program/program.h"

enum { OPTION_KERNEL, OPTION_BUILD };

static const struct option options[] = {
    {"--kernel", "NAME", "this kernel only"},
    {"--build", "OPTIONS", "options of clBuildProgram, as one word: --build \"-D N=16 -g\""},
};

struct request {
    const char *path, *kernel;
    struct text build;
};

static bool read_file(const char *path, struct text *content, struct diagnosis *diagnosis)
{
    FILE *stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char buffer[65536];
    size_t count;
    bool is_whole;

    if (stream == NULL)
        return diagnose(diagnosis, "cannot read %s", path);
    while ((count = fread(buffer, 1, sizeof buffer, stream)) > 0)
        text_add_bytes(content, buffer, count);
    is_whole = ferror(stream) == 0;
    if (stream != stdin)
        fclose(stream);
    return is_whole || diagnose(diagnosis, "cannot read %s", path);
}

static bool is_code_object(const struct text *content)
{
    return content->length > 4 && memcmp(content->chars, "\177ELF", 4) == 0;
}

/* Messages and source lines name the user's file, and not the compiler's copy of it. */
static bool source_compile(const struct request *request, const struct text *content,
                           unsigned char **file, size_t *file_bytes, struct diagnosis *diagnosis)
{
    struct text source = {0}, log = {0};
    bool is_good;

    text_add(&source, "#line 1 \"%s\"\n",
             strcmp(request->path, "-") == 0 ? "stdin" : request->path);
    text_add_bytes(&source, text_chars(content), content->length);
    is_good = program_compile(text_chars(&source), source.length, text_chars(&request->build), NULL,
                              file, file_bytes, &log, diagnosis);
    fputs(text_chars(&log), stderr);
    text_finish(&log);
    text_finish(&source);
    return is_good;
}

static struct program *code_load(const struct request *request, struct diagnosis *diagnosis)
{
    struct text content = {0};
    unsigned char *file = NULL;
    size_t file_bytes = 0;
    struct program *program = NULL;

    if (!read_file(request->path, &content, diagnosis))
        return NULL;
    if (is_code_object(&content))
        program = program_load(content.chars, content.length, diagnosis);
    else if (source_compile(request, &content, &file, &file_bytes, diagnosis))
        program = program_load(file, file_bytes, diagnosis);
    free(file);
    text_finish(&content);
    return program;
}

static void print_resources(const struct program_kernel *kernel)
{
    printf("kernel %s\n", kernel->name);
    printf("  vector registers %u, scalar registers %u, spilled %u and %u\n", kernel->vgpr_count,
           kernel->sgpr_count, kernel->vgpr_spills, kernel->sgpr_spills);
    printf("  local memory %u bytes, private memory %u bytes a work-item, arguments %u bytes\n",
           kernel->lds_bytes, kernel->scratch_bytes, kernel->kernarg_bytes);
    printf("  at most %u work-items a work-group", kernel->max_group_size);
    if (kernel->required_group_size[0] != 0)
        printf(", required %u x %u x %u", kernel->required_group_size[0],
               kernel->required_group_size[1], kernel->required_group_size[2]);
    printf("\n\n");
}

static void print_encoding(const unsigned char *bytes, unsigned count)
{
    for (unsigned i = 0; i < 3; i++) {
        uint32_t word = 0;

        if (i * 4 < count) {
            memcpy(&word, bytes + i * 4, sizeof word);
            printf(" %08x", word);
        } else if (i < 2) {
            printf("         ");
        }
    }
}

static void print_instruction(struct program *program, const struct isa_code *code,
                              const struct isa_instruction *instruction, char *place,
                              size_t place_bytes)
{
    uint64_t offset = program->code_offset + instruction->offset;
    char here[256] = "";
    struct text text = {0};

    if (program_source_line(program, offset, here, sizeof here) && strcmp(here, place) != 0) {
        printf("; %s\n", here);
        snprintf(place, place_bytes, "%s", here);
    }
    isa_gcn(false)->disassemble(code, instruction, &text);
    printf("  %06llx ", (unsigned long long)offset);
    print_encoding(program->image + offset, instruction->bytes);
    printf("  %s\n", text_chars(&text));
    text_finish(&text);
}

/* Where the kernel's code ends: at the next kernel, or the code's end. */
static uint64_t end_of_kernel(const struct program *program, const struct program_kernel *kernel)
{
    uint64_t end = program->code_offset + program->code_bytes;

    for (uint32_t i = 0; i < program->kernel_count; i++) {
        uint64_t entry = program->kernels[i].entry_offset;

        if (entry > kernel->entry_offset && entry < end)
            end = entry;
    }
    return end;
}

/* The last instruction that means something: what follows is padding up to the next kernel. */
static uint64_t last_offset(const struct isa_code *code, uint64_t from, uint64_t to)
{
    uint64_t last = from;

    for (uint64_t offset = from; offset < to; offset += 4) {
        const struct isa_instruction *instruction = isa_code_at(code, code->address + offset);

        if (instruction == NULL || instruction->bytes == 0)
            continue;
        if (instruction->control != ISA_CONTROL_REFUSED && instruction->control != ISA_CONTROL_NOP)
            last = offset;
    }
    return last;
}

static void print_kernel(struct program *program, const struct isa_code *code,
                         const struct program_kernel *kernel)
{
    uint64_t from = kernel->entry_offset - program->code_offset;
    uint64_t last = last_offset(code, from, end_of_kernel(program, kernel) - program->code_offset);
    char place[256] = "";

    print_resources(kernel);
    for (uint64_t offset = from; offset <= last; offset += 4) {
        const struct isa_instruction *instruction = isa_code_at(code, code->address + offset);

        if (instruction != NULL && instruction->bytes != 0)
            print_instruction(program, code, instruction, place, sizeof place);
    }
    printf("\n");
}

static bool unknown_kernel(const struct program *program, const char *name,
                           struct diagnosis *diagnosis)
{
    const char **known = allocate(program->kernel_count + 1, sizeof *known);
    const char *nearest;

    for (uint32_t i = 0; i < program->kernel_count; i++)
        known[i] = program->kernels[i].name;
    nearest = nearest_word(name, known, program->kernel_count);
    diagnose(diagnosis, "there is no kernel '%s'", name);
    if (nearest != NULL)
        diagnose_hint(diagnosis, "did you mean '%s'?", nearest);
    free(known);
    return false;
}

static bool print_program(struct program *program, const struct request *request,
                          struct diagnosis *diagnosis)
{
    const char *only = request->kernel;
    const struct isa *isa = isa_gcn(false);
    struct isa_code *code;

    if (program->kernel_count == 0)
        return diagnose(diagnosis, "%s: there is no kernel in it", request->path);
    if (only != NULL && program_find_kernel(program, only) == NULL)
        return unknown_kernel(program, only, diagnosis);
    code = isa->decode(program->image + program->code_offset, (uint32_t)program->code_bytes,
                       program->code_offset);
    for (uint32_t i = 0; i < program->kernel_count; i++)
        if (only == NULL || strcmp(only, program->kernels[i].name) == 0)
            print_kernel(program, code, &program->kernels[i]);
    isa->code_destroy(code);
    return true;
}

static int code_disassemble(const struct request *request)
{
    struct diagnosis diagnosis = {0};
    struct program *program = code_load(request, &diagnosis);
    bool is_good = program != NULL && print_program(program, request, &diagnosis);

    if (program != NULL)
        program_destroy(program);
    return is_good ? 0 : mistake_print(&diagnosis);
}

/* Options of the compiler that follow the file, or stand before it, as with clang: -D, -I, -cl-...,
 * -g. */
static bool is_build_option(const char *word)
{
    return word[0] == '-' && word[1] != '-' && word[1] != '\0' && word[1] != 'h';
}

/* A word that clBuildProgram's option string gives back unchanged. */
static void add_build_word(struct text *build, const char *word)
{
    text_add(build, " \"");
    for (; *word != '\0'; word++) {
        if (*word == '"' || *word == '\\')
            text_add(build, "\\");
        text_add_bytes(build, word, 1);
    }
    text_add(build, "\"");
}

static int read_words(struct option_reader *reader, struct request *request)
{
    while (reader->at < reader->argc) {
        const char *word = reader->argv[reader->at];
        int index = OPTION_END;

        if (is_build_option(word)) {
            add_build_word(&request->build, word);
            reader->at++;
            continue;
        }
        if (word[0] == '-' && word[1] != '\0')
            index = option_next(reader);
        else if (request->path == NULL)
            request->path = reader->argv[reader->at++];
        else
            add_build_word(&request->build, reader->argv[reader->at++]); /* of "-D N=16" */
        if (index == OPTION_KERNEL)
            request->kernel = reader->value;
        else if (index == OPTION_BUILD)
            text_add(&request->build, " %s", reader->value);
        else if (index != OPTION_END)
            return index;
    }
    return OPTION_END;
}

static int disasm_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    struct request request = {0};
    int index = read_words(&reader, &request);
    struct diagnosis diagnosis;
    int status;

    if (index == OPTION_HELP)
        status = 0;
    else if (index == OPTION_WRONG)
        status = EXIT_USAGE;
    else if (request.path == NULL) {
        diagnose(&diagnosis, "disasm lacks a file");
        diagnose_hint(&diagnosis,
                      "give it OpenCL C or an AMD code object: `wavetank disasm kernel.cl`");
        status = mistake_print(&diagnosis);
    } else {
        status = code_disassemble(&request);
    }
    text_finish(&request.build);
    return status;
}

const struct command command_disasm = {
    .name = "disasm",
    .usage = "[OPTIONS] FILE [BUILD OPTIONS]",
    .summary = "Compiles a kernel as clBuildProgram does and prints its machine code",
    .details = "FILE is OpenCL C or an AMD code object. Per kernel: registers, local and private "
               "memory, then each\n"
               "instruction with its offset and encoding; with -g the source lines too. Compiler "
               "options (-DN=16,\n"
               "-cl-fast-relaxed-math, -g) may stand before or behind the file.\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = disasm_main,
};
