#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The house rules that a program can check. Usage: tidy.py ROOT; prints each violation, status 1 if there is one.

- who may include whom: the graph below, and nothing else
- sizes: 500 lines a file, 70 a function (tables, *.def, apart)
- calls that are banned everywhere, or in some layers
- no state of its own in a layer that machines share
- the SPDX line, the header guard, a header's opening comment
- no path of a developer's machine
"""
import os
import re
import subprocess
import sys

MOST_LINES, MOST_FUNCTION_LINES = 500, 70

# Layer: what it may include. A folder stands for the files directly in it. Each may include itself.
ALLOWED = {
    "base": [],
    "sim": ["base"],
    "isa": ["base"],
    "isa/gcn": ["base", "isa", "isa/gcn/exec"],
    "isa/gcn/exec": ["base", "isa", "isa/gcn"],
    "builtin": [],
    "backend": ["base"],
    "program": ["base"],
    "mem": ["base", "sim"],
    "mem/protocol": ["base", "mem/protocol.h", "mem/msg.h", "mem/protocol/moesi/parameters.h",
                     "mem/protocol/nmoesi/parameters.h", "mem/protocol/scoped/parameters.h", "mem/protocol/si/parameters.h"],
    "mem/protocol/si": ["sim/declare.h"],
    "mem/protocol/nmoesi": ["base", "mem/protocol.h", "mem/msg.h", "mem/bytes.h", "mem/protocol/moesi", "sim/declare.h"],
    "mem/protocol/moesi": ["base", "mem/protocol.h", "mem/msg.h", "mem/bytes.h", "sim/declare.h"],
    "mem/protocol/scoped": ["base", "mem/protocol.h", "mem/msg.h", "mem/bytes.h", "sim/declare.h"],
    "mem/dram": ["base", "sim", "mem/dram_model.h"],
    "mem/replacement": ["base", "mem/replacement.h", "mem/protocol.h"],
    "mem/admission": ["base", "mem/admission.h"],
    "verify": ["base", "sim", "mem"],
    "verify/rules": ["base", "mem", "verify/rules.h"],
    "mem/limit": ["base", "mem/limit.h"],
    "mem/address": ["mem/address_map.h"],
    "tm": ["base", "sim", "mem/msg.h", "isa/isa.h"],
    "tm/kilotm": ["base", "sim", "mem/msg.h", "isa/isa.h", "tm/tm.h", "tm/systems.h", "tm/parameters.h", "tm/kilotm.h", "tm/limit.h"],
    "gpu": ["base", "sim", "isa", "program", "mem/msg.h", "mem/backing.h", "tm/tm.h", "tm/oracle.h", "tm/global_oracle.h"],
    "gpu/order": ["base", "gpu/issue_order.h"],
    "machine": ["base", "sim", "isa", "program", "mem", "mem/protocol/list.h", "tm/tm.h", "tm/global_oracle.h",
                "tm/parameters.h", "gpu"],
    "report": ["base", "sim"],
    "opencl": ["base", "machine", "program", "isa", "report"],
    "laboratory": ["base", "machine", "report"],
    "cli": ["base", "machine", "program", "isa", "report", "laboratory", "verify", "mem/protocol.h"],
}

# Of the headers for programs' kernels, what the built-in library, which is kernels too, shares with them.
KERNEL_HEADER = "wavetank/hints.cl.h"

# Call: why not.
BANNED = {
    "strcpy": "has no bound", "strcat": "has no bound", "sprintf": "has no bound", "vsprintf": "has no bound",
    "gets": "has no bound", "strtok": "has a hidden state: strtok_r", "rand": "base/random.h", "srand": "base/random.h",
    "random": "base/random.h", "drand48": "base/random.h", "alloca": "has no bound", "system": "needs a shell",
    "popen": "needs a shell", "tmpnam": "has a race: mkdtemp", "mktemp": "has a race: mkdtemp",
    "assert": "may be off: check", "setlocale": "belongs to the host program",
}
# The host's clock must not reach a result: only those who report it may read it.
CLOCKS = ["time", "clock", "gettimeofday", "clock_gettime", "localtime", "gmtime", "gmtime_r", "localtime_r"]
CLOCK_LAYERS = ["report", "cli", "opencl", "laboratory", "machine/machine.c", "machine/watch.c"]
# In isa/ every result must be the same everywhere: of libm fma and sqrt alone.
LIBM = ["sin", "cos", "tan", "exp", "exp2", "log", "log2", "log10", "pow", "floor", "ceil", "trunc", "rint", "round",
        "nearbyint", "fmod", "remainder", "ldexp", "scalbn", "frexp", "modf", "fabs", "fmin", "fmax", "copysign", "hypot",
        "cbrt", "logb", "ilogb", "lrint", "lround"]

# Layers of which several machines in one process share the code: no variables outside functions, no static ones inside.
# (gcn: which lane loops the processor has, found once.)
STATELESS = ["base", "sim", "isa", "isa/gcn", "isa/gcn/exec", "mem", "mem/protocol", "mem/dram", "mem/replacement", "mem/admission", "mem/limit", "mem/address", "verify", "verify/rules", "tm", "tm/kilotm", "gpu", "gpu/order", "machine", "report"]
STATE_ALLOWED = {"base/check.c": "the catch hook, one a thread"}

# The field's words: maximum and minimum in names, and no *nobody* in prose.
WORDS = re.compile(r"\b([Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ww]hoever|thesis 001|our copy)(?!\w)")
# Where the words are the rule itself, a user's name, or a name that does not exist.
WORDS_ALLOWED = ("tests/tidy/", "CONTRIBUTING.md", "libgpuvm/tests/fuzz/matrix.py", "tests/opencl/test_programs.c")
NAMES = re.compile(r"\b(?!\w*at_(?:most|least))(?:[a-z0-9]+_)*(?:most|least)(?:_[a-z0-9]+)*\b|\b(?:[A-Z0-9]+_)*(?:MOST|LEAST)(?:_[A-Z0-9]+)*\b")
NAMES_ALLOWED = {"replacement_least_used": "least recently used is a policy", "backoff_most_cycles": "a parameter: results that were kept name it"}
# A function's name has a subject: two words or more. These are the house's own verbs, and names that others gave.
DEFINITIONS = re.compile(r"^(?!#|return|else)(?:__attribute__\(\([^;{]*?\)\)\s+)?(?:[A-Za-z_]\w*[ *]+)+([a-z][a-z0-9]*)\([^;{]*?\)\s*\{", re.M)
FUNCTIONS_ALLOWED = {"main", "allocate", "diagnose", "reallocate", "refusal", "refuse", "tgamma",
                     "fma", "mad", "pow", "powr", "rsqrt"}
FUNCTION_LAYERS = ("src/", "libgpuvm/src/")
INTERPOSERS = ("libgpuvm/src/interpose.c",)  # which take the C library's names

SPDX = "SPDX-License-Identifier: MIT"
PATHS_ALLOWED = {"tools/clean-room": "the clean room's own root"}
PATHS = re.compile(r"(?<![\w.$}])/(?:work|root|home/\w+|Users/\w+)/")


def files_of(root):
    """Paths below root of all files that belong to the project."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"], check=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        names = [name for name in listed.decode().split("\0") if name and os.path.isfile(os.path.join(root, name))]
        if names:
            return sorted(names)
    except (OSError, subprocess.CalledProcessError):
        pass
    names = []
    for folder, folders, found in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and not
                      os.path.exists(os.path.join(folder, name, "meson-info"))]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in found]
    return sorted(names)


def without_comments_and_strings(text):
    """The same lines, with blanks for what is no code."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    return pattern.sub(blank, text)


def layer_of(path):
    """ "src/isa/gcn/exec/x.c" -> "isa/gcn/exec"."""
    return os.path.dirname(path)[len("src/"):]


def check_includes(path, text, names):
    layer = layer_of(path)
    if layer not in ALLOWED:
        yield 1, "src/%s/ is no folder of the house: ALLOWED in tests/tidy/tidy.py says which there are" % layer
        return
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]*)"', line)
        if not match:
            continue
        included = match.group(1)
        if layer == "builtin" and included == KERNEL_HEADER:
            continue
        if "src/" + included not in names:
            yield number, '"%s" is not below src/, the only include root' % included
            continue
        folder = os.path.dirname(included)
        if folder != layer and folder not in ALLOWED[layer] and included not in ALLOWED[layer]:
            yield number, "%s may not include %s" % (layer, included)


def check_sizes(path, text):
    lines = text.split("\n")
    if len(lines) - 1 > MOST_LINES:
        yield MOST_LINES, "%d lines: %d are the most" % (len(lines) - 1, MOST_LINES)
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start is not None:
            if number - start - 1 > MOST_FUNCTION_LINES:
                yield start, "a function of %d lines: %d are the most" % (number - start - 1, MOST_FUNCTION_LINES)
            start = None


def is_below(path, layers):
    return any(path == "src/" + layer or path.startswith("src/" + layer + "/") for layer in layers)


def check_calls(path, code):
    banned = dict(BANNED)
    if not is_below(path, CLOCK_LAYERS):
        banned.update({name: "the host's time must not reach a result" for name in CLOCKS})
    if path.startswith("src/isa/"):
        for name in LIBM:
            banned.update({name: "libm differs between hosts", name + "f": "libm differs between hosts"})
    pattern = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(banned))
    for number, line in enumerate(code.split("\n"), 1):
        for match in pattern.finditer(line):
            yield number, "%s(): %s" % (match.group(1), banned[match.group(1)])
        if path.startswith("src/sim/") and re.search(r"\b(float|double)\b", line):
            yield number, "floating point in the kernel of the simulator"


def check_words(text):
    for number, line in enumerate(text.split("\n"), 1):
        for match in WORDS.finditer(line):
            yield number, "'%s': no word of this house" % match.group(0)


def check_names(code):
    for number, line in enumerate(code.split("\n"), 1):
        for match in NAMES.finditer(line):
            if match.group(0) not in NAMES_ALLOWED:
                yield number, "%s: a name says max or min" % match.group(0)


def check_function_names(code):
    for match in DEFINITIONS.finditer(code):
        if match.group(1) not in FUNCTIONS_ALLOWED:
            yield code.count("\n", 0, match.start(1)) + 1, "%s(): a function's name has a subject" % match.group(1)


def check_state(path, code):
    relative = path[len("src/"):]
    if layer_of(path) not in STATELESS or relative in STATE_ALLOWED:
        return
    depth = 0
    for number, line in enumerate(code.split("\n"), 1):
        # A variable: static, not const, and no function (a bracket would come before the end).
        if re.match(r"\s*(static\s|_Thread_local\s)", line) and not re.search(r"\bconst\b", line):
            declarator = re.split(r"[=;]", line)[0]
            if "(" not in declarator and (re.search(r"[=;]\s*$|=", line)):
                yield number, "a variable that all machines share"
        elif depth == 0 and re.match(r"(?!typedef|extern|struct \w+;|union|enum|#)(unsigned|int|bool|char|u?int\d+_t|size_t)"
                                     r"\s[\w\s*]*(\[[^]]*\])*\s*(=[^;]*)?;", line):
            yield number, "a variable that all machines share"
        depth += line.count("{") - line.count("}")


def check_header(path, text):
    lines = text.split("\n")
    guard = re.sub(r"[^A-Z0-9]", "_", path[len("src/"):].upper())
    if "#ifndef " + guard not in lines or "#define " + guard not in lines:
        yield 1, "the guard should be %s" % guard
    if len(lines) < 2 or not lines[1].startswith("/*"):
        yield 2, "a header opens with a comment on what it is"


def check_file(root, path, names):
    with open(os.path.join(root, path), encoding="utf-8") as stream:
        text = stream.read()
    ending = os.path.splitext(path)[1]
    if ending in (".c", ".h", ".def", ".cl"):
        if not text.startswith("/* %s */\n" % SPDX) and not text.startswith("// %s\n" % SPDX):
            yield 1, "the first line should be /* %s */" % SPDX
    elif ending in (".py", ".sh") or text.startswith("#!"):
        if SPDX not in "".join(text.split("\n")[:3]):
            yield 1, "the second line should be # %s" % SPDX
    for number, line in enumerate(text.split("\n"), 1):
        if path not in PATHS_ALLOWED and PATHS.search(line):
            yield number, "a path of a developer's machine: " + PATHS.search(line).group(0)
    if not path.startswith(WORDS_ALLOWED):
        yield from check_words(text)
    if ending in (".c", ".h"):
        yield from check_sizes(path, text)
    code = without_comments_and_strings(text)
    if ending in (".c", ".h", ".cl") and path.startswith(FUNCTION_LAYERS) and path not in INTERPOSERS:
        yield from check_function_names(code)
    if path.startswith("src/") and ending in (".c", ".h", ".def"):
        yield from check_includes(path, text, names)
        yield from check_calls(path, code)
        yield from check_state(path, code)
        yield from check_names(code)
        if ending == ".h":
            yield from check_header(path, text)


TEXT_FILES = (".c", ".h", ".def", ".cl", ".py", ".sh", ".md", ".yaml", ".yml", ".build", ".in", "")


def violations(root):
    names = files_of(root)
    known = set(names)
    for path in names:
        if os.path.splitext(path)[1] not in TEXT_FILES:
            continue
        try:
            for number, message in check_file(root, path, known):
                yield "%s:%d: %s" % (path, number, message)
        except UnicodeDecodeError:
            yield "%s:1: not UTF-8" % path


def main():
    found = list(violations(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
