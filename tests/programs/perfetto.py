# SPDX-License-Identifier: MIT
"""Reads a timeline by a schema of its own: what of Perfetto's format Wavetank writes (src/report/timeline.h)."""
import struct

EVENT_NOTE = {3: ("number", int), 6: ("text", str), 10: ("name", str)}
TRACK = {1: ("uuid", int), 2: ("name", str), 3: ("process", {1: ("pid", int), 6: ("name", str)}), 5: ("parent", int),
         8: ("counter", {})}
EVENT = {4: ("notes", EVENT_NOTE), 9: ("type", int), 11: ("track", int), 23: ("name", str), 44: ("value", float)}
PACKET = {8: ("ns", int), 10: ("sequence", int), 11: ("event", EVENT), 13: ("flags", int), 60: ("track", TRACK)}
TRACE = {1: ("packets", PACKET)}
LISTS = {"packets", "notes"}
BEGIN, END, COUNTER = 1, 2, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def decode(data, schema):
    """A message as a dictionary. A field that the schema lacks is an error."""
    message, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        name, kind = schema[key >> 3]
        if key & 7 == 0:
            value, at = varint(data, at)
            assert kind is int, name
        elif key & 7 == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
            assert kind is float, name
        else:
            assert key & 7 == 2, name
            length, at = varint(data, at)
            part, at = data[at:at + length], at + length
            assert len(part) == length, name
            value = part.decode() if kind is str else decode(part, kind)
        if name in LISTS:
            message.setdefault(name, []).append(value)
        else:
            assert name not in message, name
            message[name] = value
    return message


class Timeline:
    """tracks: {uuid: description}; slices: {track name: [(begin, end, name, notes)]}; counters: {track name: [(ns, value)]};
    nested: {track name: [(depth, begin, end, name, notes, place of the slice around it or None)]}, in the order of begins."""

    def __init__(self, path):
        with open(path, "rb") as stream:
            packets = decode(stream.read(), TRACE)["packets"]
        self.tracks, self.slices, self.counters, begun = {}, {}, {}, {}
        self.nested, latest = {}, {}
        for packet in packets:
            assert packet["sequence"] == 1
            if "track" in packet:
                self.tracks[packet["track"]["uuid"]] = packet["track"]
                continue
            event = packet["event"]
            track = self.tracks[event["track"]]
            if event["type"] == COUNTER:
                self.counters.setdefault(track["name"], []).append((packet["ns"], event["value"]))
            elif event["type"] == BEGIN:
                stack = begun.setdefault(event["track"], [])
                inside = self.nested.setdefault(track["name"], [])
                stack.append((packet["ns"], event, len(inside)))
                inside.append([len(stack) - 1, packet["ns"], None, event["name"], None, stack[-2][2] if len(stack) > 1 else None])
                assert packet["ns"] >= latest.get(event["track"], 0), "begins go back in time"
                latest[event["track"]] = packet["ns"]
            else:
                ns, start, place = begun[event["track"]].pop()
                notes = {note["name"]: note.get("number", note.get("text")) for note in start.get("notes", [])}
                self.slices.setdefault(track["name"], []).append((ns, packet["ns"], start["name"], notes))
                self.nested[track["name"]][place][2::2] = packet["ns"], notes
        assert not any(begun.values()), "a slice does not end"
