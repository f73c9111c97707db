/* SPDX-License-Identifier: MIT */
#include "opencl/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "machine/parameters.h"
#include "report/timeline.h"

enum { DEFAULT_CYCLES = 1000 };

/* Tracks: queues follow the launches, counters have numbers of their own. */
enum {
    TRACK_PROCESS = 1,
    TRACK_LAUNCHES = 2,
    TRACK_QUEUES = 3,
    TRACK_COUNTERS = 1 << 20,
    TRACK_DETAIL = 1 << 21,
    UNIT_TRACKS = 1 << 16, /* of each compute unit, first its wavefront slots */
    ACCESS_TRACKS = 1 << 10
};

static struct {
    bool is_on;
    uint32_t counters; /* that have a track */
    unsigned queues;   /* that have a track */
    uint64_t *details; /* tracks of chosen parts that were made */
    uint32_t detail_count;
    struct text packets;
    uint64_t launch;     /* of the latest sample, from 1 */
    uint64_t sampled_ns; /* its end */
} timeline;

char *timeline_samples(const struct configuration *configuration)
{
    struct text text = {0};
    char *result;

    text_add(
        &text,
        "%d:cu.occupancy,kernel.ipc,l1.hit_ratio,l2.hit_ratio,crossbar.bandwidth,dram.bandwidth",
        DEFAULT_CYCLES);
    for (uint64_t i = 0; i < configuration->parameters->gpu.compute_units; i++)
        text_add(&text, ",cu%llu.wavefronts.sum", (unsigned long long)i);
    result = copy_string(text_chars(&text));
    text_finish(&text);
    return result;
}

void timeline_begin(const char *name)
{
    timeline.is_on = true;
    timeline_process(&timeline.packets, TRACK_PROCESS, (int32_t)getpid(), name);
    timeline_track(&timeline.packets, TRACK_LAUNCHES, TRACK_PROCESS, "launches");
}

static const char *command_name(cl_command_type type)
{
    static const struct {
        cl_command_type type;
        const char *name;
    } names[] = {{CL_COMMAND_NDRANGE_KERNEL, "kernel"},
                 {CL_COMMAND_TASK, "kernel"},
                 {CL_COMMAND_READ_BUFFER, "read"},
                 {CL_COMMAND_READ_BUFFER_RECT, "read rectangle"},
                 {CL_COMMAND_WRITE_BUFFER, "write"},
                 {CL_COMMAND_WRITE_BUFFER_RECT, "write rectangle"},
                 {CL_COMMAND_COPY_BUFFER, "copy"},
                 {CL_COMMAND_COPY_BUFFER_RECT, "copy rectangle"},
                 {CL_COMMAND_FILL_BUFFER, "fill"},
                 {CL_COMMAND_READ_IMAGE, "read image"},
                 {CL_COMMAND_WRITE_IMAGE, "write image"},
                 {CL_COMMAND_COPY_IMAGE, "copy image"},
                 {CL_COMMAND_COPY_IMAGE_TO_BUFFER, "copy image to buffer"},
                 {CL_COMMAND_COPY_BUFFER_TO_IMAGE, "copy buffer to image"},
                 {CL_COMMAND_FILL_IMAGE, "fill image"},
                 {CL_COMMAND_MAP_IMAGE, "map image"},
                 {CL_COMMAND_MAP_BUFFER, "map"},
                 {CL_COMMAND_UNMAP_MEM_OBJECT, "unmap"},
                 {CL_COMMAND_MIGRATE_MEM_OBJECTS, "migrate"},
                 {CL_COMMAND_SVM_MEMCPY, "copy (SVM)"},
                 {CL_COMMAND_SVM_MEMFILL, "fill (SVM)"},
                 {CL_COMMAND_SVM_MAP, "map (SVM)"},
                 {CL_COMMAND_SVM_UNMAP, "unmap (SVM)"},
                 {CL_COMMAND_SVM_MIGRATE_MEM, "migrate (SVM)"},
                 {CL_COMMAND_SVM_FREE, "free (SVM)"},
                 {CL_COMMAND_BARRIER, "barrier"},
                 {CL_COMMAND_MARKER, "marker"}};

    for (unsigned i = 0; i < ARRAY_COUNT(names); i++)
        if (names[i].type == type)
            return names[i].name;
    return "command";
}

/* Queues get their tracks when they have a command. */
static uint64_t queue_track(unsigned queue)
{
    for (; timeline.queues < queue; timeline.queues++) {
        char *name = format_string("queue %u", timeline.queues + 1);

        timeline_track(&timeline.packets, TRACK_QUEUES + timeline.queues, TRACK_PROCESS, name);
        free(name);
    }
    return TRACK_QUEUES + queue - 1;
}

void timeline_command(const struct _cl_event *event, unsigned queue)
{
    struct timeline_note notes[] = {{.name = "queued_ns", .number = event->queued_ns},
                                    {.name = "submitted_ns", .number = event->submitted_ns},
                                    {.name = "failed", .text = "yes"}};

    if (!timeline.is_on)
        return;
    timeline_slice(&timeline.packets, queue_track(queue), command_name(event->type),
                   event->started_ns, event->ended_ns, notes,
                   ARRAY_COUNT(notes) - (event->status >= 0));
}

/* Counters say nothing between launches. */
static void end_counters(uint64_t ns)
{
    for (uint64_t i = 0; i < timeline.counters; i++)
        timeline_value(&timeline.packets, TRACK_COUNTERS + i, ns, 0);
}

void timeline_launch(const struct machine_kernel_record *record)
{
    const struct machine_launch_result *result = &record->result;
    struct timeline_note notes[] = {
        {.name = "cycles", .number = result->cycles},
        {.name = "instructions", .number = result->instructions},
        {.name = "work-groups", .number = result->groups_done},
        {.name = "vector registers", .number = record->vector_registers},
        {.name = "local memory, bytes", .number = record->lds_bytes}};

    if (!timeline.is_on || result->is_untimed)
        return;
    timeline_slice(&timeline.packets, TRACK_LAUNCHES, record->name, result->start_ns,
                   result->end_ns, notes, ARRAY_COUNT(notes));
    end_counters(result->end_ns);
}

/* A track of a compute unit, which is made when it is first written to. */
static uint64_t detail_track(const struct machine_slice *slice)
{
    uint64_t track = TRACK_DETAIL + (uint64_t)slice->unit * UNIT_TRACKS + slice->track +
                     (slice->is_access ? ACCESS_TRACKS : 0);
    char *name;

    for (uint32_t i = timeline.detail_count; i > 0; i--)
        if (timeline.details[i - 1] == track)
            return track;
    timeline.details =
        reallocate(timeline.details, timeline.detail_count + 1, sizeof *timeline.details);
    timeline.details[timeline.detail_count++] = track;
    name = format_string("CU %u %s %u", slice->unit, slice->is_access ? "access" : "slot",
                         slice->track);
    timeline_track(&timeline.packets, track, TRACK_PROCESS, name);
    free(name);
    return track;
}

void timeline_detail(const struct machine_slice *slice)
{
    struct timeline_note notes[5] = {{.name = "cycles", .number = slice->cycles}};
    unsigned count = 1;
    uint64_t track;

    if (!timeline.is_on)
        return;
    track = detail_track(slice);
    if (slice->ends) {
        timeline_slice_end(&timeline.packets, track, slice->ns);
        return;
    }
    if (slice->detail != NULL)
        notes[count++] = (struct timeline_note){.name = slice->is_access ? "of" : "source",
                                                .text = slice->detail};
    if (slice->address != 0) {
        notes[count++] = (struct timeline_note){.name = "address", .number = slice->address};
        notes[count++] = (struct timeline_note){.name = "bytes", .number = slice->bytes};
    }
    if (slice->is_last_answer)
        notes[count++] = (struct timeline_note){.name = "last", .text = "yes"};
    timeline_slice_begin(&timeline.packets, track, slice->name, slice->ns, notes, count);
}

static void add_counters(const struct samples *samples)
{
    for (uint32_t i = 0; i < samples->request->name_count; i++) {
        bool is_rate = metric_find(samples->request->names[i]) == NULL;
        char *name = format_string("%s%s", samples->request->names[i], is_rate ? " a cycle" : "");

        timeline_counter(&timeline.packets, TRACK_COUNTERS + i, TRACK_PROCESS, name);
        free(name);
    }
    timeline.counters = samples->request->name_count;
}

void timeline_sample(const struct samples *samples, uint64_t end_ns, uint64_t core_khz)
{
    const struct sample_interval *interval = &samples->intervals[samples->interval_count - 1];
    uint32_t count = samples->request->name_count;
    const double *values = samples->values + (samples->interval_count - 1) * count;
    uint64_t begin_ns = timeline.sampled_ns;

    if (!timeline.is_on || interval->cycles == 0)
        return;
    if (timeline.counters == 0)
        add_counters(samples);
    if (interval->launch != timeline.launch)
        begin_ns = end_ns - (uint64_t)((double)interval->cycles * 1e6 / (double)core_khz);
    timeline.launch = interval->launch;
    timeline.sampled_ns = end_ns;
    for (uint32_t i = 0; i < count; i++) {
        bool is_rate = metric_find(samples->request->names[i]) == NULL;
        double scale = is_rate ? 1 / (double)interval->cycles : 1;

        timeline_value(&timeline.packets, TRACK_COUNTERS + i, begin_ns,
                       isnan(values[i]) ? 0 : values[i] * scale);
    }
}

bool timeline_flush(FILE *stream)
{
    bool is_good;

    if (timeline.packets.length == 0)
        return true;
    is_good = fwrite(timeline.packets.chars, timeline.packets.length, 1, stream) == 1 &&
              fflush(stream) == 0;
    text_finish(&timeline.packets);
    return is_good;
}
