#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether tidy.py sees what it should: each rule is broken once in a house of two files."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # nothing is written into the source tree
import tidy  # noqa: E402

SPDX = "/* SPDX-License-Identifier: MIT */\n"


def header(guard, rest=""):
    return SPDX + "/* What it is. */\n#ifndef %s\n#define %s\n%s\n#endif\n" % (guard, guard, rest)


class Tidy(unittest.TestCase):
    def complaints(self, **files):
        """File names have __ for / and _dot_ for a dot."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = os.path.join(root, name.replace("__", "/").replace("_dot_", "."))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as stream:
                    stream.write(text)
            return list(tidy.violations(root))

    def assert_clean(self, **files):
        self.assertEqual(self.complaints(**files), [])

    def assert_complaint(self, words, **files):
        found = self.complaints(**files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_clean_house(self):
        self.assert_clean(src__base__a_dot_h=header("BASE_A_H"),
                          src__mem__b_dot_c=SPDX + '#include "base/a.h"\n\nint add_two(int a, int b)\n{\n    return a + b;\n}\n')

    def test_includes(self):
        self.assert_complaint("base may not include sim/a.h", src__sim__a_dot_h=header("SIM_A_H"),
                              src__base__b_dot_c=SPDX + '#include "sim/a.h"\n')
        self.assert_complaint("gpu may not include mem/cache.h", src__mem__cache_dot_h=header("MEM_CACHE_H"),
                              src__gpu__b_dot_c=SPDX + '#include "mem/cache.h"\n')
        self.assert_clean(src__mem__msg_dot_h=header("MEM_MSG_H"), src__gpu__b_dot_c=SPDX + '#include "mem/msg.h"\n')
        self.assert_complaint("only include root", src__base__a_dot_h=header("BASE_A_H"),
                              src__base__b_dot_c=SPDX + '#include "a.h"\n')
        self.assert_complaint("no folder of the house", src__kitchen__a_dot_c=SPDX)

    def test_language(self):
        self.assert_complaint("most_bytes: a name says max", src__base__a_dot_h=header("BASE_A_H", "unsigned long add(int most_bytes);"))
        self.assert_complaint("LEAST: a name says max", src__base__a_dot_h=header("BASE_A_H", "enum { LEAST = 1 };"))
        self.assert_complaint("'nobody'", src__base__a_dot_h=header("BASE_A_H", "/* for nobody */"))
        self.assert_complaint("'whoever'", docs__a_dot_md="What whoever reads must know.\n")
        self.assert_clean(src__base__a_dot_h=header("BASE_A_H", "/* at most 1 of the least_bytes */\nvoid add(int is_one_at_most, int at_least, int almost_all);"))

    def test_a_function_has_a_subject(self):
        body = "\n{\n    return a + b;\n}\n"
        self.assert_complaint("place(): a function's name has a subject",
                              src__base__b_dot_c=SPDX + "static int place(int a,\n    int b)" + body)
        self.assert_complaint("of(): a function's name", libgpuvm__src__b_dot_c=SPDX + "struct two *of(int a, int b)" + body)
        self.assert_complaint("wrong(): a function's name", src__base__b_dot_c=SPDX
                              + "__attribute__((format(printf, 1, 2))) static int wrong(const char *a, ...)" + body)
        self.assert_clean(src__base__b_dot_c=SPDX + "int main(int a)" + body + "\n/* int place(int a)" + body + "*/\n")

    def test_no_layer_can_reach_itself(self):
        """The graph has no cycle: else it would be no house but one room. (isa/gcn and its bodies are one idea.)"""
        def below(layer):
            return {name if name in tidy.ALLOWED else os.path.dirname(name) for name in tidy.ALLOWED[layer]}
        for layer in tidy.ALLOWED:
            seen, todo = set(), set(below(layer))
            while todo:
                name = todo.pop()
                seen.add(name)
                todo |= below(name) - seen
            if not layer.startswith("isa/gcn"):
                self.assertNotIn(layer, seen)

    def test_sizes(self):
        body = "int work_one(void)\n{\n" + "    g();\n" * 70 + "}\n"
        self.assert_clean(src__base__a_dot_c=SPDX + body)
        self.assert_complaint("a function of 71 lines", src__base__a_dot_c=SPDX + body.replace("g();\n", "g();\n    h();\n", 1))
        self.assert_clean(src__base__a_dot_c=SPDX + "\n" * 499)
        self.assert_complaint("501 lines", src__base__a_dot_c=SPDX + "\n" * 500)
        self.assert_clean(src__base__a_dot_def=SPDX + "\n" * 900)

    def test_calls(self):
        def call(text):
            return SPDX + "void work_one(void)\n{\n    %s\n}\n" % text
        self.assert_complaint("sprintf()", src__base__a_dot_c=call("sprintf(a, b);"))
        self.assert_complaint("rand()", src__base__a_dot_c=call("x = rand();"))
        self.assert_clean(src__base__a_dot_c=call("snprintf(a, 1, b); strtok_r(a, b, c); operand(1); x->rand(2);"))
        self.assert_clean(src__base__a_dot_c=call('/* sprintf( */ puts("rand()");'))
        self.assert_complaint("time()", src__mem__a_dot_c=call("time(NULL);"))
        self.assert_clean(src__report__a_dot_c=call("time(NULL);"))
        self.assert_complaint("floorf()", src__isa__gcn__exec__a_dot_c=call("floorf(x);"))
        self.assert_clean(src__isa__gcn__exec__a_dot_c=call("fma(x, y, z); sqrtf(x); float_floor(x);"))
        self.assert_complaint("floating point", src__sim__a_dot_c=call("double x = 1;"))

    def test_state(self):
        self.assert_complaint("all machines share", src__gpu__a_dot_c=SPDX + "static int count;\n")
        self.assert_complaint("all machines share", src__gpu__a_dot_c=SPDX + "static struct table all[4] = {\n    {1},\n};\n")
        self.assert_complaint("all machines share", src__gpu__a_dot_c=SPDX + "uint64_t count = 0;\n")
        self.assert_complaint("all machines share",
                              src__gpu__a_dot_c=SPDX + "void work_one(void)\n{\n    static unsigned calls;\n}\n")
        self.assert_clean(src__gpu__a_dot_c=SPDX + "static const int table[] = {1};\nstatic int work_one(int a);\nstatic inline int work_two(void)\n"
                          "{\n    int local = 0;\n    return local;\n}\nextern const int x;\n")
        self.assert_clean(src__cli__a_dot_c=SPDX + "static int count;\n")

    def test_words(self):
        self.assert_complaint("first line", src__base__a_dot_c="int a(void);\n")
        self.assert_complaint("second line", tools__a_dot_py="print(1)\n")
        self.assert_complaint("guard should be BASE_A_H", src__base__a_dot_h=header("A_H"))
        self.assert_complaint("opens with a comment",
                              src__base__a_dot_h=header("BASE_A_H").replace("/* What it is. */\n", "\n"))
        self.assert_complaint("developer's machine", docs__a_dot_md="see /" + "home/user/notes\n")
        self.assert_clean(docs__a_dot_md="see $HOME/home/x, /usr/lib/clc and build/work/a\n")


if __name__ == "__main__":
    unittest.main()
