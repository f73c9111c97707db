/* SPDX-License-Identifier: MIT */
#include "program/metadata.h"

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/msgpack_scan.h"
#include "program/printf_formats.h"

#define KERNARG_BYTES_MAX 65536u
#define WAVEFRONT_LANES 64u

/* What is being read, for messages. */
struct reader {
    const char *kernel; /* NULL: none yet */
    struct diagnosis *diagnosis;
};

static bool metadata_complain(const struct reader *reader, const char *what)
{
    return diagnose(reader->diagnosis, "damaged code object: metadata%s%.200s: %s",
                    reader->kernel != NULL ? " of kernel " : "",
                    reader->kernel != NULL ? reader->kernel : "", what);
}

static bool complain_about(const struct reader *reader, const char *what, const char *key)
{
    return diagnose(reader->diagnosis, "damaged code object: metadata%s%.200s: %s %.100s",
                    reader->kernel != NULL ? " of kernel " : "",
                    reader->kernel != NULL ? reader->kernel : "", what, key);
}

static bool is_text(const msgpack_object *object, const char *text)
{
    return object->type == MSGPACK_OBJECT_STR && object->via.str.size == strlen(text) &&
           memcmp(object->via.str.ptr, text, object->via.str.size) == 0;
}

/* The value of `key` in a map, or NULL. */
static const msgpack_object *find_key(const msgpack_object *map, const char *key)
{
    if (map->type != MSGPACK_OBJECT_MAP)
        return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++)
        if (is_text(&map->via.map.ptr[i].key, key))
            return &map->via.map.ptr[i].val;
    return NULL;
}

static bool as_u32(const msgpack_object *object, uint32_t *value)
{
    if (object->type != MSGPACK_OBJECT_POSITIVE_INTEGER || object->via.u64 > UINT32_MAX)
        return false;
    *value = (uint32_t)object->via.u64;
    return true;
}

/* A number that may be missing: then it stays as it is. */
static bool read_u32(const struct reader *reader, const msgpack_object *map, const char *key,
                     bool is_needed, uint32_t *value)
{
    const msgpack_object *object = find_key(map, key);

    if (object == NULL)
        return !is_needed || complain_about(reader, "misses", key);
    return as_u32(object, value) || complain_about(reader, "not a 32-bit number:", key);
}

static bool read_flag(const struct reader *reader, const msgpack_object *map, const char *key,
                      bool *value)
{
    const msgpack_object *object = find_key(map, key);

    if (object == NULL)
        return true;
    if (object->type != MSGPACK_OBJECT_BOOLEAN)
        return complain_about(reader, "not true or false:", key);
    *value = object->via.boolean;
    return true;
}

static bool read_text(const struct reader *reader, const msgpack_object *map, const char *key,
                      bool is_needed, char **value)
{
    const msgpack_object *object = find_key(map, key);

    if (object == NULL)
        return !is_needed || complain_about(reader, "misses", key);
    if (object->type != MSGPACK_OBJECT_STR || (is_needed && object->via.str.size == 0) ||
        memchr(object->via.str.ptr, '\0', object->via.str.size) != NULL)
        return complain_about(reader, "not a text:", key);
    *value = format_string("%.*s", (int)object->via.str.size, object->via.str.ptr);
    return true;
}

static bool read_sizes(const struct reader *reader, const msgpack_object *map, const char *key,
                       uint32_t sizes[3])
{
    const msgpack_object *object = find_key(map, key);

    if (object == NULL)
        return true;
    if (object->type != MSGPACK_OBJECT_ARRAY || object->via.array.size != 3)
        return complain_about(reader, "not three numbers:", key);
    for (unsigned i = 0; i < 3; i++)
        if (!as_u32(&object->via.array.ptr[i], &sizes[i]))
            return complain_about(reader, "not three numbers:", key);
    return true;
}

/* The kinds by name, and how many bytes the launch writes for each (0: as many as it says). */
static const struct kind_name {
    const char *name;
    enum argument_kind kind;
    uint32_t bytes;
} kind_names[] = {
    {"by_value", ARGUMENT_BY_VALUE, 0},
    {"global_buffer", ARGUMENT_GLOBAL_BUFFER, 8},
    {"dynamic_shared_pointer", ARGUMENT_DYNAMIC_SHARED_POINTER, 4},
    {"sampler", ARGUMENT_SAMPLER, 8},
    {"image", ARGUMENT_IMAGE, 8},
    {"pipe", ARGUMENT_PIPE, 8},
    {"queue", ARGUMENT_QUEUE, 8},
    {"hidden_block_count_x", ARGUMENT_HIDDEN_BLOCK_COUNT_X, 4},
    {"hidden_block_count_y", ARGUMENT_HIDDEN_BLOCK_COUNT_Y, 4},
    {"hidden_block_count_z", ARGUMENT_HIDDEN_BLOCK_COUNT_Z, 4},
    {"hidden_group_size_x", ARGUMENT_HIDDEN_GROUP_SIZE_X, 2},
    {"hidden_group_size_y", ARGUMENT_HIDDEN_GROUP_SIZE_Y, 2},
    {"hidden_group_size_z", ARGUMENT_HIDDEN_GROUP_SIZE_Z, 2},
    {"hidden_remainder_x", ARGUMENT_HIDDEN_REMAINDER_X, 2},
    {"hidden_remainder_y", ARGUMENT_HIDDEN_REMAINDER_Y, 2},
    {"hidden_remainder_z", ARGUMENT_HIDDEN_REMAINDER_Z, 2},
    {"hidden_global_offset_x", ARGUMENT_HIDDEN_GLOBAL_OFFSET_X, 8},
    {"hidden_global_offset_y", ARGUMENT_HIDDEN_GLOBAL_OFFSET_Y, 8},
    {"hidden_global_offset_z", ARGUMENT_HIDDEN_GLOBAL_OFFSET_Z, 8},
    {"hidden_grid_dims", ARGUMENT_HIDDEN_GRID_DIMS, 2},
    {"hidden_private_base", ARGUMENT_HIDDEN_PRIVATE_BASE, 4},
    {"hidden_shared_base", ARGUMENT_HIDDEN_SHARED_BASE, 4},
    {"hidden_dynamic_lds_size", ARGUMENT_HIDDEN_DYNAMIC_LDS_SIZE, 4},
    {"hidden_none", ARGUMENT_HIDDEN_OTHER, 8},
    {"hidden_printf_buffer", ARGUMENT_HIDDEN_PRINTF_BUFFER, 8},
    {"hidden_hostcall_buffer", ARGUMENT_HIDDEN_OTHER, 8},
    {"hidden_default_queue", ARGUMENT_HIDDEN_OTHER, 8},
    {"hidden_completion_action", ARGUMENT_HIDDEN_OTHER, 8},
    {"hidden_multigrid_sync_arg", ARGUMENT_HIDDEN_OTHER, 8},
    {"hidden_heap_v1", ARGUMENT_HIDDEN_OTHER, 8},
    {"hidden_queue_ptr", ARGUMENT_HIDDEN_OTHER, 8},
};

static const struct {
    const char *name;
    enum argument_address_space space;
} space_names[] = {
    {"private", ADDRESS_SPACE_PRIVATE},
    {"global", ADDRESS_SPACE_GLOBAL},
    {"constant", ADDRESS_SPACE_CONSTANT},
    {"local", ADDRESS_SPACE_LOCAL},
};

static bool read_kind(const struct reader *reader, const msgpack_object *map,
                      struct program_argument *argument)
{
    const msgpack_object *kind = find_key(map, ".value_kind");

    if (kind == NULL || kind->type != MSGPACK_OBJECT_STR)
        return metadata_complain(reader, "an argument without .value_kind");
    for (unsigned i = 0; i < ARRAY_COUNT(kind_names); i++) {
        if (!is_text(kind, kind_names[i].name))
            continue;
        argument->kind = kind_names[i].kind;
        return kind_names[i].bytes == 0 || kind_names[i].bytes == argument->bytes ||
               complain_about(reader, "wrong size of an argument of kind", kind_names[i].name);
    }
    return diagnose(reader->diagnosis, "kernel %.200s: argument kind '%.*s' is not supported",
                    reader->kernel, (int)(kind->via.str.size < 60 ? kind->via.str.size : 60),
                    kind->via.str.ptr);
}

static bool read_space(const struct reader *reader, const msgpack_object *map,
                       struct program_argument *argument)
{
    const msgpack_object *space = find_key(map, ".address_space");

    if (space == NULL)
        return true;
    for (unsigned i = 0; i < ARRAY_COUNT(space_names); i++) {
        if (is_text(space, space_names[i].name)) {
            argument->address_space = space_names[i].space;
            return true;
        }
    }
    return metadata_complain(reader, "an argument's address space is not one of OpenCL 1.2");
}

static void read_access(const msgpack_object *map, struct program_argument *argument)
{
    const msgpack_object *access = find_key(map, ".access");

    if (access == NULL)
        return;
    argument->is_read_only = is_text(access, "read_only");
    argument->is_write_only = is_text(access, "write_only");
}

static bool read_argument(const struct reader *reader, const msgpack_object *map,
                          const struct program_kernel *kernel, struct program_argument *argument)
{
    bool is_read = read_u32(reader, map, ".offset", true, &argument->offset) &&
                   read_u32(reader, map, ".size", true, &argument->bytes) &&
                   read_u32(reader, map, ".pointee_align", false, &argument->align) &&
                   read_text(reader, map, ".name", false, &argument->name) &&
                   read_text(reader, map, ".type_name", false, &argument->type_name) &&
                   read_flag(reader, map, ".is_const", &argument->is_const) &&
                   read_flag(reader, map, ".is_restrict", &argument->is_restrict) &&
                   read_flag(reader, map, ".is_volatile", &argument->is_volatile) &&
                   read_kind(reader, map, argument) && read_space(reader, map, argument);

    if (!is_read)
        return false;
    read_access(map, argument);
    if ((uint64_t)argument->offset + argument->bytes > kernel->kernarg_bytes)
        return metadata_complain(reader, "an argument lies outside the argument segment");
    return argument->align == 0 || is_power_of_two(argument->align) ||
           metadata_complain(reader, "an alignment that is not a power of two");
}

static bool read_arguments(const struct reader *reader, const msgpack_object *map,
                           struct program_kernel *kernel)
{
    const msgpack_object *list = find_key(map, ".args");

    if (list == NULL)
        return true;
    if (list->type != MSGPACK_OBJECT_ARRAY)
        return metadata_complain(reader, ".args is not a list");
    kernel->arguments = allocate(list->via.array.size, sizeof *kernel->arguments);
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        struct program_argument *argument = &kernel->arguments[kernel->argument_count++];

        if (!read_argument(reader, &list->via.array.ptr[i], kernel, argument))
            return false;
        if (argument->kind >= ARGUMENT_HIDDEN_BLOCK_COUNT_X)
            continue;
        if (kernel->visible_argument_count++ != i)
            return metadata_complain(reader, "a visible argument after a hidden one");
    }
    return true;
}

static bool read_numbers(const struct reader *reader, const msgpack_object *map,
                         struct program_kernel *kernel)
{
    const struct {
        const char *key;
        bool is_needed;
        uint32_t *value;
    } numbers[] = {
        {".kernarg_segment_size", true, &kernel->kernarg_bytes},
        {".kernarg_segment_align", true, &kernel->kernarg_align},
        {".group_segment_fixed_size", true, &kernel->lds_bytes},
        {".private_segment_fixed_size", true, &kernel->scratch_bytes},
        {".max_flat_workgroup_size", true, &kernel->max_group_size},
        {".sgpr_count", true, &kernel->sgpr_count},
        {".vgpr_count", true, &kernel->vgpr_count},
        {".sgpr_spill_count", false, &kernel->sgpr_spills},
        {".vgpr_spill_count", false, &kernel->vgpr_spills},
    };
    uint32_t lanes = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(numbers); i++)
        if (!read_u32(reader, map, numbers[i].key, numbers[i].is_needed, numbers[i].value))
            return false;
    if (!read_u32(reader, map, ".wavefront_size", true, &lanes))
        return false;
    if (lanes != WAVEFRONT_LANES)
        return diagnose(reader->diagnosis, "kernel %.200s is for wavefronts of %u; this GPU has 64",
                        reader->kernel, lanes);
    if (kernel->kernarg_bytes > KERNARG_BYTES_MAX || !is_power_of_two(kernel->kernarg_align) ||
        kernel->kernarg_align > 4096)
        return metadata_complain(reader, "an impossible argument segment");
    return true;
}

static bool read_kernel(struct reader *reader, const msgpack_object *map, struct program *program,
                        char **symbol)
{
    struct program_kernel *kernel = &program->kernels[program->kernel_count];
    bool has_open_stack = false;

    reader->kernel = NULL;
    if (!read_text(reader, map, ".name", true, &kernel->name))
        return false;
    program->kernel_count++;
    reader->kernel = kernel->name;
    if (program_find_kernel(program, kernel->name) != kernel)
        return metadata_complain(reader, "a second kernel of that name");
    return read_text(reader, map, ".symbol", true, symbol) && read_numbers(reader, map, kernel) &&
           read_sizes(reader, map, ".reqd_workgroup_size", kernel->required_group_size) &&
           read_sizes(reader, map, ".workgroup_size_hint", kernel->hint_group_size) &&
           read_text(reader, map, ".vec_type_hint", false, &kernel->vector_type_hint) &&
           read_flag(reader, map, ".uses_dynamic_stack", &has_open_stack) &&
           read_arguments(reader, map, kernel) &&
           (!has_open_stack ||
            diagnose(reader->diagnosis,
                     "kernel %.200s needs a stack of unknown size (recursion, or calls through "
                     "pointers), which is not supported",
                     kernel->name));
}

static bool read_formats(const struct reader *reader, const msgpack_object *root,
                         struct program *program)
{
    const msgpack_object *list = find_key(root, "amdhsa.printf");

    if (list == NULL)
        return true;
    if (list->type != MSGPACK_OBJECT_ARRAY)
        return metadata_complain(reader, "amdhsa.printf is not a list");
    program->formats = allocate(list->via.array.size, sizeof *program->formats);
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        const msgpack_object *line = &list->via.array.ptr[i];

        if (line->type != MSGPACK_OBJECT_STR ||
            !printf_format_read(line->via.str.ptr, line->via.str.size, &program->formats[i]))
            return metadata_complain(reader, "amdhsa.printf has a line that is no format");
        program->format_count++;
    }
    return true;
}

static bool read_root(struct reader *reader, const msgpack_object *root, struct program *program,
                      char ***symbols)
{
    const msgpack_object *target = find_key(root, "amdhsa.target");
    const msgpack_object *kernels = find_key(root, "amdhsa.kernels");

    if (target != NULL && !is_text(target, "amdgcn-amd-amdhsa--gfx600"))
        return metadata_complain(reader, "amdhsa.target is not gfx600");
    if (kernels == NULL || kernels->type != MSGPACK_OBJECT_ARRAY)
        return metadata_complain(reader, "no list of kernels");
    program->kernels = allocate(kernels->via.array.size, sizeof *program->kernels);
    *symbols = allocate(kernels->via.array.size, sizeof **symbols);
    for (uint32_t i = 0; i < kernels->via.array.size; i++)
        if (!read_kernel(reader, &kernels->via.array.ptr[i], program, &(*symbols)[i]))
            return false;
    reader->kernel = NULL;
    return read_formats(reader, root, program);
}

bool metadata_read(struct program *program, const void *note, size_t note_bytes, char ***symbols,
                   struct diagnosis *diagnosis)
{
    struct reader reader = {.diagnosis = diagnosis};
    msgpack_unpacked unpacked;
    size_t offset = 0;
    bool is_read;

    if (!msgpack_is_plausible(note, note_bytes))
        return metadata_complain(&reader, "not a MessagePack value");
    msgpack_unpacked_init(&unpacked);
    if (msgpack_unpack_next(&unpacked, note, note_bytes, &offset) == MSGPACK_UNPACK_SUCCESS)
        is_read = read_root(&reader, &unpacked.data, program, symbols);
    else
        is_read = metadata_complain(&reader, "not a MessagePack value");
    msgpack_unpacked_destroy(&unpacked);
    return is_read;
}
