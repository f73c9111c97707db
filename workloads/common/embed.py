#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns a kernel file into a C header that holds its text: embed.py kernel.cl kernel.h [NAME].

A line `#include "FILE"` is replaced by the file, once, where workloads/common or include/ has it: a program's text needs no
other files, whatever the device."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = (HERE, os.path.join(HERE, "..", "..", "include"))
INCLUDE = re.compile(rb'^#include "([^"]+)"\n', re.MULTILINE)


def find(name):
    for folder in FOLDERS:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    return None


def read(path, seen):
    """The file's text, with what it includes; `seen` collects the paths of what it included."""
    with open(path, "rb") as stream:
        text = stream.read()

    def replacement(match):
        included = find(match.group(1).decode())
        if included is None or included in seen:
            return b"" if included else match.group(0)
        seen.append(included)
        return read(included, seen)

    return INCLUDE.sub(replacement, text)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: embed.py INPUT OUTPUT [NAME]")
    name = sys.argv[3] if len(sys.argv) == 4 else "kernel_source"
    seen = []
    text = read(sys.argv[1], seen)
    rows = [text[i : i + 20] for i in range(0, len(text), 20)]
    with open(sys.argv[2], "w", encoding="ascii") as stream:
        stream.write("/* SPDX-License-Identifier: MIT */\n")
        stream.write("static const char %s[] = {\n" % name)
        for row in rows:
            stream.write("    " + ", ".join(str(byte) for byte in row) + ",\n")
        stream.write("    0};\n")
    # For Ninja: what else the header depends on.
    with open(sys.argv[2] + ".d", "w", encoding="utf-8") as stream:
        stream.write("%s: %s\n" % (sys.argv[2], " ".join(seen)))


main()
