#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `wavetank verify --programs FILE` judge litmus tests as herd does, and do the protocols keep to that?
Usage: test_programs.py WAVETANK.

litmus/ has the tests of herd for AMD's remote scope promotion (vinodgro/herdtools, herd/testsuite/AMDTests), written anew, and
MP_relseq; litmus/herd.txt is what that herd prints for these files with opencl_rem.cat.
"""
import glob
import os
import re
import sys
import tempfile

from verify_checks import FAILURES, expect, run

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "litmus")
# herd lets a plain load of a variable that is declared atomic take the value of a store that happens after it: three executions more.
MORE_IN_HERD = {"RSP_Test8": 3}


def verdicts(text):
    """By test: expectation, states, Ok or No, executions with and without, undefined ones, condition, observation."""
    found = {}
    for block in re.split(r"^Test ", text, flags=re.M)[1:]:
        head = re.match(r"(\S+) (\w+)\nStates (\d+)\n", block)
        states = block[head.end():].split("\n")[:int(head.group(3))]
        positive, negative = map(int, re.search(r"Positive: (\d+) Negative: (\d+)", block).groups())
        found[head.group(1)] = {
            "expects": head.group(2), "states": [state.strip() for state in states],
            "ok": re.search(r"^(Ok|No)$", block, re.M).group(1), "positive": positive, "negative": negative,
            "bad": int(re.search(r"Bad executions \((\d+) in total\)", block).group(1)),
            "condition": re.search(r"^Condition (.*)$", block, re.M).group(1),
            "observation": re.search(r"^Observation \S+ (\w+)", block, re.M).group(1)}
    return found


def tests():
    return sorted(glob.glob(os.path.join(FOLDER, "*.litmus")))


def lines_of(output, protocol):
    return re.findall(r"^%s, (\w+)(, with evictions)?: ([^,]+(?:, no fault)?), (\d+) states; shows (\d+) of the model's (\d+)(.*)$" % protocol,
                      output, re.M)


def verdicts_are_those_of_herd():
    with open(os.path.join(FOLDER, "herd.txt"), encoding="utf-8") as stream:
        herd = verdicts(stream.read())
    ours = verdicts(run("srsp", "--programs", "--operations", "0", *tests())[1])
    expect(len(herd) == 15 and set(herd) == set(ours), "the tests are 15: %d" % len(ours), str(set(herd) ^ set(ours)))
    for name, verdict in herd.items():
        verdict["negative"] -= MORE_IN_HERD.get(name, 0)
        expect(ours[name] == verdict, "%s: herd's verdict, %s%s, %d states" % (
            name, verdict["observation"], ", racy" if verdict["bad"] else "", len(verdict["states"])), str((ours[name], verdict)))


def protocols_keep_to_them():
    """Exhausted, without an outcome that the model does not allow: all but the racy ones are judged."""
    for protocol, judged in (("srsp", 10), ("rsp", 10), ("qr", 0)):
        status, output = run(protocol, "--programs", *tests())
        found = lines_of(output, protocol)
        names = {name for name, *_ in found if True}
        kept = {name for name, _, end, _, shown, model, rest in found if end == "exhausted, no fault" and not rest}
        expect(status == 0 and len(names) == 15, "%s: 15 tests are exhausted, %d of them judged, %d states" % (
            protocol, len(kept), sum(int(row[3]) for row in found)), output)
        expect(len(kept) >= judged and ("no remote operations" in output) == (protocol == "qr"), "%s: those that are judged" % protocol, output)


# Faults of srsp that none of the 15 finds: its releases are stores and its read-modify-writes acquires; no L1 holds the copy that these need.
NOT_FOUND = {"forget_atomic_release", "atomic_release_as_atomic", "atomic_without_fifo", "forget_probe", "forget_probe_of_fill",
             "forget_probe_of_release", "lose_promoted", "send_unprepared_line"}


def broken_protocols_are_found():
    """All of srsp's deliberate faults but a few, each by the first test that shows it; and sRSP as published."""
    names = [line.split()[1] for line in run("--list-breaks", "srsp")[1].splitlines()]
    missed = set()
    for name in names:
        status, output = run("srsp", "--break", name, "--programs", "--operations", "5", *tests())
        found = re.search(r"^srsp, (\w+(?:, with evictions)?): a fault, \d+ states", output, re.M)
        if status == 1 and found and "The shortest path" in output:
            print("ok   %s is found by %s" % (name, found.group(1)))
        else:
            missed.add(name)
    expect(missed == NOT_FOUND and len(names) == 38, "%d of %d faults are found" % (len(names) - len(missed), len(names)),
           str(missed ^ NOT_FOUND))
    status, output = run("srsp-paper", "--programs", *tests())
    found = re.search(r"^srsp-paper, (\w+): a fault", output, re.M)
    expect(status == 1 and found, "sRSP as published fails by %s" % (found.group(1) if found else "none"), output)


HEAD = "OpenCL t\n{ [x]=0; [y]=0; }\nP0 (global atomic_int* x, global int* y, local int* l) {\n"
TAIL = "\n}\nscopeTree (device (work_group P0))\nexists ()\n"


def written(folder, text):
    path = os.path.join(folder, "test.litmus")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def what_is_not_here_is_refused():
    """By file, line and name."""
    store = "atomic_store_explicit(x, 1, memory_order_%s, memory_scope_%s);"
    for text, line, words in [
            (HEAD + "while (1) {}" + TAIL, 4, "'while' is not here"),
            (HEAD + "*y = 1;\natomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);" + TAIL, 5,
             "'atomic_work_item_fence' is not known"),
            (HEAD + "atomic_store(x, 1);" + TAIL, 4, "'atomic_store' is sequentially consistent"),
            (HEAD + store % ("seq_cst", "device") + TAIL, 4, "the order 'memory_order_seq_cst'"),
            (HEAD + store % ("release", "sub_group") + TAIL, 4, "the scope 'memory_scope_sub_group'"),
            (HEAD + store % ("acquire", "device") + TAIL, 4, "a store is relaxed or a release"),
            (HEAD + store.replace("explicit", "explicit_remote") % ("release", "work_group") + TAIL, 4, "of the work-group's scope"),
            (HEAD + "*z = 1;" + TAIL, 4, "'*z'"), (HEAD + "*y = r0;" + TAIL, 4, "'r0' is no register"),
            (HEAD + "*y = 300;" + TAIL, 4, "values in memory are from 0 to 254"),
            (HEAD + "y = 1;" + TAIL, 4, "'*y = ...' stores to it"), (HEAD + "int r = *y;\nif (r < 1) {}" + TAIL, 5, "'<' where ')'"),
            (HEAD + "*y = 1;\n" * 17 + TAIL, 20, "over 16 operations"),
            (HEAD + "int r = *y; *y = r + 250; r = *y; *y = r + 250;" + TAIL, None, "not from 0 to 254"),
            (HEAD.replace("int* y", "float* y") + TAIL, 3, "'float' where '*' should be"), (HEAD.replace("OpenCL", "X86") + TAIL, 1, "'X86'"),
            (HEAD + TAIL.replace("P0", "P1"), 6, "'P1'"), (HEAD + TAIL.replace("()", "(0:r=1)"), 7, "no register 'r'"),
            (HEAD + TAIL.replace("exists", "locations [x;] exists"), 7, "'locations'"), (HEAD, 4, "the file ends")]:
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, text)
            status, output = run("srsp", "--programs", path)
            place = "%s:%d: " % (path, line) if line else path
            expect(status == 2 and place in output and words in output, "%s is refused" % words, output)
    status, output = run("srsp", tests()[0])
    expect(status == 2 and "files are for --programs" in output, "a file without --programs", output)


def verdict_of(text, protocol="srsp"):
    with tempfile.TemporaryDirectory() as folder:
        status, output = run(protocol, "--programs", written(folder, text))
    return status, output, verdicts(output)


BARRIER = """OpenCL barrier
{ [x]=0; }
P0 (global int* x, local int* l) { *x = 1; *l = 2; %s }
P1 (global int* x, local int* l) { %s int r0 = *x; int r1 = *l; }
scopeTree (device (work_group P0 P1))
exists (~ (1:r0=1 /\\ 1:r1=2))
"""


def barriers_and_local_memory():
    """A barrier orders the memory that its flags name, among all of a work-group."""
    both, outer, inner = ("work_group_barrier(%s);" % flags for flags in (
        "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"))
    status, output, found = verdict_of(BARRIER % (both, both))
    expect(status == 0 and found["barrier"]["states"] == ["1:r0=1; 1:r1=2;"] and found["barrier"]["bad"] == 0 and
           "shows 1 of the model's 1\n" in output, "a barrier of both memories", output)
    for flags, word in ((outer, "l"), (inner, "x")):
        status, output, found = verdict_of(BARRIER % (flags, flags))
        expect(status == 0 and found["barrier"]["bad"] > 0 and "Racy: thread 0: store %s" % word in output,
               "a barrier orders only the memory that it names", output)
    status, output, found = verdict_of(BARRIER % (both, ""))
    expect(status == 0 and found["barrier"]["bad"] > 0 and "Undefined: a barrier" in output and "a barrier is not met" in output,
           "a barrier that is not met", output)


BUFFER = """OpenCL buffer
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1 (global atomic_int* x, global atomic_int* y) {
  int r1 = atomic_load_explicit(y, memory_order_%s);
  atomic_store_explicit(x, r1, memory_order_relaxed);
}
scopeTree (device (work_group P0) (work_group P1))
%s (0:r0=1 /\\ 1:r1=1)
"""


RACE = """OpenCL race
{ [x]=0; }
P0 (global %s* x) { *x = 1; }
P1 (global %s* x) { int r0 = *x; }
scopeTree (device (work_group P0) (work_group P1))
exists (1:r0=1)
"""
SEQUENCE = """program sequence
thread
  x = 1
  y = 1 release device
  y = 3 relaxed device
thread
  y = 2 relaxed device
thread
  r0 = y acquire device
  if r0 == 3
    r1 = x
  end
exists 2:r0=3 /\\ 2:r1=0
"""


def races():
    """A load of a variable that is not declared atomic sees what happens before it. Another thread's store ends a release sequence: of
    the orders of three stores one makes the acquire take no release, and its load of x, with two values, a race."""
    for kind, states in (("int", ["1:r0=0;"]), ("atomic_int", ["1:r0=0;", "1:r0=1;"])):
        status, output, found = verdict_of(RACE % (kind, kind))
        expect(status == 0 and found["race"]["states"] == states and found["race"]["bad"] == len(states), "a race on %s" % kind, output)
    status, output, found = verdict_of(SEQUENCE)
    expect(status == 0 and (found["sequence"]["bad"], found["sequence"]["positive"], found["sequence"]["negative"]) == (2, 1, 12),
           "a release sequence that another thread's store ends", output)
    status, output = run("srsp", "--programs", os.path.join(FOLDER, "RSP_Test7.litmus"))
    expect(status == 0 and "shows 1 of the model's 3;" in output, "each work-group of the machine has its own local memory", output)


def conditions_and_values():
    """Each quantifier has its own words; a load may take what comes later of it, but not a value out of thin air."""
    for quantifier, expectation, answer in (("exists", "Allowed", "Ok"), ("~exists", "Forbidden", "No"), ("forall", "Required", "No")):
        status, output, found = verdict_of(BUFFER % ("relaxed", quantifier))
        verdict = found["buffer"]
        expect(status == 0 and (verdict["expects"], verdict["ok"]) == (expectation, answer) and verdict["observation"] == "Sometimes" and
               verdict["condition"].startswith(quantifier + " (") and len(verdict["states"]) == 3, "%s: %s" % (quantifier, expectation), output)


def paths_are_told():
    """By threads' operations and variables; what one access does alone is one line; what is wrong is marked, with the order that it breaks."""
    status, output = run("srsp-paper", "--programs")
    lock = ["   1. to 6. thread 0: cas_g y 0 to 1 (acquire), if it fails skip 3: L1 0 and L2 do it alone; answers (0)\n",
            "   7. to 12. thread 0: load x: L1 0 and L2 do it alone; answers (0)\n",
            "  13. thread 1: cas remote y 0 to 1 (acquire), if it fails skip 3: L1 1 is asked for ATOMIC of y (1)",
            "answers LOAD_REPLY of x (0)  <== wrong\n", "; thread 1: load x: 0\n",
            "Broken: thread 0: store x = loaded + 1 happens before thread 1: load x, which is older or takes an older value\n"]
    expect(status == 1 and all(words in output for words in lock) and "line A" not in output, "the path of lock is told", output)
    status, output = run("srsp", "--break", "forget_release", "--programs", os.path.join(FOLDER, "RSP_Test2.litmus"))
    expect("The outcome: thread 1: r0 = load remote y (acquire): 1; thread 1: r1 = load x: 0\nBroken: thread 0: store x = 53 happens before "
           "thread 1: r1 = load x," in output, "the path of a file's test is told", output)


def paths_have_columns():
    """--columns: what each cache does is under its name, in the order of the path, and nothing is wider."""
    status, output = run("srsp-paper", "--programs", "--columns")
    path = output[output.index("The shortest path:\n"):output.index("The outcome:")].split("\n")[1:-1]
    places = [path[0].index(name) for name in ("L1 0", "L2 0", "L1 1")]
    starts = {int(match.group(2)): len(match.group(1)) for match in (re.match(r"( *)(\d+)\. ", line) for line in path) if match}
    expect(status == 1 and places == [0, 37, 74] and max(len(line.rstrip()) for line in path) <= 74 + 34 and list(starts) == sorted(starts),
           "a path in columns", output)
    expect([starts.get(number) for number in (1, 7, 13, 16, 18, 20, 25)] == [0, 0, 74, 37, 0, 37, 74], "each in its own: %s" % starts, output)


def three_threads_run_with_evictions():
    """Of the random ones too: seed 8 draws three threads, and only an eviction shows this fault there."""
    status, output = run("srsp", "--programs", "--random", "--break", "lose_victim", "--seed", "8", "--seeds", "1", "--no-shrink")
    expect(status == 1 and "seed 8, with evictions" in output and "  thread 2, L1" in output, "three threads with evictions", output)


PLAIN = """program RSP_Test11
thread group 0
  r0 = add x 1 acquire group
  if r0 != 0
    r1 = add x 1 acquire group
  end
thread group 0
  r1 = add x 1 acquire group
  if 0 == r1
    r2 = 5
  else
    r2 = add x 1 acquire group
  end
thread group 1
  r0 = add x 1 acquire remote  # not of the group
exists not (0:r0=0) /\\ not (1:r1=0) /\\ not (x=3)
"""


def the_plain_form():
    """The same verdict and search as of the test in herd's form; what is wrong has its line."""
    plain, herd = verdict_of(PLAIN), run("srsp", "--programs", os.path.join(FOLDER, "RSP_Test11.litmus"))
    expect(plain[0] == 0 and plain[1] == herd[1], "RSP_Test11 in the plain form is the same", plain[1])
    status, output = run("srsp", "--programs", os.path.join(FOLDER, "steal.program"))
    expect(status == 0 and "Observation steal Never 0 4" in output and "shows 3 of the model's 3" in output, "steal.program", output)
    status, output, found = verdict_of("program l\nlocal z = 3\nthread group 0\nz = 4\nbarrier\nthread group 0\nbarrier\nr0 = z\nr1 = swap z r0 + 1 relaxed group\nexists 1:r0=4 /\\ 1:r1=4 /\\ z=5\n")
    expect(status == 0 and found["l"]["observation"] == "Always" and "shows 1 of the model's 1\n" in output, "local memory in the plain form", output)
    status, output, found = verdict_of(HEAD + TAIL)
    expect(status == 0 and found["t"]["observation"] == "Always", "a thread that does nothing", output)
    for text, line, words in (("program t\nthread\nx = 1 seq_cst\nexists ()\n", 3, "'seq_cst' is no order or scope"),
                              ("program t\nthread\nx = 1 release\nexists ()\n", 3, "an atomic has a scope"),
                              ("program t\nthread\nx = 1 acquire device\nexists ()\n", 3, "a store no acquire"),
                              ("program t\nthread\nif r0 == 1\nx = 1\nend\nexists ()\n", 3, "'r0' is no register"),
                              ("program t\nthread\nr0 = x\nif r0 == 1\nx = 1\nexists ()\n", 6, "'end' should be"),
                              ("program t\nthread\nr0 = x\n", 4, "'exists' should be"), ("program t\nthread\nexists ()\n", 3, "does nothing")):
        status, output, _ = verdict_of(text)
        expect(status == 2 and "test.litmus:%d: " % line in output and words in output, "%s is refused" % words, output)


def faults_do_not_end_a_run():
    """--go-on: sRSP as published fails several programs, listed, of files and random; what is right is said to be so."""
    for arguments, most in ((["--programs"], 8), (["--programs", *tests()], 1), (["--programs", "--random", "--seeds", "60"], 1)):
        first, all_of_them = (run("srsp-paper", *arguments, *more) for more in ([], ["--go-on"]))
        expect(first[0] == all_of_them[0] == 1 and first[1].count("a fault") < all_of_them[1].count("a fault") > most and
               ("exhausted, no fault" in all_of_them[1] or "--random" in arguments), "srsp-paper %s: %d faults" % (
                   " ".join(arguments[:2]), all_of_them[1].count("a fault")), all_of_them[1])
    status, output = run("srsp", "--programs", "--go-on", "--operations", "0", *tests())
    expect(status == 0, "nothing is wrong with srsp", output)


def main():
    verdicts_are_those_of_herd()
    protocols_keep_to_them()
    broken_protocols_are_found()
    what_is_not_here_is_refused()
    barriers_and_local_memory()
    conditions_and_values()
    races()
    the_plain_form()
    paths_are_told()
    paths_have_columns()
    three_threads_run_with_evictions()
    faults_do_not_end_a_run()
    print("%d checks failed" % len(FAILURES))
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
