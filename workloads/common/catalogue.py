#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the list of workloads, a line each with name and summary: catalogue.py OUTPUT HOST.C..."""
import re
import sys


def entry(path):
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    name = re.search(r'\.name = "([^"]*)"', text)
    summary = re.search(r'\.summary = ((?:"[^"]*"\s*)+),', text)
    if not name or not summary:
        sys.exit("%s: no .name or no .summary" % path)
    return "%s\t%s\n" % (name.group(1), "".join(re.findall(r'"([^"]*)"', summary.group(1))))


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: catalogue.py OUTPUT HOST.C...")
    with open(sys.argv[1], "w", encoding="utf-8") as stream:
        stream.writelines(entry(path) for path in sys.argv[2:])


main()
