#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `wavetank verify` pass each protocol, and find each deliberate fault? Usage: test_verify.py WAVETANK."""
import os
import re
import subprocess
import sys
import tempfile

from verify_checks import FAILURES, WAVETANK, expect, run

DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "models", "verification.md")
EXHAUSTED = ("si", "moesi", "nmoesi")
MOST_STATES = 200000  # of the others: `make soak` takes more


def protocols():
    listed = subprocess.run([WAVETANK, "list", "protocols"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


def breaks():
    """(protocol, name, the setting without which it is never met, or None): `--break` sets it."""
    found = [re.match(r"(\S+) +(\S+) .*?(?:\(sets (\S+)\))?$", line) for line in run("--list-breaks")[1].splitlines()]
    return [match.groups() for match in found]


def every_protocol_passes():
    for protocol in protocols():
        status, output = run(protocol, "--random", "--exhaustive", *([] if protocol in EXHAUSTED else ["--states", str(MOST_STATES)]))
        finished = status == 0 and "exhausted, no fault" in output
        unfinished = status == 6 and "the states of --states are met" in output and protocol not in EXHAUSTED
        expect((finished or unfinished) and "no fault: " in output, "%s passes, %s" % (
            protocol, "exhausted" if finished else "%d states" % MOST_STATES), output)


def what_was_found_once_stays_mended():
    """A load that asks again for a copy, while an acquire's walk is on its way to that line, took the copy's old bytes. A load that
    waited for a line behind a store took those before the store, when a release and an acquire came before its turn."""
    status, output = run("nmoesi", "--random", "--seed", "2000250", "--seeds", "1", "--no-shrink")
    expect(status == 0, "nmoesi passes seed 2000250", output)
    status, output = run("nmoesi", *PAIRS)
    expect(status == 0 and "exhausted, no fault" in output, "nmoesi passes with two requests of an L1 at once", output)


def accesses_in_program_order_end():
    """Where an L1 holds accesses back for older ones (store_order), nothing waits in a circle."""
    for protocol, left_out in (("moesi", "exchange,release"), ("nmoesi", "coherent load,exchange,eviction,store")):
        order = ("-o", protocol + ".store_order=program")
        for shape in (("--random", "--exhaustive"), ("--exhaustive", "--outstanding", "2", "--without", left_out)):
            status, output = run(protocol, *shape, *order)
            expect(status == 0 and "exhausted, no fault" in output, "%s passes, %s %s" % (protocol, order[1], shape[-1]), output)


def states_that_are_alike_are_one():
    """Taking L1s that have but changed places for one leaves out nothing: the states stand for all that there are without that."""
    for protocol in protocols():
        for without in ("eviction,exchange,release", "release,coherent store,store"):
            found = []
            for apart in ([], ["--tell-l1s-apart"]):
                status, output = run(protocol, "--exhaustive", "--without", without, *apart)
                expect(status == 0, "%s passes without %s" % (protocol, without), output)
                counts = re.search(r"(\d+) states(?:, which stand for (\d+))?", output)
                found.append([int(number) for number in counts.groups() if number])
            expect(len(found[0]) == 2 and found[0][1] == found[1][0] > found[0][0],
                   "%s: %s states stand for all" % (protocol, found), "")


def counts_are_those_of_the_documents():
    """Of the smaller machines of docs/models/verification.md: states, what they stand for, transitions, and states of all moves."""
    with open(DOCUMENT, encoding="utf-8") as stream:
        rows = re.findall(r"^\| `(\w+)`, (\d)(?: L1s)? x (\d)(?: slices?)? x (\d)(?: lines?)? \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|"
                          r" [^|]+\| (?:([\d,]+) states)?", stream.read(), re.M)
    for protocol, l1s, slices, lines, *counts in rows:
        states, stand_for, transitions, taken = (int(count.replace(",", "")) if count else None for count in counts)
        shape = ["--l1s", l1s, "--slices", slices, "--lines", lines]
        if states > MOST_STATES:
            continue
        output = run(protocol, "--exhaustive", *shape)[1]
        expect("%d states, which stand for %d," % (states, stand_for) in output and " %d transitions" % transitions in output,
               "%s %s: %d states" % (protocol, " ".join(shape), states), output)
        if taken is not None and taken <= MOST_STATES:
            output = run(protocol, "--exhaustive", "--take-all-moves", *shape)[1]
            expect(": %d states," % taken in output, "%s %s: %d states of all moves" % (protocol, " ".join(shape), taken), output)
    expect(len(rows) == 12, "the document has 12 machines", str(rows))


def search(protocol, *arguments):
    """Status, and of the states how many there are, how many after prompt moves, how many at rest."""
    status, output = run(protocol, "--exhaustive", *arguments)
    counts = re.search(r": (\d+) states,(?: which stand for \d+,)?(?: (\d+) after prompt moves,)? (\d+) at rest", output)
    states, settled, at_rest = (int(number) if number else None for number in counts.groups())
    return status, states, settled if settled is not None else states, at_rest


def prompt_moves_leave_out_nothing():
    """Where each move is taken in each order, the states in which nothing is on its way are those that the search finds that makes
    prompt moves at once, and sends requests late. Without the latter, so are those after prompt moves, but for what waits at a
    directory in two forms that go on alike."""
    for protocol in protocols():
        without = [] if protocol in ("si", "moesi") else ["--without", "eviction,exchange" if protocol == "nmoesi" else "eviction,exchange,release"]
        late, made, taken = (search(protocol, *way, *without) for way in ([], ["--send-at-once"], ["--take-all-moves"]))
        expect(late[0] == made[0] == taken[0] == 0 and late[3] == made[3] == taken[3] > 0 and late[1] < made[1] < taken[1] / 2,
               "%s: %d states at rest, %d, %d and %d of all" % (protocol, made[3], late[1], made[1], taken[1]), str((late, made, taken)))
        expect("moesi" in protocol or made[1] == taken[2], "%s: %d after prompt moves" % (protocol, taken[2]), str((made, taken)))
    for protocol, *shape in (("si", "--lines", "2"), ("si", "--slices", "2"), ("moesi", "--lines", "2", "--without", "exchange,eviction")):
        late, taken = search(protocol, *shape), search(protocol, "--take-all-moves", *shape)
        expect(late[0] == taken[0] == 0 and late[3] == taken[3] > 0, "%s %s: %d states at rest" % (protocol, " ".join(shape), late[3]),
               str((late, taken)))


def faults_are_found_either_way():
    """The same faults are found by the search whether it makes prompt moves at once or takes each move in each order."""
    for protocol in EXHAUSTED:
        without = ["--without", "eviction,exchange"] if protocol == "nmoesi" else []
        found = [[name for owner, name, needs in breaks() if owner == protocol and not needs and
                  search(protocol, "--break", name, *way, *without)[0] == 1] for way in ([], ["--take-all-moves"])]
        expect(found[0] == found[1] and len(found[0]) >= 8, "%s: %d faults are found either way" % (protocol, len(found[0])),
               "differ: %s" % (set(found[0]) ^ set(found[1])))


def find_by_programs(protocol, name):
    status, output = run(protocol, "--break", name, "--programs")
    found = re.search(r"program (\w+(?:, with evictions)?): a fault", output)
    return "program " + found.group(1) if status == 1 and found else None


# Of these random programs find some in a thousand: an acquire or release has to come while its L1 waits for a line.
PAIRS = ["--exhaustive", "--outstanding", "2", "--without", "coherent load,coherent store,exchange,eviction"]
RARE = {"keep_fill_past_acquire": PAIRS}


def every_fault_is_found():
    """By tiny programs where the protocol runs them, else by random ones, or else by the search; and it is said by what."""
    runs_programs = {protocol: protocol in PROGRAMS for protocol, _, _ in breaks()}
    for protocol, name, needs in breaks():
        program = find_by_programs(protocol, name) if runs_programs[protocol] else None
        if program:
            expect(True, "%s %s is found, by %s" % (protocol, name, program), "")
            continue
        status, output = run(protocol, "--break", name, "--no-shrink", *RARE.get(name, []))
        found = re.search(r"a fault: seed \d+: (\w+):", output) or re.search(r"^(\w+): .*\n\nThe requests", output, re.M)
        expect(needs is None or "sets -o %s" % needs in output, "%s %s says what it sets" % (protocol, name), output)
        expect(status == 1 and found, "%s %s is found%s" % (protocol, name, ", by " + found.group(1) if found else ""), output)


def enough_faults():
    for protocol in protocols():
        count = sum(owner == protocol for owner, _, _ in breaks())
        expect(count == 0 or count >= 12, "%s has %d faults of its own" % (protocol, count), "")


def a_wrong_program_is_made_small():
    """What is kept is short, wrong with the fault when it runs again, and right without."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program")
        status, output = run("si", "--random", "--break", "keep_line_at_store", "--save", path)
        kept = re.search(r"(\d+) of its (\d+) operations are enough", output)
        expect(status == 1 and kept and int(kept.group(1)) <= 6 < int(kept.group(2)), "a program is made small", output)
        status, output = run("si", "--break", "keep_line_at_store", "--replay", path)
        expect(status == 1 and "read: a load saw what was too old" in output, "it is wrong again", output)
        status, output = run("si", "--replay", path)
        expect(status == 0 and "no fault" in output, "it is right without the fault", output)


def parameters_are_taken():
    """Under moesi.owner_writes_back=1 a modified line that is read is shared afterwards: O is met no more."""
    used = []
    for value in ("0", "1"):
        status, output = run("moesi", "-o", "moesi.owner_writes_back=" + value, "--random", "--seeds", "10", "--coverage")
        expect(status == 0, "moesi passes with owner_writes_back=" + value, output)
        used.append([int(re.search(r"L1 +M +%s +(\d+)" % event, output).group(1)) for event in ("PROBE_SHARE", "PROBE_WRITE_BACK")])
    status, output = run("si", "-o", "si.store_fetches=1", "--random", "--seeds", "20", "--coverage")
    found = re.search(r"L2 +I +STORE_FETCH +(\d+)", output)
    expect(status == 0 and int(found.group(1)) > 0, "si passes with store_fetches=1", output)
    expect(used[0][0] > 0 == used[0][1] and used[1][1] > 0 == used[1][0], "its rows are used: %s" % used, "")


def direct_transfers_pass():
    """An owner sends its line to who asks: every order of everything, with and without prompt moves and with L1s told apart; and
    programs, also where the owner writes back."""
    for protocol in ("moesi", "nmoesi"):
        direct = ["-o", protocol + ".direct_transfers=1"]
        without = ["--without", "eviction,exchange"] if protocol == "nmoesi" else []
        made, taken = search(protocol, *direct, *without), search(protocol, *direct, "--take-all-moves", *without)
        expect(made[0] == taken[0] == 0 and made[3] == taken[3] > 0 and made[1] < taken[1] / 2,
               "%s, direct: %d states at rest" % (protocol, made[3]), str((made, taken)))
        apart = search(protocol, *direct, "--tell-l1s-apart", *without)
        stands_for = re.search(r"which stand for (\d+)", run(protocol, "--exhaustive", *direct, *without)[1])
        expect(apart[0] == 0 and int(stands_for.group(1)) == apart[1], "%s, direct: L1s that are alike" % protocol, str(apart))
        status, output = run(protocol, "--random", "--seeds", "50", *direct, "-o", protocol + ".owner_writes_back=1")
        expect(status == 0, "%s, direct, owner_writes_back: programs" % protocol, output)


def rows_used(protocol, *arguments):
    status, output = run(protocol, "--coverage", *arguments)
    expect(status == (6 if "--states" in arguments else 0), "%s %s passes" % (protocol, " ".join(arguments)), output)
    return {row[:3]: int(row[3]) for row in re.findall(r"^  (\S+) +(\S+) +(\S+) +(\d+)$", output, re.M)}


def every_row_is_used():
    """By random programs, by those of the protocol's other parameters, or by the search: no row is there for nothing."""
    # An acknowledgement that a line from another L1 has passed: a prompt move would have delivered it.
    passed = ["--exhaustive", "--take-all-moves", "--without", "exchange,acquire,release,coherent load", "--states", "200000"]
    for protocol, parameters in (("si", ["store_fetches"]), ("moesi", ["owner_writes_back", "direct_transfers"]),
                                 ("nmoesi", ["owner_writes_back", "direct_transfers"])):
        runs = [rows_used(protocol, *arguments) for arguments in [["--random", "--seeds", "100"], ["--exhaustive"]] +
                [["--random", "--seed", "101", "--seeds", "100", "-o", "%s.%s=1" % (protocol, parameter)] for parameter in parameters] +
                [["--random", "--seeds", "100", "-o", "moesi.direct_transfers=1", "-o", "moesi.owner_writes_back=1"]] * (protocol == "moesi") +
                [[*passed, "-o", "nmoesi.direct_transfers=1"], ["--random", "--seeds", "100", "-o", "nmoesi.fence_scope=device"]] *
                (protocol == "nmoesi")]
        unused = [row for row in runs[0] if not any(used[row] for used in runs)]
        expect(len(runs[0]) > 70 and not unused, "%s: all %d rows are used" % (protocol, len(runs[0])), str(unused))


def user_errors():
    for arguments, status, words in [(["ssi"], 2, "no protocol"), (["si", "--l1s", "9"], 2, "1 to 4"),
                                     (["si", "--break", "nothing"], 2, "no deliberate fault"), ([], 2, "one protocol"),
                                     (["si", "--replay", "/dev/null"], 2, "lacks"), (["si", "--seeds", "x"], 2, "a number"),
                                     (["si", "-o", "moesi.owner_writes_back=1"], 2, "no parameter of si"),
                                     (["moesi", "-o", "moesi.owner=1"], 2, "moesi.owner"),
                                     (["si", "--exhaustive", "--states", "500"], 6, "NOT exhausted"),
                                     (["nmoesi", "-o", "nmoesi.fence_scope=unit"], 2, "nmoesi.fence_scope: there is no 'unit'"),
                                     (["nmoesi", "--exhaustive", "--memory", "16", "--lines", "2"], 6, "NOT exhausted"),
                                     (["si", "--exhaustive", "--memory", "16", "--outstanding", "2"], 6, "NOT exhausted")]:
        got, output = run(*arguments)
        expect(got == status and words in output, "%s gives %d" % (" ".join(arguments), status), output)


def a_fault_is_told():
    status, output = run("--exhaustive", "si", "--break", "keep_line_at_atomic")
    expect(status == 1 and re.search(r"^read: ", output, re.M) and "The shortest path" in output and
           "as a program" in output and "exchange A" in output, "a fault is told as a path and a program", output)


PROGRAMS = {"qr": (20, 21), "rsp": (45, 42), "srsp": (45, 42)}  # without and with evictions
SHOWN = (1, 3)  # of these, races that must show what they may
SMALL = ["-o", "scoped.l1_sfifo_entries=1", "-o", "scoped.release_entries=1", "-o", "scoped.promotion_entries=1",
         "-o", "scoped.l2_sfifo_entries=1"]


def count_programs(output):
    ends = [(end, ", with evictions" + end) for end in (": exhausted, no fault", ": shows what its race allows")]
    return [(output.count(every) - output.count(evicting), output.count(evicting)) for every, evicting in ends]


def programs_show_what_is_published():
    """Tiny programs of scoped synchronisation: sRSP as published loses mutual exclusion, its repaired form and the others do not."""
    for protocol, counts in PROGRAMS.items():
        status, output = run(protocol, "--programs")
        expected = [(counts[0] - SHOWN[0], counts[1] - SHOWN[1]), SHOWN]
        expect(status == 0 and "a fault" not in output and count_programs(output) == expected, "%s: programs" % protocol, output)
    for fault in ("lose_victim", "lose_promoted"):
        status, output = run("srsp", "--programs", "--break", fault)
        expect(status == 1 and ("with evictions: a fault" in output) == (fault == "lose_victim"), "srsp: %s" % fault, output)
    status, output = run("srsp-paper", "--programs")
    expect(status == 1 and "program lock: a fault" in output and "The shortest path" in output, "srsp-paper: programs", output)
    status, output = run("si", "--programs")
    expect(status == 2 and "end with a fence" in output, "si: programs", output)


def programs_with_small_tables():
    """An sFIFO, tables of releases and of promotions of one entry each: what does not fit is written back, or all is promoted."""
    status, output = run("srsp", "--programs", "--without", "eviction", *SMALL)
    expect(status == 0 and count_programs(output) == [(PROGRAMS["srsp"][0] - 1, 0), (1, 0)], "srsp: small tables", output)
    states = [int(re.search(r"program mp_remote_acquire_two: exhausted, no fault, (\d+) states", text).group(1))
              for text in (output, run("srsp", "--programs", "--without", "eviction")[1])]
    expect(states[0] != states[1], "small tables are other machines: %s" % states, "")
    status, output = run("srsp", "--programs", "-o", "si.store_fetches=1")
    expect(status == 2 and "no parameter of srsp" in output, "a parameter of another protocol", output)


def programs_with_two_slices():
    """What an L1 sends to one slice may arrive before what it has sent to the other."""
    for protocol in ("rsp", "srsp"):
        status, output = run(protocol, "--programs", "--slices", "2", "--without", "eviction")
        expect(status == 0 and count_programs(output) == [(PROGRAMS[protocol][0] - 1, 0), (1, 0)], "%s: two slices" % protocol, output)


def longer_programs_with_evictions():
    for most, evicting in (("0", 0), ("8", PROGRAMS["qr"][1] + 1)):
        status, output = run("qr", "--programs", "--operations", most)
        expect(status == 0 and output.count(", with evictions: ") == evicting, "qr: evictions up to %s operations" % most, output)


def random_programs():
    """Without races, judged by happens-before: right under the repaired protocols; they find the published one's fault, and others."""
    for protocol in PROGRAMS:
        status, output = run(protocol, "--programs", "--random", "--seeds", "40")
        expect(status == 0 and "exhausted, no fault: 40 programs" in output, "%s: random programs" % protocol, output)
    # Two compare-exchanges of group scope fail on one word: both L1s have it dirty, with the same value, and nothing is wrong.
    status, output = run("qr", "--programs", "--random", "--seed", "1000053996", "--seeds", "1")
    expect(status == 0 and "exhausted, no fault: 1 programs" in output, "qr: compare-exchanges that fail in two L1s", output)
    status, output = run("srsp-paper", "--programs", "--random", "--seeds", "60")
    expect(status == 1 and re.search(r"[23] of its 6 operations are enough", output) and "The shortest path" in output,
           "srsp-paper: random programs", output)
    for fault in ("forget_release", "no_selective_flush", "lose_object", "acquire_without_forgetting", "ask_none", "store_without_fifo"):
        status, output = run("srsp", "--programs", "--random", "--seeds", "20", "--no-shrink", "--break", fault)
        expect(status == 1 and "a fault: seed" in output, "srsp %s: random programs" % fault, output)


def all_that_a_protocol_can_run():
    """Nothing asked for: sRSP as published fails by its programs."""
    status, output = run("srsp-paper", "--seeds", "2")
    expect(status == 1 and "program lock: a fault" in output, "srsp-paper fails", output)


def a_request_that_is_never_taken_is_a_fault():
    """An acquire whose answer lets nothing go on: its program stops in the middle with nothing on its way."""
    status, output = run("srsp", "--programs", "--break", "hold_for_ever")
    expect(status == 1 and "deadlock: all is at rest, and L1" in output and "does not take" in output,
           "a request that is never taken is a fault", output)


def main():
    programs_show_what_is_published()
    programs_with_small_tables()
    programs_with_two_slices()
    longer_programs_with_evictions()
    random_programs()
    all_that_a_protocol_can_run()
    a_request_that_is_never_taken_is_a_fault()
    every_protocol_passes()
    accesses_in_program_order_end()
    what_was_found_once_stays_mended()
    states_that_are_alike_are_one()
    counts_are_those_of_the_documents()
    prompt_moves_leave_out_nothing()
    faults_are_found_either_way()
    every_fault_is_found()
    enough_faults()
    a_fault_is_told()
    a_wrong_program_is_made_small()
    parameters_are_taken()
    direct_transfers_pass()
    every_row_is_used()
    user_errors()
    return 1 if FAILURES else 0


sys.exit(main())
