#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Graph workloads: what they read, what they make, and who steals."""
import lzma
import os
import re
import tempfile
import unittest

from wavetank_tests import WAVETANK, ProgramTest, execute, main, program_path

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "graphs")
METIS = "% a square with a diagonal, and a vertex alone\n5 5\n2 4 3\n1 3\n2 4 1\n1 3\n\n"
DIMACS = "c the same\np sp 5 5\na 1 2 1\na 2 3 1\na 3 4 1\na 4 1 1\na 1 3 1\n"
EDGES = "# the same, without the vertex alone; edges again and a loop\n10 20\n20 10\n20\t30\n30 40\n40 10\n10 30\n10 10\n"


def functional(name, *arguments):
    return execute([WAVETANK, "run", "--quiet", "--model", "functional", "--workload", name, "--", "--verbose", *arguments])


class Graphs(ProgramTest):
    def read(self, text, name="mis", *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "graph")
            with open(path, "w", encoding="ascii") as stream:
                stream.write(text)
            return functional(name, "--file", path, "--groups", "2", *arguments)

    def test_three_formats_are_one_graph(self):
        for text, vertices, median in ((METIS, 5, 2), (DIMACS, 5, 2), (EDGES, 4, 3)):
            result = self.read(text)
            self.assert_passed(result, text)
            self.assertIn("graph: %d vertices, 10 arcs" % vertices, result.output)
            self.assertIn("median %d, 90 %% 3, 99 %% 3, most 3" % median, result.output)

    def test_weights_are_read(self):
        plain = self.read(DIMACS, "sssp", "--rounds", "0").lines("checksum")
        heavy = self.read(DIMACS.replace("a 1 3 1", "a 1 3 9"), "sssp", "--rounds", "0").lines("checksum")
        self.assertNotEqual(plain, heavy)
        metis = "5 5 001\n2 1 4 1 3 9\n1 1 3 1\n2 1 4 1 1 9\n1 1 3 1\n\n"
        self.assertEqual(self.read(metis, "sssp", "--rounds", "0").lines("checksum"), heavy)

    def test_what_is_no_graph_is_said_with_its_line(self):
        for text, line, words in ((METIS.replace("2 4 3", "2 4 6"), 3, "no such vertex"),
                                  (METIS.replace("2 4 3", "2 x 3"), 3, "a number is expected"),
                                  (METIS.replace("5 5", "5 6"), 7, "another number of edges"),
                                  (DIMACS.replace("a 2 3 1", "a 2 3"), 4, "a number is missing"),
                                  (DIMACS.replace("p sp", "p max"), 2, "shortest paths"),
                                  (EDGES.replace("30 40", "30"), 5, "a number is missing")):
            result = self.read(text)
            self.assertEqual(result.status, 2, text)
            self.assertRegex(result.errors, r"graph:%d: .*%s" % (line, words))
        self.assertEqual(functional("mis", "--file", "/no/such/file").status, 2)

    def test_real_graphs(self):
        for file, vertices, arcs in (("CA-CondMat_tab-sep.edgelist", 23133, 186878), ("astro-ph.graph", 16706, 242502),
                                     ("PGPgiantcompo.graph", 10680, 48632)):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, file)
                with lzma.open(os.path.join(DATA, file + ".xz")) as source, open(path, "wb") as stream:
                    stream.write(source.read())
                result = functional("pagerank", "--file", path, "--rounds", "2", "--scenario", "steal")
            self.assert_passed(result, file)
            self.assertIn("graph: %d vertices, %d arcs" % (vertices, arcs), result.output)

    def test_made_graphs_have_their_models_degrees(self):
        for name, size, mean, most in (("pagerank", 31163, (7.5, 8.7), (200, 280)), ("mis", 192244, (6.1, 6.5), (900, 1071)),
                                       ("sssp", 20080, (2.48, 2.50), (3, 4))):
            output = functional(name, "--size", str(size), *(["--rounds", "1"] if name != "mis" else [])).output
            found = re.search(r"mean ([\d.]+), .* most (\d+)", output)
            self.assertTrue(mean[0] <= float(found.group(1)) <= mean[1], output)
            self.assertTrue(most[0] <= int(found.group(2)) <= most[1], output)

    def test_stealing_steals(self):
        for scenario, is_stealing in (("base", False), ("scope", False), ("steal", True), ("remote", True)):
            output = functional("mis", "--size", "3000", "--groups", "8", "--scenario", scenario).output
            stolen = int(re.search(r"done, (\d+) of them stolen", output).group(1))
            self.assertEqual(stolen > 0, is_stealing, output)

    def test_victims(self):
        """Whom thieves ask changes who does what, and never what is done: the program counts each task."""
        stolen = {}
        for victims in ("near", "far", "drawn"):
            result = functional("mis", "--size", "3000", "--groups", "8", "--scenario", "steal", "--victims", victims)
            self.assert_passed(result, victims)
            stolen[victims] = re.search(r"done, (\d+) of them stolen", result.output).group(1)
        self.assertEqual(len(set(stolen.values())), 3, stolen)

    def test_looks(self):
        """A thief that ends after one empty queue misses tasks that one who asks all others finds."""
        stolen = {}
        for looks in ("0", "1", "7"):
            result = functional("mis", "--size", "3000", "--groups", "8", "--scenario", "steal", "--looks", looks)
            self.assert_passed(result, looks)
            stolen[looks] = int(re.search(r"done, (\d+) of them stolen", result.output).group(1))
        self.assertTrue(0 < stolen["1"] < stolen["0"] == stolen["7"], stolen)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
