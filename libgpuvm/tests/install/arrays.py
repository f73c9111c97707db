# SPDX-License-Identifier: MIT
"""The Python package: numpy arrays of any kind, uses, errors, statistics, and blocks that live as long as their arrays."""
import gc

import gpuvm
import numpy
import pyopencl

results = []


def check(is_right, what):
    results.append(bool(is_right))
    if not is_right:
        print("FAILED:", what)


def raises(code, function, *arguments):
    try:
        function(*arguments)
    except gpuvm.Error as error:
        return error.code == code and str(error) != ""
    return False


def main():
    context = pyopencl.Context([pyopencl.get_platforms()[0].get_devices()[0]])
    queue = pyopencl.CommandQueue(context)
    program = pyopencl.Program(context, "kernel void twice(global double *a) { a[get_global_id(0)] *= 2; }").build()
    check(raises(-12, gpuvm.stat, "arrays"), "before init")
    gpuvm.init([queue], gpuvm.STAT)
    check(raises(-5, gpuvm.init, [queue]), "init twice")

    own = gpuvm.array(numpy.arange(20000.0).reshape(100, 200))
    check(own.ctypes.data % 4096 == 0 and own.shape == (100, 200), "its own arrays begin with a page")
    plain = numpy.arange(30000.0)
    other = numpy.ones(10)
    for values in (own, plain, other):
        expected = values.copy()
        with gpuvm.share(values, queue) as buffer:
            for k in range(5):
                with gpuvm.kernel(writes=[values]):
                    program.twice(queue, (values.size,), None, buffer)
                values.flat[3] += k
                expected = expected * 2
                expected.flat[3] += k
                check(values.flat[values.size - 1] == expected.flat[values.size - 1], f"the last of {values.size}")
            with gpuvm.kernel(writes=[values]):
                program.twice(queue, (values.size,), None, buffer)
            with gpuvm.host(values):
                check((values == expected * 2).all(), f"all of {values.size}")
    check(gpuvm.stat("arrays") == 0 and gpuvm.stat("rung") and gpuvm.stat("copy_time") >= 0, "statistics")
    check(raises(-8, gpuvm.unlink, plain), "unlinked twice")
    try:
        gpuvm.link(plain[::2], 1)
        check(False, "strides are refused")
    except ValueError:
        check(True, "strides are refused")

    sealed = numpy.arange(30000.0)
    sealed.flags.writeable = False
    for use in "writes", "overwrites":
        try:
            gpuvm.kernel(**{use: [sealed]})
            check(False, f"a read-only array is refused in {use}=")
        except ValueError as error:
            check("read-only" in str(error), f"a read-only array is refused in {use}=")
    with gpuvm.share(sealed, queue), gpuvm.kernel(reads=[sealed]):
        pass

    part = gpuvm.zeros(1000)[100:200]
    gc.collect()
    junk = [gpuvm.zeros(1000) + 1 for _ in range(20)]
    check((part == 0).all() and len(junk) == 20, "a view keeps its block")
    gpuvm.finish()
    print(f"{sum(results)} passed, {results.count(False)} failed")


main()
