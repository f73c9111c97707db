#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns a kernel file into a C header that holds its text: embed.py kernel.cl kernel.h [NAME]."""
import sys


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: embed.py INPUT OUTPUT [NAME]")
    name = sys.argv[3] if len(sys.argv) == 4 else "kernel_source"
    with open(sys.argv[1], "rb") as stream:
        text = stream.read()
    rows = [text[i : i + 20] for i in range(0, len(text), 20)]
    with open(sys.argv[2], "w", encoding="ascii") as stream:
        stream.write("/* SPDX-License-Identifier: MIT */\n")
        stream.write("static const char %s[] = {\n" % name)
        for row in rows:
            stream.write("    " + ", ".join(str(byte) for byte in row) + ",\n")
        stream.write("    0};\n")


main()
