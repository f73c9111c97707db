#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether C files are as clang-format writes them, and their lines fit. Usage: format.py ROOT; prints what is not, status 1.

FOLDERS are those that are; a folder that is not yet goes in when it has been formatted.
"""
import os
import subprocess
import sys

FOLDERS = ["src", "libgpuvm"]
# Tables of protocols are laid out by hand; of programs that nudacc refuses, lines and columns are compared.
EXCEPT = ["src/mem/protocol", "libgpuvm/nuda/tests/nudacc/wrong"]
LINE_MAX = 100
FILES_A_RUN = 200


def files_of(root, folders):
    for folder in folders:
        for place, _, names in sorted(os.walk(os.path.join(root, folder))):
            if any(os.path.relpath(place, root).startswith(one) for one in EXCEPT):
                continue
            yield from (os.path.join(place, name) for name in sorted(names) if name.endswith((".c", ".h")))


def long_lines(root, paths):
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if len(line.rstrip("\n")) > LINE_MAX:
                    yield "%s:%d: %d characters, %d are the maximum" % (os.path.relpath(path, root), number,
                                                                       len(line.rstrip("\n")), LINE_MAX)


def misformatted(root, paths):
    for first in range(0, len(paths), FILES_A_RUN):
        done = subprocess.run(["clang-format", "--dry-run", "--style=file", *paths[first:first + FILES_A_RUN]], cwd=root,
                              check=False, capture_output=True, text=True)
        if done.returncode != 0:
            yield done.stderr.strip()
            continue
        for line in done.stderr.splitlines():
            if "code should be clang-formatted" in line:
                yield os.path.relpath(line.split(": ")[0], root) + ": not as `clang-format -i` writes it"


def violations(root, folders=None):
    paths = list(files_of(root, FOLDERS if folders is None else folders))
    return [*long_lines(root, paths), *misformatted(root, paths)]


def main():
    found = violations(os.path.abspath(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
