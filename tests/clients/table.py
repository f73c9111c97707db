# SPDX-License-Identifier: MIT
"""What the runs on both platforms say beside each other, and the table of it (docs/clients.md)."""
import collections
import fnmatch
import os

from case import LATE, PASS

REASONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reasons.txt")
CONFORMANCE = os.path.join(os.path.dirname(REASONS), "conformance.md")  # by hand
UNFINISHED, ABSENT = "not finished", "absent"
PIGLIT_BOUND = 0.99  # of what passes on PoCL

Difference = collections.namedtuple("Difference", "client case check wavetank pocl reason")


def read_reasons(path=REASONS):
    """Lines CLIENT | CASE | CHECK | REASON; the first three may have * in them. # begins a comment."""
    reasons = []
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            if line.strip() and not line.startswith("#"):
                parts = [part.strip() for part in line.split("|", 3)]
                assert len(parts) == 4 and parts[3], line
                reasons.append(parts)
    return reasons


def reason_of(reasons, client, case, check):
    for *patterns, reason in reasons:
        if all(fnmatch.fnmatchcase(name, pattern) for name, pattern in zip((client, case, check), patterns)):
            return reason
    return None


def outcome_of(run, check):
    outcome = run["checks"].get(check)
    if outcome == LATE or (outcome is None and LATE in run["checks"].values()):
        return "%s within %d s of processor time" % (UNFINISHED, run["limit"])
    return outcome or ABSENT


def pairs(entry):
    """(check, outcome on Wavetank, on PoCL) of a case that ran on both. A program that was late has the check "ends" with it."""
    runs = entry["Wavetank"], entry["PoCL"]
    for check in sorted(set(runs[0]["checks"]) | set(runs[1]["checks"])):
        yield (check, *(outcome_of(run, check) for run in runs))


def is_open(outcome):
    return outcome.startswith(UNFINISHED)


def compare(results, reasons):
    """{client: Counter of both, wavetank, pocl, neither, open, not run} and the differences; what is open is one of them."""
    counts, differences = {}, []
    for client in results:
        count = counts[client] = collections.Counter()
        for case, entry in results[client].items():
            if not {"Wavetank", "PoCL"} <= set(entry):
                count["not run"] += 1
                continue
            for check, wavetank, pocl in pairs(entry):
                ours, theirs = wavetank == PASS, pocl == PASS
                if is_open(wavetank) or is_open(pocl):
                    count["open"] += 1
                    count["open, ours pass"] += ours
                else:
                    count["both" if ours and theirs else "wavetank" if ours else "pocl" if theirs else "neither"] += 1
                if ours != theirs or is_open(wavetank) or is_open(pocl):
                    differences.append(Difference(client, case, check, wavetank, pocl, reason_of(reasons, client, case, check)))
    return counts, differences


def piglit_share(counts):
    count = counts.get("piglit", {})
    passes = count.get("both", 0) + count.get("pocl", 0)
    return count.get("both", 0) / passes if passes else None


def complaints(counts, differences):
    """What keeps the gate shut: differences without a reason, what did not run, too few of piglit's."""
    found = ["%s: %s%s: %s on Wavetank, %s on PoCL, and reasons.txt has no reason"
             % (d.client, d.case, " " + d.check if d.check else "", d.wavetank, d.pocl) for d in differences if d.reason is None]
    found += ["%s: %d cases did not run on both" % (client, count["not run"]) for client, count in counts.items() if count["not run"]]
    share = piglit_share(counts)
    if share is not None and share < PIGLIT_BOUND:
        found.append("piglit: %.2f %% of what passes on PoCL passes, %.0f %% are the bound" % (100 * share, 100 * PIGLIT_BOUND))
    return found


def difference_lines(differences):
    """One line a reason."""
    groups = {}
    for difference in differences:
        groups.setdefault((difference.client, difference.wavetank, difference.pocl, difference.reason), []).append(difference)
    for (client, wavetank, pocl, reason), members in sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1]), str(item[0][3]))):
        names = ["%s%s" % (m.case, " " + m.check if m.check else "") for m in members]
        shown = ", ".join("`%s`" % name for name in names[:6]) + (", ..." if len(names) > 6 else "")
        yield "| %s | %d | %s | %s | %s | %s |" % (client, len(members), shown.replace("|", "\\|"), wavetank, pocl, reason or "**none**")


def outside_lines(results):
    for client in sorted(results):
        for case, entry in sorted(results[client].items()):
            outside = entry.get("Wavetank", {}).get("outside")
            if outside:
                yield "| %s | `%s` | %s |" % (client, case, outside)


HEAD = """# Programs of others

Made by `make clients` (`tests/clients`), not by hand: OpenCL programs of Debian's packages, through the system's ICD loader, on Wavetank
(functional model) and on PoCL 3.1. A *check* is what a program judges one by one: a test, a routine in one precision, a query.

| client | both pass | Wavetank alone | PoCL alone | neither, or both skip it | not finished | of these pass on Wavetank |
| --- | --- | --- | --- | --- | --- | --- |
"""
NOT_FINISHED = """
*Not finished*: on one platform or the other the processor time that a case may take was up before the check came. That never counts as a pass.
"""
DIFFERENCES = """
## Differences, with their reasons

`tests/clients/reasons.txt` says them; a difference, or what is not finished, without a reason fails `make clients`.

| client | checks | which | Wavetank | PoCL | reason |
| --- | --- | --- | --- | --- | --- |
"""
OUTSIDE = """
## Programs that reach outside their buffers

Wavetank's functional model stops a kernel at the first byte behind a buffer. These tests do that, which other devices do not see. They ran
again on the timed model, which as a card looks at whole pages; the table above has what came of that.

| client | case | the access |
| --- | --- | --- |
"""


def write(path, results, counts, differences):
    share = piglit_share(counts)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(HEAD)
        for client in sorted(counts, key=str.lower):
            count = counts[client]
            numbers = [str(count[key]) for key in ("both", "wavetank", "pocl", "neither", "open", "open, ours pass")]
            stream.write("| %s | %s |\n" % (client, " | ".join(numbers)))
        stream.write(NOT_FINISHED)
        unrun = ["%s: %d" % (client, count["not run"]) for client, count in sorted(counts.items()) if count["not run"]]
        if unrun:
            stream.write("\nCases that did not run on both platforms: %s.\n" % ", ".join(unrun))
        if share is not None:
            stream.write("\nOf piglit's checks that pass on PoCL %.2f %% pass on Wavetank.\n" % (100 * share))
        stream.write(DIFFERENCES + "".join(line + "\n" for line in difference_lines(differences)))
        outside = list(outside_lines(results))
        if outside:
            stream.write(OUTSIDE + "".join(line + "\n" for line in outside))
        with open(CONFORMANCE, encoding="utf-8") as conformance:
            stream.write(conformance.read())
