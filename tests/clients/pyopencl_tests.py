# SPDX-License-Identifier: MIT
"""pyopencl's own tests and examples, from Debian's package of its documentation, in Debian's Python."""
import os
import re

from case import CRASH, FAIL, LATE, PASS, SKIP, make_case

CLIENTS = ("pyopencl",)
HOME = "/usr/share/doc/python-pyopencl-doc/examples"
PYTHON = "/usr/bin/python3"

TESTS = ("algorithm", "array", "arrays_in_structs", "clmath", "clrandom", "enqueue_copy", "wrapper")
PARTED = ("algorithm", "array", "clmath")  # run in parts, each with a limit of its own
PART = 5  # functions
QUICK_TESTS = ("arrays_in_structs", "enqueue_copy", "wrapper")
# Without those that open a window (gl_*, black-hole-accretion, ipython-demo), are no program (n-body is, with matplotlib's
# window) or need modules of other packages (demo_meta_codepy, median-filter).
EXAMPLES = ("demo-struct-reduce", "demo", "demo_array", "demo_array_svm", "demo_elementwise", "demo_elementwise_complex",
            "demo_meta_template", "dump-performance", "dump-properties", "narray", "pi-monte-carlo",
            "svm", "transpose")
QUICK_EXAMPLES = ("demo", "demo_elementwise", "svm")
TIMED_EXAMPLES = ("demo", "demo-struct-reduce")  # on the timed model too
WORDS = {"PASSED": PASS, "FAILED": FAIL, "ERROR": FAIL, "SKIPPED": SKIP, "XFAIL": SKIP, "XPASS": PASS}
LINE = re.compile(r"^\S+\.py::(\w+)(\[.*\])? (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)", re.MULTILINE)
FUNCTION = re.compile(r"^(?:def (test_\w+)\(|(test_\w+) = )", re.MULTILINE)
CONTEXT = re.compile(r"(<context factory for <.*?>>|<pyopencl\.Platform .*?>)-?")


def read_pytest(status, output):
    """pytest -v writes a line for each test, with the device in its name, which is taken out."""
    found = {}
    for name, arguments, word in LINE.findall(output):
        arguments = CONTEXT.sub("", arguments).strip("[]")
        found[name + ("(%s)" % arguments if arguments else "")] = WORDS[word]
    if status is None or status not in (0, 1):
        found["ends"] = LATE if status is None else CRASH
    return found


def parts_of(name):
    """(name of the case, what pytest is given) of a file of tests."""
    path = "%s/test_%s.py" % (HOME, name)
    if name not in PARTED:
        return [("test_" + name, [path])]
    with open(path, encoding="utf-8") as stream:
        functions = [first or second for first, second in FUNCTION.findall(stream.read())]
    return [("test_%s, part %d" % (name, 1 + begin // PART), ["%s::%s" % (path, f) for f in functions[begin : begin + PART]])
            for begin in range(0, len(functions), PART)]


def cases(_folder):
    if not os.path.isdir(HOME):
        return None
    python = [PYTHON, "-W", "ignore"]
    pytest = [*python, "-m", "pytest", "-v", "--tb=line", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    found = [make_case("pyopencl", part, [*pytest, *tests], read=read_pytest, quick=name in QUICK_TESTS, timeout=3600)
             for name in TESTS for part, tests in parts_of(name)]
    for name in EXAMPLES:
        found.append(make_case("pyopencl", name + ".py", [*python, "%s/%s.py" % (HOME, name)], folder=HOME,
                               quick=name in QUICK_EXAMPLES, timeout=600))
    for name in TIMED_EXAMPLES:
        found.append(make_case("pyopencl", name + ".py, timed", [*python, "%s/%s.py" % (HOME, name)], folder=HOME,
                               model="timed", quick=True, timeout=600))
    return found
