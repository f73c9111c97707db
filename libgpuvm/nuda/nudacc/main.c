/* SPDX-License-Identifier: MIT */
/*
 * nudacc: a C compiler's wrapper. Loops after `#pragma nuda parallel for` become OpenCL kernels;
 * all else is the compiler's business. Each source goes through the preprocessor, is translated,
 * and is compiled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "source.h"
#include "translate.h"

static const char main_help[] =
    "usage: nudacc [options of clang or gcc] FILE.c ... [-o PROGRAM]\n"
    "\n"
    "Compiles C. Loops after this pragma run on an OpenCL device, on plain arrays:\n"
    "\n"
    "    #pragma nuda parallel for [block(a[,b[,c]])] [independent]\n"
    "    for (int i = 0; i < n; i++)\n"
    "        y[i] = a * x[i] + y[i];\n"
    "\n"
    "Iterations run at once: a loop is an error unless none is seen to write what another uses. "
    "`independent`\n"
    "is your word for it, where that cannot be seen. The pragma takes as many loops as are nested "
    "with nothing\n"
    "between them (three at most) and are parallel; block() says how many, and gives the "
    "work-group's size, the\n"
    "outermost loop's first.\n"
    "\n"
    "  --print-kernel   prints the kernels in OpenCL C, and compiles nothing\n"
    "  --help           this text\n"
    "  -c, -S, -o, -I, -D, -O2, -g ... as in other compilers\n"
    "\n"
    "Variables: NUDACC_CLANG=PROGRAM the compiler (" NUDACC_CLANG_PATH
    "); NUDACC_LIBRARY=FOLDER where libnuda is.\n"
    "Without nudacc the same source is plain C, which any compiler takes.\n";

static struct {
    const char *clang;
    char folder[64]; /* of files in between, "": none made yet */
    struct list files;
} main_state;

static char *main_temporary(const char *name)
{
    if (!main_state.folder[0]) {
        strcpy(main_state.folder, "/tmp/nudacc-XXXXXX");
        if (!mkdtemp(main_state.folder)) {
            perror("nudacc: error: /tmp");
            exit(1);
        }
    }
    char *path = memory_format("%s/%zu-%s", main_state.folder, main_state.files.count, name);
    command_add(&main_state.files, path);
    return path;
}

static void main_clean(void)
{
    for (size_t i = 0; i < main_state.files.count; i++)
        unlink(*LIST_AT(&main_state.files, char *, i));
    if (main_state.folder[0])
        rmdir(main_state.folder);
}

static struct list main_start(const struct command *command)
{
    struct list list = {0};
    command_add(&list, main_state.clang);
    command_add_role(&list, command, ROLE_COMPILE);
    command_add(&list, "-ffp-contract=off");
    return list;
}

static bool main_write(const char *path, const struct text *text)
{
    FILE *stream = fopen(path, "wb");
    bool is_written = stream && fwrite(text->characters, 1, text->length, stream) == text->length;
    if ((stream && fclose(stream) != 0) || !is_written) {
        fprintf(stderr, "nudacc: error: %s cannot be written\n", path);
        return false;
    }
    return true;
}

/* The object or assembly that a source becomes. */
static const char *main_object(const struct command *command, const char *source)
{
    if (command->mode == MODE_LINK)
        return main_temporary(command_base(source, ".o"));
    return command->output ? command->output
                           : command_base(source, command->mode == MODE_OBJECT ? ".o" : ".s");
}

static int main_preprocess(const struct command *command, const char *source, const char *object,
                           struct text *text)
{
    struct list list = main_start(command);
    command_add_role(&list, command, ROLE_PREPROCESS);
    command_add_role(&list, command, ROLE_DEPENDENCY);
    if (command->writes_dependencies && !command->names_dependencies) {
        const char *named = command->output ? command->output : source;
        const char *slash = strrchr(named, '/');
        command_add(&list, "-MF");
        command_add(&list,
                    memory_format("%.*s%s", slash && command->output ? (int)(slash - named + 1) : 0,
                                  named, command_base(named, ".d")));
    }
    if (command->writes_dependencies && !command->names_target) {
        command_add(&list, "-MT");
        command_add(&list, command->mode == MODE_LINK ? command_base(source, ".o") : object);
    }
    command_add(&list, "-E");
    command_add(&list, source);
    return command_run(&list, text);
}

/* Compiles a source as it is. */
static int main_plain(const struct command *command, const char *source, const char *object)
{
    struct list list = main_start(command);
    command_add_role(&list, command, ROLE_PREPROCESS);
    if (command->names_dependencies || !command->writes_dependencies)
        command_add_role(&list, command, ROLE_DEPENDENCY);
    command_add(&list, command->mode == MODE_ASSEMBLY ? "-S" : "-c");
    command_add(&list, source);
    command_add(&list, "-o");
    command_add(&list, object);
    return command_run(&list, NULL);
}

static int main_compile(const struct command *command, const char *source, const char *object)
{
    struct text text = {0}, output = {0}, kernels = {0};
    int status = main_preprocess(command, source, object, &text);
    if (status)
        return status;
    if (!source_has_pragma(text_string(&text)))
        return command->prints_kernels ? 0 : main_plain(command, source, object);
    struct list options = {0};
    command_add_role(&options, command, ROLE_COMPILE);
    command_add(&options, "-w");
    enum translate_result result =
        translate_text(text.characters, text.length, options.items, (int)options.count, &output,
                       command->prints_kernels ? &kernels : NULL);
    if (result == TRANSLATE_NOT_C) {
        status = main_plain(command, source, object);
        if (status == 0)
            fprintf(stderr, "nudacc: error: %s compiles, but libclang does not read it\n", source);
        return status ? status : 1;
    }
    if (result == TRANSLATE_REFUSED)
        return 1;
    if (command->prints_kernels)
        return fputs(text_string(&kernels), stdout) < 0;
    const char *made = main_temporary(command_base(source, ".i"));
    if (!main_write(made, &output))
        return 1;
    struct list list = main_start(command);
    command_add(&list, "-Wno-unused-command-line-argument");
    command_add(&list, command->mode == MODE_ASSEMBLY ? "-S" : "-c");
    command_add(&list, "-x");
    command_add(&list, "cpp-output");
    command_add(&list, made);
    command_add(&list, "-o");
    command_add(&list, object);
    return command_run(&list, NULL);
}

/* Adds a folder with a library, if it is there. */
static bool main_add_folder(struct list *list, const char *folder, const char *library)
{
    char *real = realpath(memory_format("%s/%s", folder, library), NULL);
    if (real) {
        *strrchr(real, '/') = 0;
        command_add(list, memory_format("-L%s", real));
        command_add(list, memory_format("-Wl,-rpath,%s", real));
    }
    free(real);
    return real != NULL;
}

/* libnuda and libgpuvm, beside this program in its build folder, or installed with it. They stand
 * before the C library, whose malloc and sigaction they take, so that all of their names must be
 * kept. */
static void main_add_library(struct list *list)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    const char *here = slash ? memory_format("%.*s", (int)(slash - self), self) : ".";
    const char *given = getenv("NUDACC_LIBRARY");
    if (given) {
        main_add_folder(list, given, "libnuda.so");
    } else if (main_add_folder(list, memory_format("%s/../src", here), "libnuda.so")) {
        main_add_folder(list, memory_format("%s/../../src", here), "libgpuvm.so");
    } else {
        main_add_folder(list, memory_format("%s/%s", here, NUDACC_LIBRARY_BELOW), "libnuda.so");
    }
    const char *const words[] = {"-Wl,--push-state,--no-as-needed", "-lnuda", "-lgpuvm",
                                 "-Wl,--pop-state"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        command_add(list, words[i]);
}

/* Compiles all sources; links them where that is asked for. */
static int main_build(const struct command *command)
{
    struct list link = {0};
    command_add(&link, main_state.clang);
    command_add(&link, "-Wno-unused-command-line-argument");
    main_add_library(&link);
    for (size_t i = 0; i < command->arguments.count; i++) {
        const struct argument *argument = LIST_AT(&command->arguments, struct argument, i);
        if (command_is_source(command, argument)) {
            const char *object = main_object(command, argument->text);
            int status = main_compile(command, argument->text, object);
            if (status)
                return status;
            command_add(&link, object);
        } else if (argument->role != ROLE_PREPROCESS && argument->role != ROLE_DEPENDENCY &&
                   !string_begins(argument->text, "-x")) {
            command_add(&link, argument->text);
            if (argument->value)
                command_add(&link, argument->value);
        }
    }
    if (command->mode != MODE_LINK || command->prints_kernels)
        return 0;
    return command_run(&link, NULL);
}

/* Gives everything to the compiler. */
static int main_pass(const struct command *command, int count, char **texts)
{
    struct list list = {0};
    command_add(&list, main_state.clang);
    if (command->mode == MODE_LINK && command->arguments.count)
        main_add_library(&list);
    for (int i = 1; i < count; i++)
        command_add(&list, texts[i]);
    return command_run(&list, NULL);
}

int main(int count, char **texts)
{
    struct command command;
    int status;
    main_state.clang = getenv("NUDACC_CLANG") ? getenv("NUDACC_CLANG") : NUDACC_CLANG_PATH;
    command_read(&command, count, texts);
    if (command.wants_help || count == 1) {
        fputs(main_help, count == 1 ? stderr : stdout);
        return count == 1;
    }
    if (command.sources > 1 && command.output && command.mode != MODE_LINK &&
        command.mode != MODE_OTHER) {
        fprintf(stderr, "nudacc: error: -o names one file, for several sources\n");
        return 1;
    }
    if (command.mode == MODE_OTHER || command.sources == 0)
        status = main_pass(&command, count, texts);
    else
        status = main_build(&command);
    main_clean();
    memory_release();
    return status;
}
