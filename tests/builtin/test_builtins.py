#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The built-in library: it defines what clang declares and libclc lacks, it is asked before libclc, its functions give what
OpenCL C says, and orders and scopes that are constants in a program reach the code generator as such."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
from wavetank_tests import BUILD, MODELS, WAVETANK, ProgramTest, execute, main, on_wavetank  # noqa: E402

CLANG, NM = os.environ["WAVETANK_KERNEL_COMPILER"], os.environ["WAVETANK_NM"]
BUILTINS = os.path.join(BUILD, "src", "builtin", "builtins.bc")
# As src/builtin/meson.build and src/program give it.
EXTENSIONS = ("-cl-ext=+cl_khr_depth_images,+cl_khr_fp16,-cl_khr_mipmap_image,-cl_khr_mipmap_image_writes,-cl_amd_media_ops,"
              "-cl_amd_media_ops2,+__opencl_c_subgroups")
OVERLOADED = re.compile(r"([^;{}]*__attribute__\(\(overloadable\)\)[^;{}]*);")


def compile_bitcode(source, target, *options):
    return execute([CLANG, "--no-default-config", "-target", "amdgcn-amd-amdhsa", "-mcpu=tahiti", "-x", "cl", "-nogpulib",
                    "-D__IMAGE_SUPPORT__=1", "-Xclang", EXTENSIONS, "-w", "-emit-llvm", "-c", source, "-o", target, *options])


def defined_in(path):
    lines = execute([NM, "--defined-only", path]).output.splitlines()
    return {line.split()[-1] for line in lines if line}


class Names(ProgramTest):
    """clang's opencl-c.h holds every declaration: as definitions they show what the functions are called."""

    def declared(self, folder, language):
        include = os.path.join(execute([CLANG, "-print-resource-dir"]).output.strip(), "include", "opencl-c.h")
        flat, bitcode = os.path.join(folder, "flat.cl"), os.path.join(folder, "all.bc")
        with open(os.path.join(folder, "empty.cl"), "w", encoding="utf-8") as stream:
            stream.write('#include "%s"\n' % include)
        result = execute([CLANG, "-cc1", "-triple", "amdgcn-amd-amdhsa", "-target-cpu", "tahiti", "-x", "cl", language,
                          "-D__IMAGE_SUPPORT__=1", EXTENSIONS, "-E", "-P", os.path.join(folder, "empty.cl"), "-o", flat])
        self.assert_passed(result, "preprocessing")
        with open(flat, encoding="utf-8") as stream:
            text = OVERLOADED.sub(lambda match: re.sub(r"__attribute__\(\((const|pure|convergent)\)\)", "", match.group(1)) +
                                  "{__builtin_trap();}", stream.read())
        for _ in range(2):  # the header declares some twice: those go
            with open(flat, "w", encoding="utf-8") as stream:
                stream.write(text)
            result = execute([CLANG, "-cc1", "-triple", "amdgcn-amd-amdhsa", "-target-cpu", "tahiti", "-x", "cl", language,
                              EXTENSIONS, "-w", "-ferror-limit", "0", "-emit-llvm-bc", flat, "-o", bitcode])
            wrong = {int(line) for line in re.findall(r"flat\.cl:(\d+):\d+: error: redefinition", result.errors)}
            text = "\n".join(line for number, line in enumerate(text.split("\n"), 1) if number not in wrong)
        self.assert_passed(result, "all declarations")
        return defined_in(bitcode)

    def check(self, language):
        libclc = re.search(r"libclc \S+ \((.*)\)", execute([WAVETANK, "version"]).output).group(1)
        with tempfile.TemporaryDirectory() as folder:
            declared = self.declared(folder, language)
        self.assertGreater(len(declared), 9000)
        missing = declared - defined_in(libclc) - defined_in(BUILTINS)
        # cl_amd_media_ops and its kin are declared always and offered never.
        self.assertEqual([name for name in sorted(missing) if "amd_" not in name], [])

    def test_opencl_c_1_2(self):
        self.check("-cl-std=CL1.2")

    def test_opencl_c_3_0(self):
        self.check("-cl-std=CL3.0")


KERNEL = """
__kernel void k(__global uint *a) { a[0] = get_global_size(0); a[1] = get_local_size(0); }
"""
PRINT = """
import sys, numpy, pyopencl
device = pyopencl.get_platforms()[0].get_devices()[0]
context = pyopencl.Context([device]); queue = pyopencl.CommandQueue(context)
out = numpy.zeros(2, numpy.uint32)
buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 8)
pyopencl.Program(context, %r).build().k(queue, (64,), (16,), buffer)
pyopencl.enqueue_copy(queue, out, buffer)
print(*out)
""" % KERNEL


class Choice(ProgramTest):
    def test_the_built_in_library_comes_before_libclc(self):
        """And what was compiled with another one is not taken from the cache."""
        with tempfile.TemporaryDirectory() as folder:
            source, library = os.path.join(folder, "own.cl"), os.path.join(folder, "own.bc")
            with open(source, "w", encoding="utf-8") as stream:
                stream.write("__attribute__((overloadable, const)) size_t get_global_size(uint axis) { return 4321; }\n")
            self.assert_passed(compile_bitcode(source, library), "own library")
            wanted = {BUILTINS: "64 16\n", library: "4321 16\n"}
            for path in (BUILTINS, library, BUILTINS):
                os.environ["WAVETANK_BUILTINS"] = path
                try:
                    result = on_wavetank([sys.executable, "-c", PRINT], "functional")
                finally:
                    del os.environ["WAVETANK_BUILTINS"]
                self.assert_passed(result, path)
                self.assertEqual(result.output, wanted[path])

    def test_a_library_that_is_not_there(self):
        environment = dict(os.environ, WAVETANK_BUILTINS="/nowhere/builtins.bc")
        result = execute([WAVETANK, "disasm", os.path.join(HERE, "orders.cl")], environment=environment)
        self.assertNotEqual(result.status, 0)
        self.assertIn("WAVETANK_BUILTINS=/nowhere/builtins.bc: no such file", result.errors)


class Orders(ProgramTest):
    """orders.cl has a kernel for each case; what its code waits for and invalidates says which order clang saw."""

    def code(self, kernel):
        result = execute([WAVETANK, "disasm", "--kernel", kernel, os.path.join(HERE, "orders.cl"), "-cl-std=CL3.0"])
        self.assert_passed(result, kernel)
        return result.output

    def test_relaxed_invalidates_nothing(self):
        for kernel in ("relaxed_add", "relaxed_load", "work_group_fence", "local_barrier"):
            self.assertNotIn("buffer_wbinvl1", self.code(kernel), kernel)

    def test_acquire_at_device_scope_invalidates_once(self):
        for kernel in ("acquire_load", "acquire_add", "device_fence", "short_add"):
            self.assertEqual(self.code(kernel).count("buffer_wbinvl1"), 1, kernel)

    def test_no_branch_on_an_order_that_is_constant(self):
        for kernel in ("relaxed_add", "acquire_load", "acquire_add", "device_fence", "short_add", "local_barrier"):
            code = self.code(kernel)
            self.assertNotRegex(code, r"s_cbranch|s_swappc|s_setpc", kernel)

    def test_an_atomic_of_a_uniform_address_stays_one(self):
        """clang's own builtin underneath: its optimiser adds a wavefront's values first."""
        self.assertIn("s_bcnt1", self.code("uniform_add"))


class Functions(ProgramTest):
    def check(self, name, models=MODELS[1:], arguments=()):
        program = os.path.join(HERE, name + "_program.py")
        for model in models:
            result = on_wavetank([sys.executable, program, "Wavetank", *arguments], model)
            self.assert_passed(result, "%s, %s" % (name, model))
            self.assertRegex(result.output, r"^\d+ checks, 0 failed\n$")

    def test_copies_of_a_work_group(self):
        self.check("async", MODELS)

    def test_atomics(self):
        self.check("atomic", MODELS)

    def test_conversions_of_floats(self):
        self.check("convert", arguments=["float"])

    def test_conversions_of_doubles(self):
        self.check("convert", arguments=["double"])

    def test_conversions_of_integers(self):
        self.check("convert", arguments=["char", "ushort", "int", "ulong"])

    def test_tgamma(self):
        self.check("math")

    def test_images(self):
        self.check("image", arguments=["few"])

    def test_images_in_time(self):
        self.check("image", MODELS[:1], ["query", "both", "half", "plain", "write", "few"])

    def test_products_that_saturate(self):
        self.check("saturate")


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import pyopencl"], capture_output=True, check=False).returncode:
        sys.exit(77)
    main()
