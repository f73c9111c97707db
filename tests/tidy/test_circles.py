#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does circles.py see circles, and only those?"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import circles  # noqa: E402


def listing(*lines):
    return "\n".join("lib.a[%s]: %s %s" % line for line in lines)


class Circles(unittest.TestCase):
    def test_a_chain_is_none(self):
        graph = circles.needs(listing(("a.o", "f", "T"), ("a.o", "g", "U"), ("b.o", "g", "T"), ("b.o", "printf", "U")))
        self.assertEqual(graph, {"a.o": {"b.o"}, "b.o": set()})
        self.assertEqual(circles.circles(graph), [])

    def test_three_that_need_each_other_are_one(self):
        graph = circles.needs(listing(
            ("a.o", "f", "T"), ("a.o", "g", "U"), ("b.o", "g", "T"), ("b.o", "table", "U"), ("c.o", "table", "R"),
            ("c.o", "f", "U"), ("d.o", "f", "U")))
        self.assertEqual(circles.circles(graph), [["a.o", "b.o", "c.o"]])

    def test_a_static_function_is_nothing_to_others(self):
        graph = circles.needs(listing(("a.o", "f", "t"), ("a.o", "g", "U"), ("b.o", "g", "T"), ("b.o", "f", "U")))
        self.assertEqual(circles.circles(graph), [])


if __name__ == "__main__":
    unittest.main()
