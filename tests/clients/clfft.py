# SPDX-License-Identifier: MIT
"""clFFT's test client (package clfft-client): it transforms ones and compares with what must come out."""
import os

from case import FAIL, PASS, ending, make_case

CLIENTS = ("clFFT",)
PROGRAM = "/usr/bin/clFFT-client"
# Lengths of each radix that clFFT generates kernels for (2, 3, 5, 7, 11, 13), of several passes, in 1, 2 and 3 dimensions.
LENGTHS = ("16", "1024", "4096", "65536", "243", "625", "343", "121", "169", "1080", "30030", "131072")
PLANES = ((64, 64), (128, 32), (60, 36), (1024, 8))
VOLUMES = ((16, 16, 16), (8, 12, 20))
IN_ALL_FORMS = ("x 1024", "x 1080", "64 x 64", "8 x 12 x 20")


def read_client(status, output):
    if "Internal Client Test *****PASS*****" in output and status == 0:
        return {"": PASS}
    return {"": FAIL if status == 0 else ending(status)}


def cases(_folder):
    if not os.path.exists(PROGRAM):
        return None
    shapes = {"x %s" % x: ["-x", x] for x in LENGTHS}
    shapes.update({"%d x %d" % s: ["-x", str(s[0]), "-y", str(s[1])] for s in PLANES})
    shapes.update({"%d x %d x %d" % s: ["-x", str(s[0]), "-y", str(s[1]), "-z", str(s[2])] for s in VOLUMES})
    forms = {"complex": [], "complex, out of place": ["-o"], "complex, backward": ["--inv"], "complex, double": ["--double"],
             "planar": ["--inLayout", "2", "--outLayout", "2", "-o"], "real": ["--inLayout", "5", "--outLayout", "3", "-o"],
             "four at once": ["-b", "4"]}
    found = [make_case("clFFT", "%s, %s" % (shape, form), [PROGRAM, "-p", "1", *shapes[shape], *forms[form]],
                       read=read_client, quick=shape == "x 1080", timeout=900)
             for shape in shapes for form in forms if form == "complex" or shape in IN_ALL_FORMS]
    found.append(make_case("clFFT", "x 1080, complex, timed", [PROGRAM, "-p", "1", "-x", "1080"], read=read_client, model="timed",
                           quick=True, timeout=240))
    return found
