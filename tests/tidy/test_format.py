#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether format.py sees a file that clang-format would write otherwise, and a line that is too long."""
import importlib.util
import os
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # nothing is written into the source tree
PLACE = os.path.dirname(os.path.abspath(__file__))
SPECIFICATION = importlib.util.spec_from_file_location("tidy_format", os.path.join(PLACE, "format.py"))
tidy_format = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(tidy_format)


class Format(unittest.TestCase):
    def violations(self, text):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "src", "base"))
            shutil.copy(os.path.join(PLACE, "..", "..", ".clang-format"), root)
            with open(os.path.join(root, "src", "base", "a.c"), "w", encoding="utf-8") as stream:
                stream.write(text)
            return tidy_format.violations(root, ["src/base"])

    def test_what_is_right(self):
        self.assertEqual(self.violations("int add(int a, int b)\n{\n    return a + b;\n}\n"), [])

    def test_another_format(self):
        found = self.violations("int add(int a, int b) { return a+b; }\n")
        self.assertTrue(found)
        self.assertIn("src/base/a.c:1:22: not as", found[0])

    def test_a_comment_that_is_too_long(self):
        found = self.violations("/* %s */\nint number;\n" % ("x" * 95))
        self.assertEqual(found, ["src/base/a.c:1: 101 characters, 100 are the maximum"])

    def test_characters_count_and_not_bytes(self):
        self.assertEqual(self.violations("/* %s */\nint number;\n" % ("\u2500" * 94)), [])

    def test_every_folder_is_there(self):
        root = os.path.join(PLACE, "..", "..")
        self.assertEqual([folder for folder in tidy_format.FOLDERS if not list(tidy_format.files_of(root, [folder]))], [])

    def test_every_exception_is_there_and_left_out(self):
        root = os.path.join(PLACE, "..", "..")
        for one in tidy_format.EXCEPT:
            self.assertTrue(os.path.isdir(os.path.join(root, one)), one)
            self.assertEqual(list(tidy_format.files_of(root, [one])), [])


if __name__ == "__main__":
    unittest.main()
