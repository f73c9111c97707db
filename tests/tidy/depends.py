#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every test names what it runs, so that `meson test NAME` alone builds it before.

Usage: depends.py BUILD_FOLDER. Reads what Meson writes there about tests and targets:
- what stands on a test's command line, or in its environment, is built before it;
- who has the command `wavetank` has the driver too (but for `cli`, which brings one of its own);
- who can compile kernels has the built-in library that they are linked with;
- who says program_path("FOLDER", "NAME") in Python has that program.
"""
import json
import os
import re
import sys

# Calls in a program's sources after which clang links kernels with the built-in library.
COMPILES = ("program_compile(", "clBuildProgram(", "clCompileProgram(")
BRINGS_ITS_DRIVER = ("cli",)


class Build:
    def __init__(self, folder):
        self.folder = folder
        self.tests = self.load("tests")
        self.targets = {target["id"]: target for target in self.load("targets")}
        self.by_file = {os.path.realpath(file): identity
                        for identity, target in self.targets.items() for file in target["filename"]
                        if target["type"] != "run"}

    def load(self, what):
        with open(os.path.join(self.folder, "meson-info", "intro-%s.json" % what)) as stream:
            return json.load(stream)

    def named(self, ending):
        """The target whose file has that end."""
        found = [identity for file, identity in self.by_file.items() if file.endswith(ending)]
        assert len(found) == 1, "%s: %s" % (ending, found)
        return found[0]

    def programs_in(self, folder):
        return [identity for file, identity in self.by_file.items()
                if os.path.dirname(file) == os.path.realpath(folder)
                and self.targets[identity]["type"] == "executable"]

    def sources(self, identity):
        for part in self.targets[identity]["target_sources"]:
            for path in part.get("sources", []) + part.get("generated_sources", []):
                if path.endswith(".c") and os.path.exists(path):
                    with open(path, errors="replace") as stream:
                        yield stream.read()


def words_of(test):
    for word in test["cmd"] + list(test["env"].values()):
        yield from re.split(r"[=:,]", word)


def scripts_of(test):
    for word in test["cmd"]:
        if word.endswith(".py") and os.path.exists(word):
            with open(word) as stream:
                yield stream.read()


def program_paths(test):
    """Literal arguments of program_path in the scripts; a folder alone stands for its programs."""
    for text in scripts_of(test):
        for call in re.findall(r"program_path\(([^)]*)\)?", text):
            parts = re.findall(r'"([^"]*)"', call)
            if parts:
                yield os.path.join(*parts)


def needs_of(build, test):
    driver, library, command = (build.named(name) for name in
                                ("libwavetank-opencl.so", "builtins.bc", "src/cli/wavetank"))
    needs = set()
    for word in words_of(test):
        if not word.startswith(build.folder + os.sep):
            continue
        if os.path.realpath(word) in build.by_file:
            needs.add(build.by_file[os.path.realpath(word)])
        elif os.path.basename(word) == "workloads":
            needs.update(build.programs_in(word))
        elif word.endswith("wavetank.icd"):
            needs.add(driver)
    for path in program_paths(test):
        whole = os.path.realpath(os.path.join(build.folder, path))
        needs.update([build.by_file[whole]] if whole in build.by_file else build.programs_in(whole))
    if command in needs:
        needs.add(library)
        if test["name"] not in BRINGS_ITS_DRIVER:
            needs.add(driver)
    sources = [text for identity in needs for text in build.sources(identity)]
    if any(call in text for text in sources for call in COMPILES):
        needs.add(library)
    return needs


def main():
    build = Build(os.path.abspath(sys.argv[1]))
    missing = []
    for test in build.tests:
        for need in sorted(needs_of(build, test) - set(test["depends"])):
            missing.append("%s runs %s, and does not depend on it"
                           % (test["name"], build.targets[need]["name"]))
    print("\n".join(missing) if missing else "%d tests depend on what they run" % len(build.tests))
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
