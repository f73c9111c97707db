#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that need each other in a circle, from what object files define and want. Usage: circles.py LIBRARY...

Prints each circle; status 1 if there is one. Calls through pointers in structs of functions are no circles: nm does not see them.
"""
import re
import subprocess
import sys


def needs(listing):
    """Which object needs which others, from what `nm -A -P` printed of a library."""
    defined, wanted = {}, {}
    for line in listing.splitlines():
        match = re.match(r".*\[(.*)\]: (\S+) (\S)", line)
        if not match:
            continue
        name, symbol, kind = match.groups()
        wanted.setdefault(name, set())
        if kind == "U":
            wanted[name].add(symbol)
        elif kind in "TDRBG":
            defined[symbol] = name
    return {name: {defined[symbol] for symbol in symbols if symbol in defined} - {name}
            for name, symbols in wanted.items()}


def reachable(graph, start):
    found, left = set(), [start]
    while left:
        for name in graph[left.pop()] - found:
            found.add(name)
            left.append(name)
    return found


def circles(graph):
    """Sets of objects each of which needs all others, directly or not."""
    reach = {name: reachable(graph, name) for name in graph}
    groups = {frozenset(other for other in reach[name] if name in reach[other]) for name in graph if name in reach[name]}
    return sorted(sorted(group) for group in groups)


def main():
    status = 0
    for library in sys.argv[1:]:
        listing = subprocess.run(["nm", "-A", "-P", library], check=True, capture_output=True, text=True).stdout
        graph = needs(listing)
        if not graph:
            print("%s: no objects" % library)
            status = 1
        for circle in circles(graph):
            print("%s: files in a circle: %s" % (library, ", ".join(name.rsplit("/", 1)[-1] for name in circle)))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
