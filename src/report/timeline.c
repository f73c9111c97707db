/* SPDX-License-Identifier: MIT */
#include "report/timeline.h"

#include <stdbool.h>
#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };
enum event_type { EVENT_SLICE_BEGIN = 1, EVENT_SLICE_END = 2, EVENT_COUNTER = 4 };
enum { SEQUENCE = 1, STATE_CLEARED = 1 };

static void add_varint(struct text *out, uint64_t value)
{
    unsigned char bytes[10];
    unsigned count = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (unsigned char)(value | 0x80);
    bytes[count++] = (unsigned char)value;
    text_add_bytes(out, bytes, count);
}

static void add_key(struct text *out, unsigned field, enum wire wire)
{
    add_varint(out, (uint64_t)field << 3 | wire);
}

static void add_number(struct text *out, unsigned field, uint64_t value)
{
    add_key(out, field, WIRE_VARINT);
    add_varint(out, value);
}

static void add_string(struct text *out, unsigned field, const char *string)
{
    size_t length = strlen(string);

    add_key(out, field, WIRE_BYTES);
    add_varint(out, length);
    text_add_bytes(out, string, length);
}

static void add_double(struct text *out, unsigned field, double value)
{
    uint64_t bits;
    unsigned char bytes[8];

    memcpy(&bits, &value, sizeof bits);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    add_key(out, field, WIRE_FIXED64);
    text_add_bytes(out, bytes, sizeof bytes);
}

/* A message inside another: it is empty afterwards. */
static void add_message(struct text *out, unsigned field, struct text *message)
{
    add_key(out, field, WIRE_BYTES);
    add_varint(out, message->length);
    text_add_bytes(out, text_chars(message), message->length);
    text_finish(message);
}

static void add_packet(struct text *out, struct text *packet)
{
    add_number(packet, 10, SEQUENCE);
    add_message(out, 1, packet);
}

static void add_descriptor(struct text *out, struct text *descriptor, bool is_first)
{
    struct text packet = {0};

    if (is_first)
        add_number(&packet, 13, STATE_CLEARED);
    add_message(&packet, 60, descriptor);
    add_packet(out, &packet);
}

void timeline_process(struct text *out, uint64_t track, int32_t process, const char *name)
{
    struct text descriptor = {0}, process_message = {0};

    add_number(&descriptor, 1, track);
    add_number(&process_message, 1, (uint64_t)process);
    add_string(&process_message, 6, name);
    add_message(&descriptor, 3, &process_message);
    add_descriptor(out, &descriptor, true);
}

void timeline_track(struct text *out, uint64_t track, uint64_t parent, const char *name)
{
    struct text descriptor = {0};

    add_number(&descriptor, 1, track);
    add_string(&descriptor, 2, name);
    add_number(&descriptor, 5, parent);
    add_descriptor(out, &descriptor, false);
}

void timeline_counter(struct text *out, uint64_t track, uint64_t parent, const char *name)
{
    struct text descriptor = {0}, counter = {0};

    add_number(&descriptor, 1, track);
    add_string(&descriptor, 2, name);
    add_number(&descriptor, 5, parent);
    add_message(&descriptor, 8, &counter);
    add_descriptor(out, &descriptor, false);
}

static void add_event(struct text *out, uint64_t ns, struct text *event)
{
    struct text packet = {0};

    add_number(&packet, 8, ns);
    add_message(&packet, 11, event);
    add_packet(out, &packet);
}

static void add_note(struct text *event, const struct timeline_note *note)
{
    struct text annotation = {0};

    add_string(&annotation, 10, note->name);
    if (note->text != NULL)
        add_string(&annotation, 6, note->text);
    else
        add_number(&annotation, 3, note->number);
    add_message(event, 4, &annotation);
}

void timeline_slice_begin(struct text *out, uint64_t track, const char *name, uint64_t ns,
                          const struct timeline_note *notes, unsigned note_count)
{
    struct text event = {0};

    add_number(&event, 9, EVENT_SLICE_BEGIN);
    add_number(&event, 11, track);
    add_string(&event, 23, name);
    for (unsigned i = 0; i < note_count; i++)
        add_note(&event, &notes[i]);
    add_event(out, ns, &event);
}

void timeline_slice_end(struct text *out, uint64_t track, uint64_t ns)
{
    struct text event = {0};

    add_number(&event, 9, EVENT_SLICE_END);
    add_number(&event, 11, track);
    add_event(out, ns, &event);
}

void timeline_slice(struct text *out, uint64_t track, const char *name, uint64_t begin_ns,
                    uint64_t end_ns, const struct timeline_note *notes, unsigned note_count)
{
    timeline_slice_begin(out, track, name, begin_ns, notes, note_count);
    timeline_slice_end(out, track, end_ns);
}

void timeline_value(struct text *out, uint64_t track, uint64_t ns, double value)
{
    struct text event = {0};

    add_number(&event, 9, EVENT_COUNTER);
    add_number(&event, 11, track);
    add_double(&event, 44, value);
    add_event(out, ns, &event);
}
