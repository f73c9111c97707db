/* SPDX-License-Identifier: MIT */
#include "isa/gcn/gcn.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"

/* The parts of amdhsa::kernel_descriptor_t that a gfx6 kernel needs. */
enum descriptor_offset {
    DESCRIPTOR_LDS_BYTES = 0,
    DESCRIPTOR_SCRATCH_BYTES = 4,
    DESCRIPTOR_KERNARG_BYTES = 8,
    DESCRIPTOR_RESOURCES_1 = 48,
    DESCRIPTOR_RESOURCES_2 = 52,
    DESCRIPTOR_PROPERTIES = 56,
    DESCRIPTOR_PRELOAD = 58
};

/* kernel_code_properties: which user SGPRs the kernel wants, in this order. */
enum user_register {
    USER_SCRATCH_BUFFER = 1u << 0,
    USER_DISPATCH_POINTER = 1u << 1,
    USER_QUEUE_POINTER = 1u << 2,
    USER_KERNARG_POINTER = 1u << 3,
    USER_DISPATCH_ID = 1u << 4,
    USER_FLAT_SCRATCH = 1u << 5,
    USER_SCRATCH_BYTES = 1u << 6,
    PROPERTY_WAVEFRONT_32 = 1u << 10
};

/* compute_pgm_rsrc2. */
enum system_register {
    SYSTEM_SCRATCH_OFFSET = 1u << 0,
    SYSTEM_GROUP_ID_X = 1u << 7,
    SYSTEM_GROUP_ID_Y = 1u << 8,
    SYSTEM_GROUP_ID_Z = 1u << 9,
    SYSTEM_GROUP_INFO = 1u << 10
};

static uint32_t load_32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t field_of(const struct isa_kernel *kernel, enum descriptor_offset offset)
{
    return load_32(kernel->descriptor + offset);
}

static uint32_t properties_of(const struct isa_kernel *kernel)
{
    return kernel->descriptor[DESCRIPTOR_PROPERTIES] |
           (uint32_t)kernel->descriptor[DESCRIPTOR_PROPERTIES + 1] << 8;
}

static bool refuse_properties(const struct isa_kernel *kernel, struct diagnosis *diagnosis)
{
    if ((properties_of(kernel) & PROPERTY_WAVEFRONT_32) != 0)
        return diagnose(diagnosis, "the kernel is built for wavefronts of 32 lanes; Southern "
                                   "Islands has 64");
    if (kernel->descriptor[DESCRIPTOR_PRELOAD] != 0 ||
        kernel->descriptor[DESCRIPTOR_PRELOAD + 1] != 0)
        return diagnose(diagnosis, "the kernel wants its arguments preloaded into registers, "
                                   "which Southern Islands does not do");
    return true;
}

bool gcn_kernel_init(struct isa_kernel *kernel, const struct isa_code *code,
                     const uint8_t descriptor[64], uint64_t entry, struct diagnosis *diagnosis)
{
    uint32_t resources;

    memset(kernel, 0, sizeof *kernel);
    memcpy(kernel->descriptor, descriptor, sizeof kernel->descriptor);
    kernel->code = code;
    kernel->entry = entry;
    resources = field_of(kernel, DESCRIPTOR_RESOURCES_1);
    kernel->vector_registers = ((resources & 63) + 1) * 4;
    kernel->scalar_registers = ((resources >> 6 & 15) + 1) * 8;
    kernel->lds_bytes = field_of(kernel, DESCRIPTOR_LDS_BYTES);
    kernel->scratch_bytes = field_of(kernel, DESCRIPTOR_SCRATCH_BYTES);
    kernel->kernarg_bytes = field_of(kernel, DESCRIPTOR_KERNARG_BYTES);
    if (isa_code_at(code, entry) == NULL)
        return diagnose(diagnosis, "the kernel's entry point lies outside its code");
    return refuse_properties(kernel, diagnosis);
}

/* The backing of one wavefront: the lanes' dwords interleaved, in the granule of the hardware's
 * scratch sizes (256 dwords). Wavefronts of fewer lanes have the same layout, which is the
 * compiler's. */
uint64_t gcn_scratch_slot_bytes(const struct isa_launch *launch)
{
    return align_up((uint64_t)launch->scratch_bytes * GCN_LANES, 1024);
}

/* The private-segment buffer descriptor:
 *
 *     word 0  base 31:0
 *     word 1  base 47:32, stride 0, swizzle enable (bit 31)
 *     word 2  bytes (of the wavefront's backing: the kernel adds the wavefront's offset to the
 * base) word 3  data format 32 | element of 4 bytes (19) | index stride of 64 (21) | add lane
 * number (23)
 */
static void scratch_descriptor(const struct isa_launch *launch, uint32_t *words)
{
    words[0] = (uint32_t)launch->scratch_address;
    words[1] = (uint32_t)(launch->scratch_address >> 32 & 0xffff) | 1u << 31;
    words[2] = (uint32_t)gcn_scratch_slot_bytes(launch);
    words[3] = 7u << 12 | 4u << 15 | 1u << 19 | 3u << 21 | 1u << 23;
}

/* Appends registers in the ABI's order. */
struct filler {
    struct gcn_wave *wave;
    unsigned next;
};

static void registers_fill(struct filler *filler, uint32_t value)
{
    check(filler->next < GCN_SCALAR_REGISTERS, "a kernel descriptor asks for %u initial SGPRs",
          filler->next + 1);
    filler->wave->scalar[filler->next++] = value;
}

static void fill_pair(struct filler *filler, uint64_t value)
{
    registers_fill(filler, (uint32_t)value);
    registers_fill(filler, (uint32_t)(value >> 32));
}

static void fill_user_registers(struct filler *filler, const struct isa_launch *launch)
{
    uint32_t properties = properties_of(launch->kernel);
    uint32_t words[4];

    if ((properties & USER_SCRATCH_BUFFER) != 0) {
        scratch_descriptor(launch, words);
        for (unsigned i = 0; i < 4; i++)
            registers_fill(filler, words[i]);
    }
    if ((properties & USER_DISPATCH_POINTER) != 0)
        fill_pair(filler, launch->dispatch_address);
    if ((properties & USER_QUEUE_POINTER) != 0)
        fill_pair(filler, launch->queue_address);
    if ((properties & USER_KERNARG_POINTER) != 0)
        fill_pair(filler, launch->kernarg_address);
    if ((properties & USER_DISPATCH_ID) != 0)
        fill_pair(filler, launch->dispatch_id);
    if ((properties & USER_FLAT_SCRATCH) != 0)
        fill_pair(filler, (uint64_t)launch->scratch_bytes << 32);
    if ((properties & USER_SCRATCH_BYTES) != 0)
        registers_fill(filler, launch->scratch_bytes);
}

static void fill_system_registers(struct filler *filler, const struct isa_launch *launch,
                                  const struct isa_group *group, uint32_t index,
                                  uint32_t slot_index)
{
    uint32_t resources = field_of(launch->kernel, DESCRIPTOR_RESOURCES_2);

    if ((resources & SYSTEM_GROUP_ID_X) != 0)
        registers_fill(filler, group->id[0]);
    if ((resources & SYSTEM_GROUP_ID_Y) != 0)
        registers_fill(filler, group->id[1]);
    if ((resources & SYSTEM_GROUP_ID_Z) != 0)
        registers_fill(filler, group->id[2]);
    if ((resources & SYSTEM_GROUP_INFO) != 0)
        registers_fill(filler, (uint32_t)(index == 0) << 31 | (group->wave_count & 63));
    if ((resources & SYSTEM_SCRATCH_OFFSET) != 0)
        registers_fill(filler, (uint32_t)(slot_index * gcn_scratch_slot_bytes(launch)));
}

/* The work-group's extent: the last one of a dimension may be cut by the end of the NDRange. Its
 * work-items are numbered without gaps, as the hardware does for partial work-groups. */
static void group_extent(const struct isa_launch *launch, const struct isa_group *group,
                         uint32_t extent[3])
{
    for (unsigned d = 0; d < 3; d++) {
        uint64_t first = (uint64_t)group->id[d] * launch->group_size[d];
        uint64_t left = launch->global_size[d] > first ? launch->global_size[d] - first : 0;

        extent[d] = left < launch->group_size[d] ? (uint32_t)left : launch->group_size[d];
    }
}

/* v0, v1, v2: the work-item's coordinates in its group. The result is EXEC. */
static uint64_t fill_work_items(struct gcn_wave *wave, const uint32_t extent[3], uint32_t index,
                                uint32_t lanes)
{
    uint64_t items = (uint64_t)extent[0] * extent[1] * extent[2];
    uint64_t exec = 0;

    for (unsigned lane = 0; lane < lanes; lane++) {
        uint64_t item = (uint64_t)index * lanes + lane;

        if (item >= items)
            break;
        exec |= UINT64_C(1) << lane;
        wave->vector[0][lane] = (uint32_t)(item % extent[0]);
        wave->vector[1][lane] = (uint32_t)(item / extent[0] % extent[1]);
        wave->vector[2][lane] = (uint32_t)(item / extent[0] / extent[1]);
    }
    return exec;
}

void gcn_wave_init(struct isa_wave *base, const struct isa_launch *launch,
                   const struct isa_group *group, uint32_t index, uint32_t slot_index)
{
    struct gcn_wave *wave = gcn_wave_of(base);
    const struct isa_kernel *kernel = launch->kernel;
    uint32_t resources = field_of(kernel, DESCRIPTOR_RESOURCES_1);
    struct filler filler = {wave, 0};
    unsigned char *lds = base->lds;
    uint32_t lds_bytes = base->lds_bytes;
    uint32_t lanes = launch->wave_lanes != 0 ? launch->wave_lanes : GCN_LANES;
    uint32_t extent[3];
    uint64_t exec;

    memset(wave, 0, offsetof(struct gcn_wave, vector));
    memset(wave->vector, 0, kernel->vector_registers * sizeof wave->vector[0]);
    base->pc = kernel->entry;
    base->launch = launch;
    base->lds = lds;
    base->lds_bytes = lds_bytes;
    group_extent(launch, group, extent);
    exec = fill_work_items(wave, extent, index, lanes);
    wave->left = ~low_mask(lanes);
    fill_user_registers(&filler, launch);
    fill_system_registers(&filler, launch, group, index, slot_index);
    gcn_write_scalar_pair(wave, GCN_EXEC, exec);
    gcn_set_mode(wave, (resources >> 12 & 0xff) | (resources >> 21 & 1) << 8 |
                           (resources >> 23 & 1) << 9);
    base->ended = exec == 0;
}

void gcn_set_mode(struct gcn_wave *wave, uint32_t mode)
{
    wave->mode = mode;
    wave->source_keep_32 = (mode & GCN_MODE_SOURCE_DENORMALS_32) != 0 ? UINT32_MAX : 1u << 31;
    wave->result_keep_32 = (mode & GCN_MODE_RESULT_DENORMALS_32) != 0 ? UINT32_MAX : 1u << 31;
    wave->source_keep_64 =
        (mode & GCN_MODE_SOURCE_DENORMALS_64) != 0 ? UINT64_MAX : UINT64_C(1) << 63;
    wave->result_keep_64 =
        (mode & GCN_MODE_RESULT_DENORMALS_64) != 0 ? UINT64_MAX : UINT64_C(1) << 63;
}
