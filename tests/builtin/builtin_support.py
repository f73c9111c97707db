# SPDX-License-Identifier: MIT
"""What the programs of this folder share: a device found by its platform's name, kernels run on numpy arrays, and verdicts
a line each. Status 1 if a part was wrong."""
import os
import sys

import numpy

os.environ["PYOPENCL_NO_CACHE"] = "1"  # its binaries may be of another library
import pyopencl  # noqa: E402

FLAGS = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
SCALARS = {
    "char": numpy.int8, "uchar": numpy.uint8, "short": numpy.int16, "ushort": numpy.uint16,
    "int": numpy.int32, "uint": numpy.uint32, "long": numpy.int64, "ulong": numpy.uint64,
    "half": numpy.float16, "float": numpy.float32, "double": numpy.float64,
}
HEAD = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
WIDTHS = (1, 2, 3, 4, 8, 16)


def slots(width):
    """Elements that a vector takes in memory: one of three takes four."""
    return 4 if width == 3 else width


def name_of(scalar, width):
    return scalar if width == 1 else "%s%d" % (scalar, width)


class Nothing:
    """Has every kernel, and runs none."""

    def __getattr__(self, name):
        return None


class Session:
    def __init__(self, platform_name):
        matches = [p for p in pyopencl.get_platforms() if platform_name in p.name]
        if not matches:
            sys.exit("no platform named " + platform_name)
        self.context = pyopencl.Context([matches[0].get_devices()[0]])
        self.queue = pyopencl.CommandQueue(self.context)
        self.failures, self.kept = 0, 0
        self.folder = os.environ.get("WAVETANK_TEST_SOURCES")  # where sources go instead of being built and run

    def build(self, source, options=()):
        if self.folder:
            return self.keep(HEAD + source, options)
        return pyopencl.Program(self.context, HEAD + source).build(options=list(options))

    def keep(self, source, options):
        """A program without kernels: the source is a file, and nothing runs."""
        with open(os.path.join(self.folder, "%s-%d-%03d.cl" % (os.path.basename(sys.argv[0]), os.getpid(), self.kept)), "w",
                  encoding="utf-8") as stream:
            stream.write("// %s\n" % " ".join(options) + source)
        self.kept += 1
        return Nothing()

    def run(self, kernel, global_size, local_size, *arguments, offset=None):
        """Runs a kernel; arrays among the arguments are copied to the device and back."""
        if kernel is None:
            return
        buffers = {}
        for place, argument in enumerate(arguments):
            if isinstance(argument, numpy.ndarray):
                buffers[place] = pyopencl.Buffer(self.context, FLAGS, hostbuf=argument)
        kernel(self.queue, global_size, local_size,
               *[buffers.get(place, argument) for place, argument in enumerate(arguments)], global_offset=offset)
        for place, buffer in buffers.items():
            pyopencl.enqueue_copy(self.queue, arguments[place], buffer)

    def expect(self, name, got, wanted):
        """Both are arrays of one type, or sequences of Python values; a bit of difference is wrong."""
        got, wanted = numpy.asarray(got), numpy.asarray(wanted)
        if self.folder:
            return
        right = got.shape == wanted.shape and got.tobytes() == wanted.tobytes()
        if not right:
            self.failures += 1
            print("%s: FAILED" % name)
            if got.shape == wanted.shape:
                for place in numpy.flatnonzero((got != wanted) & ~((got != got) & (wanted != wanted)))[:4]:
                    print("  [%d] is %s, should be %s" % (place, got.flat[place], wanted.flat[place]))

    def finish(self, checks):
        print("%d checks, %d failed" % (checks, self.failures))
        sys.exit(1 if self.failures or not checks else 0)
