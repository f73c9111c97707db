# SPDX-License-Identifier: MIT
"""libgpuvm for Python: numpy arrays and pyopencl's kernels share memory.

    queue = pyopencl.CommandQueue(context)
    gpuvm.init([queue])
    a = gpuvm.zeros(1000, numpy.float32)            # page-aligned: no edges
    with gpuvm.share(a, queue) as buffer:           # a pyopencl.Buffer, linked with a
        with gpuvm.kernel(writes=[a]):              # from here on the device's
            program.step(queue, a.shape, None, buffer)
        a[3] += 1                                   # the host's again: what is touched comes by itself

Any C-contiguous numpy array may be linked, also one that is not from here. While a link stands the array is kept.
The library is the one beside this package, GPUVM_LIBRARY, or what the loader finds.
"""
import ctypes
import os
import pathlib
import weakref

import numpy

OPENCL, ON_HOST, ON_DEVICE = 0x1, 0x4, 0x8
READ_ONLY, WRITE_ONLY, READ_WRITE = 0x10, 0x20, 0x30
STAT, CHECK_SHARING, NO_REACH = 0x40, 0x8000, 0x20000

# gpuvm_stat's parameters and the types of their values, by the names of gpuvm.h in lower case.
_COUNT = ctypes.c_ulonglong
_STATISTICS = {
    "enabled": (1, ctypes.c_int), "ndevs": (2, ctypes.c_uint), "copy_time": (3, ctypes.c_double), "pagefaults": (4, _COUNT),
    "host_copy_time": (5, ctypes.c_double), "pagefault_time": (6, ctypes.c_double), "bytes_to_device": (7, _COUNT),
    "bytes_from_device": (8, _COUNT), "transfers_to_device": (9, _COUNT), "transfers_from_device": (10, _COUNT),
    "read_faults": (11, _COUNT), "write_faults": (12, _COUNT), "tracking_faults": (13, _COUNT), "rung": (14, ctypes.c_char_p),
    "arrays": (15, _COUNT), "eager_arrays": (16, _COUNT), "longest_fault_ns": (17, _COUNT), "unmapped_arrays": (18, _COUNT),
    "reports": (19, _COUNT), "rung_reason": (20, ctypes.c_char_p),
    "evictions": (21, _COUNT),
}


class Error(RuntimeError):
    """One of the GPUVM_E... values, with its sentence."""

    def __init__(self, code):
        super().__init__(_library.gpuvm_strerror(code).decode())
        self.code = code


def _open():
    beside = [parent / "libgpuvm.so.1" for parent in pathlib.Path(__file__).resolve().parents[1:4]]
    names = [os.environ.get("GPUVM_LIBRARY"), *(str(path) for path in beside if path.exists()), "libgpuvm.so.1"]
    library = ctypes.CDLL([name for name in names if name][0])
    pointer, size, unsigned, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_int
    for name, result, arguments in [
            ("init", number, [unsigned, pointer, number]), ("finish", number, []), ("strerror", ctypes.c_char_p, [number]),
            ("set_budget", number, [unsigned, size]), ("xlate", pointer, [pointer, unsigned]), ("alloc", pointer, [size]), ("free", None, [pointer]), ("stat", number, [number, pointer]),
            ("link", number, [pointer, size, unsigned, pointer, number]), ("unlink", number, [pointer, unsigned]),
            ("kernel_begin_many", number, [unsigned, pointer, unsigned, pointer]),
            ("kernel_end_many", number, [unsigned, pointer, unsigned]),
            ("kernel_end_after", number, [pointer, unsigned, unsigned, pointer]),
            ("host_begin", number, [pointer, size, number]), ("host_end", number, [pointer, size])]:
        function = getattr(library, "gpuvm_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _open()
_queues = []  # kept while the library uses them
_links = {}  # (address, device): the array and its buffer


def _check(result):
    if result < 0:
        raise Error(result)
    return result


def _handle(thing):
    """A queue's, buffer's or event's address: pyopencl's objects have it in int_ptr."""
    return getattr(thing, "int_ptr", thing)


def init(queues, flags=0):
    """Starts the library with one pyopencl.CommandQueue a device."""
    handles = (ctypes.c_void_p * len(queues))(*map(_handle, queues))
    _check(_library.gpuvm_init(len(queues), handles, OPENCL | flags))
    _queues[:] = queues


def finish():
    """Brings every array back and stops the library. Also at the program's end."""
    _check(_library.gpuvm_finish())
    _links.clear()
    _queues.clear()


def stat(name):
    """One of gpuvm_stat's numbers or texts: stat("pagefaults")."""
    parameter, kind = _STATISTICS[name]
    value = kind()
    _check(_library.gpuvm_stat(parameter, ctypes.byref(value)))
    return value.value.decode() if kind is ctypes.c_char_p else value.value


def set_budget(nbytes, device=0):
    """Buffers of arrays that are linked with None take at most so many bytes; the least recently used go."""
    _check(_library.gpuvm_set_budget(device, nbytes))


# ---- Arrays ----

def empty(shape, dtype=float):
    """As numpy.empty, of memory that gpuvm_alloc gives: whole pages, so that no bytes move but those that are touched."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape, dtype=numpy.intp))
    memory = _library.gpuvm_alloc(max(count * dtype.itemsize, 1))
    if not memory:
        raise MemoryError
    block = (ctypes.c_char * (count * dtype.itemsize)).from_address(memory)
    weakref.finalize(block, _library.gpuvm_free, memory)
    return numpy.frombuffer(block, dtype, count).reshape(shape)


def zeros(shape, dtype=float):
    """As numpy.zeros."""
    made = empty(shape, dtype)
    made.fill(0)
    return made


def array(values, dtype=None):
    """As numpy.array: a copy."""
    values = numpy.asarray(values, dtype)
    made = empty(values.shape, values.dtype)
    made[...] = values
    return made


def _address(of):
    if not of.flags.c_contiguous:
        raise ValueError("an array whose elements do not lie one after the other cannot be shared")
    return of.ctypes.data


# ---- Links ----

def link(of, buffer, device=0, where=ON_HOST):
    """Links an array with a device's buffer of at least its length."""
    _check(_library.gpuvm_link(_address(of), of.nbytes, device, _handle(buffer), where))
    _links[of.ctypes.data, device] = (of, buffer)


def unlink(of, device=0):
    """Ends the link; data that only the device has come back first."""
    _check(_library.gpuvm_unlink(of.ctypes.data, device))
    _links.pop((of.ctypes.data, device), None)


def buffer_of(of, device=0):
    """The address of the array's buffer for a kernel's argument, in a use: pyopencl.MemoryObject.from_int_ptr takes it."""
    return _library.gpuvm_xlate(of.ctypes.data, device)


class share:  # pylint: disable=invalid-name
    """A new buffer for an array, linked with it: `with share(a, queue) as buffer`, or share(a, queue).buffer and end()."""

    def __init__(self, of, queue, device=0):
        import pyopencl  # pylint: disable=import-outside-toplevel
        self.array, self.device = of, device
        self.buffer = pyopencl.Buffer(queue.context, pyopencl.mem_flags.READ_WRITE, of.nbytes)
        link(of, self.buffer, device)

    def end(self):
        """Ends the link."""
        unlink(self.array, self.device)

    def __enter__(self):
        return self.buffer

    def __exit__(self, *_):
        self.end()


# ---- Uses ----

class kernel:  # pylint: disable=invalid-name
    """Kernels of the device use arrays: from `with` to the end of its block, after which the host may touch them."""

    def __init__(self, reads=(), writes=(), overwrites=(), device=0):
        arrays = [*reads, *writes, *overwrites]
        for of in (*writes, *overwrites):
            if not of.flags.writeable:
                raise ValueError("a kernel is to write an array of %d bytes that is read-only: give it in reads=, or a copy" % of.nbytes)
        flags = [READ_ONLY] * len(reads) + [READ_WRITE] * len(writes) + [WRITE_ONLY] * len(overwrites)
        self.count, self.device = len(arrays), device
        self.hosts = (ctypes.c_void_p * self.count)(*map(_address, arrays))
        self.flags = (ctypes.c_int * self.count)(*flags)

    def __enter__(self):
        _check(_library.gpuvm_kernel_begin_many(self.count, self.hosts, self.device, self.flags))
        return self

    def __exit__(self, *_):
        _check(_library.gpuvm_kernel_end_many(self.count, self.hosts, self.device))


class host:  # pylint: disable=invalid-name
    """The host uses an array, without faults: `with host(a)`. flags: WRITE_ONLY if every byte is overwritten."""

    def __init__(self, of, flags=READ_WRITE):
        self.address, self.nbytes, self.flags = _address(of), of.nbytes, flags

    def __enter__(self):
        _check(_library.gpuvm_host_begin(self.address, self.nbytes, self.flags))

    def __exit__(self, *_):
        _check(_library.gpuvm_host_end(self.address, self.nbytes))
