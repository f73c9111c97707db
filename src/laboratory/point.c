/* SPDX-License-Identifier: MIT */
#include "laboratory/point.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/bits.h"
#include "base/text.h"
#include "laboratory/words.h"
#include "machine/machine.h"

struct resolver {
    const struct plan *plan;
    const struct point_context *context;
    struct inputs *inputs; /* their folder is the plan's, whole */
    struct diagnosis *diagnosis;
};

/* A point while it is being resolved. */
struct draft {
    struct plan_settings settings;
    struct point *point;
    struct words overrides, arguments, command, words;
    struct text identity; /* what the key is a hash of */
};

static const char *label_of(const struct plan *plan, const struct point *point, const char *axis)
{
    int index = plan_axis_find(plan, axis);

    return index < 0 ? NULL : plan->axes[index].values[point->choice[index]].label;
}

/* The text with {AXIS} replaced by the axis's label. The caller frees. */
static char *fill_in(const struct plan *plan, const struct point *point, const char *text)
{
    struct text result = {0};
    char *filled;

    while (*text != '\0') {
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        char *name = end != NULL ? format_string("%.*s", (int)(end - text - 1), text + 1) : NULL;
        const char *label = name != NULL ? label_of(plan, point, name) : NULL;

        free(name);
        if (label != NULL) {
            text_add(&result, "%s", label);
            text = end + 1;
        } else {
            text_add_bytes(&result, text++, 1);
        }
    }
    filled = copy_string(text_chars(&result));
    text_finish(&result);
    return filled;
}

static void draft_collect(struct draft *draft, const struct plan *plan,
                          const struct plan_settings *from)
{
    for (unsigned i = 0; i < from->count; i++) {
        char *text = fill_in(plan, draft->point, from->list[i].text);

        plan_set(&draft->settings, from->list[i].key, text, from->list[i].line);
        free(text);
    }
}

static const struct plan_setting *setting_of(const struct draft *draft, const char *key)
{
    for (unsigned i = 0; i < draft->settings.count; i++)
        if (strcmp(draft->settings.list[i].key, key) == 0)
            return &draft->settings.list[i];
    return NULL;
}

static const char *text_of(const struct draft *draft, const char *key)
{
    const struct plan_setting *setting = setting_of(draft, key);

    return setting != NULL ? setting->text : NULL;
}

static bool wrong_at(struct resolver *resolver, int line)
{
    return diagnose_at(resolver->diagnosis, resolver->plan->path, line);
}

static bool is_path(const char *name)
{
    return strchr(name, '/') != NULL;
}

/* A path as a plan means it. The caller frees. */
static char *beside_plan(const struct resolver *resolver, const char *name)
{
    return name[0] == '/' ? copy_string(name)
                          : format_string("%s/%s", resolver->inputs->folder, name);
}

/* ---- The machine ---- */

static bool is_parameter(const char *key)
{
    return strchr(key, '.') != NULL && !plan_is_key(key);
}

/* The line of the setting that a refusal speaks of; else of the first. */
static int line_to_blame(const struct draft *draft, const char *message)
{
    for (unsigned i = 0; i < draft->settings.count; i++)
        if (strstr(message, draft->settings.list[i].key) != NULL)
            return draft->settings.list[i].line;
    return draft->settings.count > 0 ? draft->settings.list[0].line : 0;
}

static void identify_machine(struct draft *draft, const struct configuration *configuration)
{
    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const struct setting *setting = &configuration->settings[i];

        if (strncmp(setting->path, "sim.", 4) == 0)
            continue;
        text_add(&draft->identity, "%s=", setting->path);
        setting_print_value(setting, &draft->identity);
        text_add(&draft->identity, "\n");
    }
}

static bool resolve_machine(struct resolver *resolver, struct draft *draft)
{
    const char *name = text_of(draft, "gpu") != NULL ? text_of(draft, "gpu") : "hd7970";
    char *gpu = is_path(name) || strstr(name, ".yaml") != NULL ? beside_plan(resolver, name)
                                                               : copy_string(name);
    struct configuration *configuration;

    for (unsigned i = 0; i < draft->settings.count; i++)
        if (is_parameter(draft->settings.list[i].key))
            words_add(&draft->overrides, format_string("%s=%s", draft->settings.list[i].key,
                                                       draft->settings.list[i].text));
    configuration = configuration_load(gpu, (const char *const *)draft->overrides.list,
                                       draft->overrides.count, resolver->diagnosis);
    draft->point->gpu = copy_string(name);
    words_add_copy(&draft->words, "--gpu");
    words_add(&draft->words, gpu);
    for (unsigned i = 0; i < draft->overrides.count; i++) {
        words_add_copy(&draft->words, "-o");
        words_add_copy(&draft->words, draft->overrides.list[i]);
    }
    if (configuration == NULL)
        return resolver->diagnosis->file[0] != '\0'
                   ? false
                   : wrong_at(resolver, line_to_blame(draft, resolver->diagnosis->message));
    identify_machine(draft, configuration);
    configuration_destroy(configuration);
    return true;
}

/* ---- The program ---- */

static bool identify_file(struct resolver *resolver, struct draft *draft, const char *what,
                          const char *path, bool is_own)
{
    unsigned index;

    if (!inputs_add(resolver->inputs, path, &index, resolver->diagnosis))
        return false;
    resolver->inputs->list[index].is_own |= is_own;
    text_add(&draft->identity, "%s %s\n", what, resolver->inputs->list[index].hash);
    return true;
}

/* Whether the plan says that programs write the file. */
static bool is_output(const struct resolver *resolver, const struct draft *draft, const char *path)
{
    bool is_found = false;

    for (unsigned i = 0; i < resolver->plan->output_count && !is_found; i++) {
        char *name = fill_in(resolver->plan, draft->point, resolver->plan->outputs[i]);
        char *output = inputs_path(resolver->inputs, name);

        is_found = output != NULL && strcmp(output, path) == 0;
        free(output);
        free(name);
    }
    return is_found;
}

/* What a source names, and the file itself if it is not identified yet. */
static bool identify_source(struct resolver *resolver, struct draft *draft, const char *path,
                            bool with_itself)
{
    const struct input *source;
    unsigned index;

    if (!inputs_add_source(resolver->inputs, path, &index, resolver->diagnosis))
        return false;
    source = &resolver->inputs->list[index];
    for (unsigned i = with_itself ? 0 : 1; i < source->closure_count; i++) {
        struct input *input = &resolver->inputs->list[source->closure[i]];

        if (is_output(resolver, draft, input->path))
            continue;
        input->is_own = true;
        text_add(&draft->identity, "input %s\n", input->hash);
    }
    return true;
}

static bool identify_named(struct resolver *resolver, struct draft *draft, const char *name)
{
    char *path = inputs_path(resolver->inputs, name);
    bool is_good = path == NULL || identify_source(resolver, draft, path, true);

    free(path);
    return is_good;
}

/* An argument may name a file: `data.txt`, or `--input=data.txt`. */
static bool add_argument(struct resolver *resolver, struct draft *draft, const char *word)
{
    const char *value = strchr(word, '=');

    text_add(&draft->identity, "word %s\n", word);
    words_add_copy(&draft->words, word);
    return identify_named(resolver, draft, word) &&
           (value == NULL || identify_named(resolver, draft, value + 1));
}

/* Where a program without a slash lies. The caller frees; NULL: nowhere. */
static char *search_path(const char *name)
{
    const char *at = getenv("PATH");

    while (at != NULL && *at != '\0') {
        size_t length = strcspn(at, ":");
        char *path = format_string("%.*s/%s", (int)length, at, name);

        if (access(path, X_OK) == 0)
            return path;
        free(path);
        at += length + (at[length] == ':');
    }
    return NULL;
}

static bool no_program(struct resolver *resolver, const struct draft *draft, const char *name)
{
    diagnose(resolver->diagnosis, "there is no program %s that can be run", name);
    if (is_path(name))
        diagnose_hint(resolver->diagnosis, "paths in a plan begin at the plan's folder, %s",
                      resolver->inputs->folder);
    else
        diagnose_hint(resolver->diagnosis, "it is not in $PATH; one beside the plan is ./%s", name);
    return wrong_at(resolver, setting_of(draft, "program")->line);
}

static bool resolve_own_program(struct resolver *resolver, struct draft *draft)
{
    const struct plan_setting *program = setting_of(draft, "program");
    char *path;
    bool is_good;

    if (!words_split(&draft->command, program->text, resolver->diagnosis))
        return wrong_at(resolver, program->line);
    if (draft->command.count == 0) {
        diagnose(resolver->diagnosis, "the program has no name");
        return wrong_at(resolver, program->line);
    }
    draft->point->program = copy_string(program->text);
    path = is_path(draft->command.list[0]) ? beside_plan(resolver, draft->command.list[0])
                                           : search_path(draft->command.list[0]);
    if (path == NULL || access(path, X_OK) != 0) {
        free(path);
        return no_program(resolver, draft, draft->command.list[0]);
    }
    is_good = identify_file(resolver, draft, "program", path, true) &&
              identify_source(resolver, draft, path, false);
    words_add_copy(&draft->words, "--");
    words_add(&draft->words, path);
    for (unsigned i = 1; i < draft->command.count && is_good; i++)
        is_good = add_argument(resolver, draft, draft->command.list[i]);
    return is_good;
}

static bool resolve_workload(struct resolver *resolver, struct draft *draft)
{
    const struct plan_setting *workload = setting_of(draft, "workload");
    char *path = resolver->context->workload_path(workload->text, resolver->diagnosis);
    bool is_good;

    if (path == NULL)
        return wrong_at(resolver, workload->line);
    draft->point->workload = copy_string(workload->text);
    is_good = identify_file(resolver, draft, "program", path, false);
    free(path);
    words_add_copy(&draft->words, "--workload");
    words_add_copy(&draft->words, workload->text);
    words_add_copy(&draft->words, "--");
    return is_good;
}

/* A workload is told its seed without being asked to. */
static bool adds_seed(const struct resolver *resolver, const struct draft *draft)
{
    const char *arguments = plan_settings_find(&resolver->plan->settings, "arguments");
    bool is_named = arguments != NULL && strstr(arguments, "{seed}") != NULL;

    for (unsigned i = 0; i < resolver->plan->axis_count; i++)
        for (unsigned j = 0; j < resolver->plan->axes[i].count; j++) {
            const struct plan_settings *settings = &resolver->plan->axes[i].values[j].settings;

            for (unsigned k = 0; k < settings->count; k++)
                is_named = is_named || strstr(settings->list[k].text, "{seed}") != NULL;
        }
    return text_of(draft, "seed") != NULL && text_of(draft, "workload") != NULL && !is_named;
}

static bool resolve_arguments(struct resolver *resolver, struct draft *draft)
{
    const struct plan_setting *arguments = setting_of(draft, "arguments");
    struct text shown = {0};
    bool is_good = true;

    if (arguments != NULL && !words_split(&draft->arguments, arguments->text, resolver->diagnosis))
        return wrong_at(resolver, arguments->line);
    if (adds_seed(resolver, draft)) {
        words_add_copy(&draft->arguments, "--seed");
        words_add_copy(&draft->arguments, text_of(draft, "seed"));
    }
    for (unsigned i = 0; i < draft->arguments.count && is_good; i++) {
        text_add(&shown, "%s%s", i > 0 ? " " : "", draft->arguments.list[i]);
        is_good = add_argument(resolver, draft, draft->arguments.list[i]);
    }
    draft->point->arguments = copy_string(text_chars(&shown));
    text_finish(&shown);
    return is_good;
}

static bool resolve_program(struct resolver *resolver, struct draft *draft)
{
    bool has_workload = text_of(draft, "workload") != NULL;
    bool has_program = text_of(draft, "program") != NULL;

    if (has_workload == has_program) {
        diagnose(resolver->diagnosis, has_program ? "a point has both a program and a workload"
                                                  : "a point has no program");
        diagnose_hint(resolver->diagnosis, "a plan says `workload: NAME` or `program: ./FILE`, for "
                                           "all points or on an axis");
        return wrong_at(resolver, 0);
    }
    return (has_workload ? resolve_workload : resolve_own_program)(resolver, draft) &&
           resolve_arguments(resolver, draft);
}

/* ---- The whole ---- */

static void resolve_options(struct draft *draft)
{
    static const struct {
        const char *key, *option;
    } options[] = {{"model", "--model"},
                   {"build_options", "--build-options"},
                   {"out_of_bounds", "--out-of-bounds"},
                   {"host_pointers", "--host-pointers"},
                   {"max_cycles", "--max-cycles"},
                   {"sample", "--sample"}};

    for (unsigned i = 0; i < ARRAY_COUNT(options); i++) {
        const char *text = text_of(draft, options[i].key);

        if (text == NULL)
            continue;
        words_add_copy(&draft->words, options[i].option);
        words_add_copy(&draft->words, text);
        text_add(&draft->identity, "%s %s\n", options[i].key, text);
    }
    draft->point->model =
        copy_string(text_of(draft, "model") != NULL ? text_of(draft, "model") : "timed");
}

static bool identify_files(struct resolver *resolver, struct draft *draft)
{
    for (unsigned i = 0; i < resolver->plan->file_count; i++) {
        char *path = beside_plan(resolver, resolver->plan->files[i]);
        bool is_good = identify_file(resolver, draft, "file", path, true);

        free(path);
        if (!is_good)
            return wrong_at(resolver, 0);
    }
    return true;
}

static bool draft_resolve(struct resolver *resolver, struct draft *draft)
{
    const struct plan *plan = resolver->plan;
    XXH128_hash_t hash;

    text_add(&draft->identity, "wavetank %s %s\n%s%s", resolver->context->version,
             resolver->context->simulator, plan->has_places ? "places\n" : "",
             plan->has_profile ? "profile\n" : "");
    draft_collect(draft, plan, &plan->settings);
    for (unsigned i = 0; i < plan->axis_count; i++)
        draft_collect(draft, plan, &plan->axes[i].values[draft->point->choice[i]].settings);
    if (!resolve_machine(resolver, draft))
        return false;
    resolve_options(draft);
    if (plan->has_profile)
        words_add_copy(&draft->words, "--profile");
    if (!resolve_program(resolver, draft) || !identify_files(resolver, draft))
        return false;
    hash = XXH3_128bits(text_chars(&draft->identity), draft->identity.length);
    snprintf(draft->point->key, KEY_BYTES, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    return true;
}

static bool add_point(struct resolver *resolver, struct points *points, const unsigned *choice)
{
    struct draft draft = {.point = NULL};
    bool is_good;

    points->list = reallocate(points->list, points->count + 1, sizeof *points->list);
    draft.point = &points->list[points->count];
    memset(draft.point, 0, sizeof *draft.point);
    draft.point->number = ++points->count;
    draft.point->choice = allocate(resolver->plan->axis_count + 1, sizeof *choice);
    memcpy(draft.point->choice, choice, resolver->plan->axis_count * sizeof *choice);
    is_good = draft_resolve(resolver, &draft);
    draft.point->words = draft.words.list;
    words_finish(&draft.overrides);
    words_finish(&draft.arguments);
    words_finish(&draft.command);
    for (unsigned i = 0; i < draft.settings.count; i++) {
        free(draft.settings.list[i].key);
        free(draft.settings.list[i].text);
    }
    free(draft.settings.list);
    text_finish(&draft.identity);
    return is_good;
}

bool points_resolve(struct points *points, const struct plan *plan,
                    const struct point_context *context, struct diagnosis *diagnosis)
{
    struct resolver resolver = {
        .plan = plan, .context = context, .inputs = &points->inputs, .diagnosis = diagnosis};
    unsigned *choice = allocate(plan->axis_count + 1, sizeof *choice);
    bool is_good = true;

    memset(points, 0, sizeof *points);
    points->inputs.folder = realpath(plan->folder, NULL);
    if (points->inputs.folder == NULL)
        points->inputs.folder = copy_string(plan->folder);
    do {
        if (plan_lets_pass(plan, choice, &is_good, diagnosis))
            is_good = add_point(&resolver, points, choice);
    } while (is_good && plan_next(plan, choice));
    if (is_good && points->count == 0) {
        diagnose(diagnosis, "the filters leave no point");
        is_good = wrong_at(&resolver, plan->filter_count > 0 ? plan->filters[0].line : 0);
    }
    free(choice);
    return is_good;
}

void points_finish(struct points *points)
{
    for (unsigned i = 0; i < points->count; i++) {
        struct point *point = &points->list[i];
        char *const all[] = {point->gpu, point->model, point->workload, point->program,
                             point->arguments};

        for (unsigned j = 0; j < ARRAY_COUNT(all); j++)
            free(all[j]);
        for (unsigned j = 0; point->words != NULL && point->words[j] != NULL; j++)
            free(point->words[j]);
        free(point->words);
        free(point->choice);
    }
    free(points->list);
    inputs_finish(&points->inputs);
    memset(points, 0, sizeof *points);
}

char *point_title(const struct plan *plan, const struct point *point)
{
    struct text title = {0};
    char *result;

    for (unsigned i = 0; i < plan->axis_count; i++)
        text_add(&title, "%s%s", i > 0 ? ", " : "", plan->axes[i].values[point->choice[i]].label);
    result = copy_string(text_chars(&title));
    text_finish(&title);
    return result;
}
