/* SPDX-License-Identifier: MIT */
/*
 * A timeline in Perfetto's format, for ui.perfetto.dev: slices (what began and ended) on tracks,
 * and counters. The functions append packets to a text of bytes; packets one behind the other are a
 * file.
 *
 *     Trace { packet = 1 }
 *     TracePacket { timestamp = 8, trusted_packet_sequence_id = 10, track_event = 11,
 *     sequence_flags = 13,
 *                   track_descriptor = 60 }
 *     TrackDescriptor { uuid = 1, name = 2, process = 3 { pid = 1, process_name = 6 }, parent_uuid
 *     = 5,
 *                       counter = 8 }
 *     TrackEvent { debug_annotations = 4 { uint_value = 3, string_value = 6, name = 10 }, type = 9,
 *                  track_uuid = 11, name = 23, double_counter_value = 44 }
 *
 * Times are nanoseconds. Slices of one track do not overlap but by nesting.
 * Source: Perfetto project, protos/perfetto/trace/ (trace_packet.proto, track_event/),
 * perfetto.dev.
 */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include <stdint.h>

#include "base/text.h"

/* What is said of a slice: a number, or a text where it is not NULL. */
struct timeline_note {
    const char *name, *text;
    uint64_t number;
};

/* Tracks are known by a number of the caller's, from 1. The process comes first. */
void timeline_process(struct text *out, uint64_t track, int32_t process, const char *name);
void timeline_track(struct text *out, uint64_t track, uint64_t parent, const char *name);
void timeline_counter(struct text *out, uint64_t track, uint64_t parent, const char *name);

void timeline_slice(struct text *out, uint64_t track, const char *name, uint64_t begin_ns,
                    uint64_t end_ns, const struct timeline_note *notes, unsigned note_count);
/* The same in two parts, for slices with others inside: what is begun last ends first. */
void timeline_slice_begin(struct text *out, uint64_t track, const char *name, uint64_t ns,
                          const struct timeline_note *notes, unsigned note_count);
void timeline_slice_end(struct text *out, uint64_t track, uint64_t ns);
/* From `ns` on the counter has this value. */
void timeline_value(struct text *out, uint64_t track, uint64_t ns, double value);

#endif
