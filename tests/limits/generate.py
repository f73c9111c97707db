#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints a list of kernels for judge.py --generated: a name, and the arguments of tests/limits/generated. Each row of KINDS is made to
meet one limit; a seed draws its parameters.

Usage: generate.py SEED [KERNELS_A_KIND]
"""
import random
import sys

# Name: (kernel, {option: values to draw from}).
KINDS = {
    "issue_fma": ("vector_operations", {"a": (4, 8, 16), "loops": (32, 48), "size": (96, 128, 192), "group": (128, 256)}),
    "issue_multiply": ("slow_operations", {"a": (2, 4, 8), "loops": (16, 24), "size": (96, 128), "group": (128, 256)}),
    "lds_conflicts": ("local_loads", {"a": (2, 4, 8, 16, 32), "b": (2, 4, 8), "loops": (24, 48), "size": (96, 160), "group": (128, 256)}),
    "lds_in_a_row": ("local_loads", {"a": (1, 3, 33), "b": (8, 16), "loops": (12, 24), "size": (64, 96), "group": (256,)}),
    "lds_stores": ("local_stores", {"a": (1, 2, 4, 16), "b": (4, 8), "loops": (12, 24), "size": (64, 96), "group": (256,)}),
    "l1_hits": ("shared_loads", {"a": (1, 2), "b": (4, 8), "words": (512, 1024, 2048), "loops": (8, 12), "size": (64, 96),
                                 "group": (256,)}),
    "l1_scattered": ("scattered_loads", {"a": (1, 2, 4), "b": (4, 8), "words": (1024, 2048), "loops": (4, 6), "size": (64,),
                                         "group": (256,)}),
    "l2_stream": ("shared_loads", {"a": (1, 2, 4), "b": (4, 8), "words": (65536, 131072), "loops": (4, 8), "size": (64, 96),
                                   "group": (256,)}),
    "l2_scattered": ("scattered_loads", {"a": (1, 4, 16), "b": (4, 8), "words": (65536, 131072), "loops": (4, 6), "size": (64, 96),
                                         "group": (256,)}),
    "dram_stream": ("stream", {"a": (1, 4), "b": (4, 8), "words": (1 << 22,), "loops": (2, 3), "size": (128, 256), "group": (256,)}),
    "dram_balanced": ("stream", {"a": (32, 64), "b": (1, 2), "words": (1 << 22,), "loops": (4, 6), "size": (128, 192), "group": (256,)}),
    "dram_scattered": ("scattered_loads", {"a": (4, 16), "b": (2, 4, 8), "words": (1 << 22,), "loops": (4, 6), "size": (48, 64),
                                           "group": (256,)}),
    "copy": ("copy", {"words": (1 << 22,), "loops": (2, 4, 6), "size": (128, 256), "group": (128, 256)}),
    "stores_l2": ("stores", {"a": (1, 2), "words": (16384, 65536), "loops": (8, 16), "size": (64, 128), "group": (256,)}),
    "stores_apart": ("stores", {"a": (16, 32), "words": (1 << 20,), "loops": (2, 4), "size": (48, 64), "group": (256,)}),
    "chase": ("chase", {"a": (1, 3), "b": (1, 3), "words": (1 << 16, 1 << 21), "loops": (32, 64), "size": (16, 32, 64), "group": (64,)}),
    "few_wavefronts": ("stream", {"a": (1, 8), "b": (1, 2), "words": (1 << 22,), "loops": (16, 32), "size": (32, 48), "group": (64, 128)}),
    "scalar_loads": ("uniform_loads", {"a": (1, 3), "b": (4, 8, 16), "words": (2048, 65536), "loops": (16, 24), "size": (64,),
                                       "group": (64, 128)}),
    "atomics_one": ("atomics", {"a": (1, 2, 4), "words": (4096,), "loops": (1, 2), "size": (16, 24), "group": (64, 128)}),
    "atomics_many": ("atomics", {"a": (256, 1024), "words": (1 << 16,), "loops": (2, 4), "size": (32, 64), "group": (128, 256)}),
    "branches": ("branches", {"a": (1, 3, 7), "loops": (32, 48), "size": (64, 96), "group": (128, 256)}),
    "long_code": ("long_code", {"a": (1, 6), "loops": (1, 2), "size": (16, 24), "group": (64,)}),
    "dispatch": ("nothing", {"size": (2048, 4096), "group": (64, 128)}),
    "barriers": ("rounds", {"a": (1, 4, 8), "loops": (16, 32), "size": (96, 160), "group": (128, 256)}),
}


def kernels(seed, count):
    """(name, arguments) of each."""
    for kind, (kernel, options) in KINDS.items():
        for number in range(count):
            draw = random.Random("%s %s %d" % (seed, kind, number))
            words = ["--kernel", kernel]
            for option, values in options.items():
                words += ["--" + option, str(draw.choice(values))]
            yield "%s_%s_%d" % (kind, seed, number), words


def main():
    seed, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print("# generate.py %s %d" % (seed, count))
    for name, words in kernels(seed, count):
        print(name, *words)


if __name__ == "__main__":
    main()
