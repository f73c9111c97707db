/* SPDX-License-Identifier: MIT */
/* One command is one transfer: its rows are moved untimed, and the whole is charged once. */
#include "opencl/rectangle.h"

#include <stdlib.h>

#include "base/bits.h"
#include "opencl/host_pointer.h"

struct rectangle {
    struct command command;
    struct rectangle_move move; /* its memories are used; its wait list has been copied */
};

static struct rectangle *rectangle_of(struct command *command)
{
    return container_of(command, struct rectangle, command);
}

size_t box_offset(const struct box *box, size_t row, size_t slice)
{
    return box->origin[0] + (box->origin[1] + row) * box->row_pitch +
           (box->origin[2] + slice) * box->slice_pitch;
}

/* sum += (origin + extent) * pitch; false when it does not fit. */
static bool add_extent(size_t *sum, size_t origin, size_t extent, size_t pitch)
{
    size_t steps, bytes;

    return !__builtin_add_overflow(origin, extent, &steps) &&
           !__builtin_mul_overflow(steps, pitch, &bytes) &&
           !__builtin_add_overflow(*sum, bytes, sum);
}

bool box_fits(const struct box *box, const size_t region[3], size_t bytes)
{
    size_t end = 0;

    return add_extent(&end, box->origin[2], region[2] - 1, box->slice_pitch) &&
           add_extent(&end, box->origin[1], region[1] - 1, box->row_pitch) &&
           add_extent(&end, box->origin[0], region[0], 1) && end <= bytes;
}

/* Rows start at multiples of the pitch from each other, so for each difference of slices only the
 * two nearest differences of rows can meet. */
bool boxes_overlap(int64_t distance, const size_t region[3], const struct box *box)
{
    int64_t width = (int64_t)region[0], rows = (int64_t)region[1], slices = (int64_t)region[2];
    int64_t row_pitch = (int64_t)box->row_pitch, slice_pitch = (int64_t)box->slice_pitch;

    for (int64_t slice = 1 - slices; slice < slices; slice++) {
        int64_t left = distance - slice * slice_pitch;
        int64_t nearest = left / row_pitch;

        for (int64_t row = nearest - 1; row <= nearest + 1; row++)
            if (row > -rows && row < rows && left - row * row_pitch < width &&
                left - row * row_pitch > -width)
                return true;
    }
    return false;
}

/* From the first byte of a box to its last. */
static size_t box_span(const struct box *box, const size_t region[3])
{
    return box_offset(box, region[1] - 1, region[2] - 1) + region[0] - box_offset(box, 0, 0);
}

/* A box in host memory. */
static void settle_box(const unsigned char *pointer, const struct box *box, const size_t region[3])
{
    host_pointer_settle(pointer + box_offset(box, 0, 0), box_span(box, region));
}

static void refresh_box(cl_mem memory, const struct box *box, const size_t region[3])
{
    host_pointer_refresh(memory, box_offset(box, 0, 0), box_span(box, region));
}

static uint64_t region_bytes(const size_t region[3])
{
    return (uint64_t)region[0] * region[1] * region[2];
}

static void rectangle_finish(struct command *command)
{
    struct rectangle *rectangle = rectangle_of(command);

    object_drop(&rectangle->move.memory->object);
    if (rectangle->move.source != NULL)
        object_drop(&rectangle->move.source->object);
}

static cl_int run_read(struct command *command)
{
    struct rectangle_move *m = &rectangle_of(command)->move;
    struct machine *machine = session_machine();

    settle_box(m->target_pointer, &m->other, m->region);
    refresh_box(m->memory, &m->box, m->region);
    for (size_t slice = 0; slice < m->region[2]; slice++)
        for (size_t row = 0; row < m->region[1]; row++)
            machine_read(machine, m->memory->addr + box_offset(&m->box, row, slice),
                         m->target_pointer + box_offset(&m->other, row, slice), m->region[0],
                         TRANSFER_UNTIMED);
    machine_charge_transfer(machine, region_bytes(m->region),
                            host_memory_transfer(m->target_pointer, 1));
    return CL_SUCCESS;
}

static cl_int run_write(struct command *command)
{
    struct rectangle_move *m = &rectangle_of(command)->move;
    struct machine *machine = session_machine();

    settle_box(m->source_pointer, &m->other, m->region);
    refresh_box(m->memory, &m->box, m->region);
    for (size_t slice = 0; slice < m->region[2]; slice++)
        for (size_t row = 0; row < m->region[1]; row++)
            machine_write(machine, m->memory->addr + box_offset(&m->box, row, slice),
                          m->source_pointer + box_offset(&m->other, row, slice), m->region[0],
                          TRANSFER_UNTIMED);
    machine_charge_transfer(machine, region_bytes(m->region),
                            host_memory_transfer(m->source_pointer, 1));
    host_pointer_written(m->memory, box_offset(&m->box, 0, 0), box_span(&m->box, m->region));
    return CL_SUCCESS;
}

static cl_int run_copy(struct command *command)
{
    struct rectangle_move *m = &rectangle_of(command)->move;
    struct machine *machine = session_machine();
    unsigned char *bytes = allocate(m->region[0], 1);

    refresh_box(m->source, &m->other, m->region);
    refresh_box(m->memory, &m->box, m->region);
    for (size_t slice = 0; slice < m->region[2]; slice++)
        for (size_t row = 0; row < m->region[1]; row++) {
            machine_read(machine, m->source->addr + box_offset(&m->other, row, slice), bytes,
                         m->region[0], TRANSFER_UNTIMED);
            machine_write(machine, m->memory->addr + box_offset(&m->box, row, slice), bytes,
                          m->region[0], TRANSFER_UNTIMED);
        }
    free(bytes);
    host_pointer_written(m->memory, box_offset(&m->box, 0, 0), box_span(&m->box, m->region));
    machine_charge_transfer(machine, 2 * region_bytes(m->region), TRANSFER_ON_DEVICE);
    return CL_SUCCESS;
}

cl_int rectangle_submit(cl_command_queue queue, const struct rectangle_move *move, bool is_blocking,
                        cl_event *event)
{
    struct rectangle *rectangle = command_create(sizeof *rectangle, queue, move->type, move->waits);

    rectangle->move = *move;
    object_use(&move->memory->object);
    if (move->source != NULL)
        object_use(&move->source->object);
    rectangle->command.run = move->source != NULL           ? run_copy
                             : move->target_pointer != NULL ? run_read
                                                            : run_write;
    rectangle->command.finish = rectangle_finish;
    return command_submit(&rectangle->command, is_blocking, event);
}
