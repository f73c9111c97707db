# SPDX-License-Identifier: MIT
"""`wavetank signatures` replays what a run has recorded: real conflicts are those that a count by hand finds, and false ones go with the size."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import WAVETANK, ProgramTest, execute, main, on_wavetank, program_path  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "include", "wavetank")


def read(path):
    """Attempts: began, ended, committed, and accesses: reads, writes, word, cycle."""
    attempts = []
    with open(path) as file:
        for words in (line.split() for line in file):
            if words[0] == "attempt":
                attempts.append((int(words[1]), int(words[2]), words[3] == "1", []))
            elif words[0] != "launch":
                attempts[-1][3].append((words[0] != "w", words[0] != "r", int(words[1], 16), int(words[2])))
    return attempts


def pairs(attempts, reads_only):
    """A commit, and another attempt that has begun, has not ended, and has accessed a word that is written: by the order of the replay."""
    found = 0
    for i, (_, ended, committed, accesses) in enumerate(attempts):
        written = {word for _, writes, word, _ in accesses if writes}
        for j, (begun, over, _, others) in enumerate(attempts):
            if committed and i != j and begun < ended and (over, j) > (ended, i):
                found += any(word in written and cycle < ended and (reads or not reads_only) for reads, _, word, cycle in others)
    return found


class Signatures(ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir="/tmp")
        self.path = os.path.join(self.folder.name, "r")
        self.addCleanup(self.folder.cleanup)

    def rows(self, *options):
        """By scheme and bits: conflicts, false ones, transactions stopped, for nothing."""
        result = execute([WAVETANK, "signatures", *options, self.path])
        self.assertEqual(result.status, 0, result.report())
        rows = [line.replace("%", "").split() for line in result.output.splitlines()[2:]]
        return {(row[0], int(row[1])): [int(row[i]) for i in (2, 3, 5, 6)] for row in rows}, result.output

    def write(self, text):
        with open(self.path, "w") as file:
            file.write(text)

    def test_a_run(self):
        for system in ("ideal_global", "kilotm"):
            command = [program_path("tests/tm/kernel"), os.path.join(HERE, "kilotm.cl"), "insert", "24", "64", "6", "-g -I " + INCLUDE]
            result = on_wavetank(command, "timed", ("gpu.transactional_memory=" + system, "sim.record_transactions=" + self.path))
            self.assert_passed(result, system)
            attempts = read(self.path)
            sums = result.statistics["kernels"][0]["sums"]
            self.assertEqual(len(attempts), sums["tm.oracle.attempts"])
            self.assertEqual(sum(attempt[2] for attempt in attempts), 6 * 64)
            rows, output = self.rows("--bits", "8", "--bits", "65536")
            self.assertIn("%d attempts, %d commits" % (len(attempts), 6 * 64), output)
            for scheme, reads_only in (("sets", False), ("ring", True)):
                self.assertEqual(rows[scheme, 65536][0], pairs(attempts, reads_only))
                self.assertEqual(rows[scheme, 8][0], rows[scheme, 65536][0])
                self.assertEqual(rows[scheme, 65536][1], 0)
                self.assertGreater(rows[scheme, 8][1], 0)
                self.assertGreater(rows[scheme, 65536][0], 0)

    def test_by_hand(self):
        self.write("launch\nattempt 0 20 1\nr 1 1\nw 1 1\nattempt 5 40 1\nr 1 10\nw 2 10\nattempt 6 50 0\nw 2 7\nattempt 30 60 1\nu 2 45\n"
                   "launch\nattempt 0 9 1\nw 5 1\nattempt 0 8 0\nu 5 2\n")
        rows, output = self.rows("--bits", "65536")
        self.assertIn("6 attempts, 4 commits, at most 3 at a time", output)
        # word 1 at 20 meets the second attempt; word 2 at 40 the third, which writes it, and not the fourth, which comes later
        self.assertEqual(rows["sets", 65536], [2, 0, 2, 0])
        self.assertEqual(rows["ring", 65536], [1, 0, 1, 0])

    def test_mistakes(self):
        self.write("launch\nattempt 5 4 1\n")
        for words in ([], ["/nowhere"], ["--bits", "12", self.path], [self.path]):
            result = execute([WAVETANK, "signatures", *words])
            self.assertEqual(result.status, 2, result.report())
        self.write("r 1 1\n")
        self.assertIn("not what sim.record_transactions writes", execute([WAVETANK, "signatures", self.path]).errors)


if __name__ == "__main__":
    main()
