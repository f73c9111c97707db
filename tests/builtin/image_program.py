#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Images of every kind and format, read with every sampler, written and asked about, against numpy.

  image_program.py PLATFORM [PART ...] [few]

Parts: sample, plain, write, query, half, both (read-write images and a sampler of the program: OpenCL C 3.0). `few`: some of the formats. Bounds: integers, halves and floats read by the nearest element are
exact, normalized ones within 1.5 ulp (8.3.1.1); what linear filtering may differ by is in image_oracle.linear, and is far
less than the conformance suite's (which allows a 256th of an element for each axis)."""
import ctypes
import sys

import numpy

from builtin_support import Session, pyopencl  # which keeps pyopencl from binaries of another library
from image_oracle import CLAMP, EDGE, F32, MIRROR, MODES, NONE, ORDERS, REPEAT, TYPES, Format, linear, nearest

POINTS = 128
# kind: (sizes x y z, which axes are filtered, type in OpenCL C, its coordinates)
KINDS = {
    "1D": ((13, 1, 1), (1, 1, 1), "image1d_t", "x"), "1D_ARRAY": ((7, 1, 3), (1, 1, 0), "image1d_array_t", "xz"),
    "2D": ((9, 5, 1), (1, 1, 1), "image2d_t", "xy"), "2D_ARRAY": ((6, 5, 3), (1, 1, 0), "image2d_array_t", "xyzz"),
    "3D": ((5, 7, 3), (1, 1, 1), "image3d_t", "xyzz"), "1D_BUFFER": ((19, 1, 1), (1, 1, 1), "image1d_buffer_t", "x"),
}
DEPTH_KINDS = ("2D", "2D_ARRAY")
VECTORS = {"f": "float4", "i": "int4", "ui": "uint4"}
# A depth image's color is no vector.
AS_DEPTH = (("out[i] = read_imageS(", "out[i] = (float4)(0, 0, 0, 1); out[i].x = read_imageS("), ("in[i]", "in[i].x"),
            ("_t image", "_depth_t image"), ("_S(", "_d("))
SAMPLE = """
kernel void sample_KIND_S(read_only TYPE image, sampler_t sampler, global const float4 *c, global VECTOR *out)
{ int i = get_global_id(0); out[i] = read_imageS(image, sampler, c[i].AXES); }
kernel void pick_KIND_S(read_only TYPE image, sampler_t sampler, global const int4 *c, global VECTOR *out)
{ int i = get_global_id(0); out[i] = read_imageS(image, sampler, c[i].AXES); }
"""
PLAIN = """
kernel void plain_KIND_S(read_only TYPE image, global const int4 *c, global VECTOR *out)
{ int i = get_global_id(0); out[i] = read_imageS(image, c[i].AXES); }
"""
WRITE = """
kernel void write_KIND_S(write_only TYPE image, global const int4 *c, global const VECTOR *in)
{ int i = get_global_id(0); write_imageS(image, c[i].AXES, in[i]); }
"""
QUERY = """
kernel void query_KIND(read_only TYPE a, write_only TYPE b, global int *out)
{
    out[0] = get_image_width(a); out[1] = get_image_channel_order(a); out[2] = get_image_channel_data_type(a);
    out[3] = get_image_width(b); out[4] = get_image_channel_order(b); out[5] = get_image_channel_data_type(b);
    MORE
}
"""
BOTH = """
__constant sampler_t mirror = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
kernel void turn(read_write image2d_t image, read_only image1d_t table, global float *out)
{
    int x = get_local_id(0), n = get_local_size(0);
    write_imageui(image, (int2)(x, 1), read_imageui(image, (int2)(x, 0)) + 1u);
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imageui(image, (int2)(x, 2), read_imageui(image, (int2)(n - 1 - x, 1)));
    out[x] = read_imagef(table, mirror, (x + 0.5f) / 4).x;
}
"""
HALF = """
kernel void halves(read_only image2d_t from, write_only image2d_t to, sampler_t sampler, global half *out)
{
    int i = get_global_id(0);
    half4 v = read_imageh(from, (int2)(i, 0));
    vstore4(v, i, out); vstore4(read_imageh(from, sampler, (int2)(i, 0)), 9 + i, out);
    write_imageh(to, (int2)(i, 0), v);
}
"""
MORE = {
    "1D_ARRAY": "out[6] = get_image_array_size(a);",
    "2D": "out[6] = get_image_height(a); int2 d = get_image_dim(b); out[7] = d.x; out[8] = d.y;",
    "2D_ARRAY": "out[6] = get_image_height(a); int2 d = get_image_dim(b); out[7] = d.x; out[8] = d.y;"
                "out[9] = get_image_array_size(a);",
    "3D": "out[6] = get_image_height(a); out[7] = get_image_depth(b); int4 d = get_image_dim(b); out[8] = d.x; out[9] = d.y;"
          "out[10] = d.z; out[11] = d.w;",
}


class Description(ctypes.Structure):
    """cl_image_desc."""
    _fields_ = [("type", ctypes.c_uint32), ("sizes", ctypes.c_size_t * 6), ("counts", ctypes.c_uint32 * 2),
                ("buffer", ctypes.c_void_p)]


def array_of_lines(context, form, width, layers, elements):
    """A 1D array of images, for which pyopencl takes no number of layers."""
    create = ctypes.CDLL("libOpenCL.so.1").clCreateImage
    create.restype = ctypes.c_void_p
    create.argtypes = [ctypes.c_void_p, ctypes.c_uint64] + [ctypes.c_void_p] * 4
    description = Description(0x10F5, (width, 0, 0, layers, 0, 0))
    names, status = (ctypes.c_uint32 * 2)(form.order, form.type), ctypes.c_int(1)
    image = create(context.int_ptr, int(pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR), names,
                   ctypes.byref(description), elements.ctypes.data, ctypes.byref(status))
    if status.value != 0:
        raise ValueError("clCreateImage: %d" % status.value)
    return pyopencl.Image.from_int_ptr(image, retain=False)


class Images(Session):
    def __init__(self, name):
        super().__init__(name)
        self.random, self.checks, self.exact = numpy.random.default_rng(7), 0, "Wavetank" in name
        self.has_depth = any(form.is_depth for form in self.formats(False))

    def formats(self, few):
        types = pyopencl.mem_object_type.IMAGE2D
        there = [Format(f.channel_order, f.channel_data_type)
                 for f in pyopencl.get_supported_image_formats(self.context, pyopencl.mem_flags.READ_WRITE, types)
                 if f.channel_order in ORDERS and f.channel_data_type in TYPES]
        return [form for i, form in enumerate(there) if i % 5 == 0 or form.is_depth] if few else there

    @staticmethod
    def goes_with(kind, form):
        return kind in DEPTH_KINDS or not form.is_depth

    def program(self, template, kinds=KINDS):
        text = ""
        for kind in kinds:
            for suffix, vector in VECTORS.items():
                for key, value in (("KIND", kind), ("AXES", KINDS[kind][3]), ("TYPE", KINDS[kind][2]), ("VECTOR", vector)):
                    template_now = text_now = (template if key == "KIND" else text_now).replace(key, value)
                text += template_now.replace("_S(", "_%s(" % suffix).replace("imageS", "image" + suffix)
                if suffix == "f" and kind in DEPTH_KINDS and self.has_depth:
                    for key, value in AS_DEPTH:
                        template_now = template_now.replace(key, value)
                    text += template_now.replace("imageS", "imagef")
        return self.build(text)

    def image(self, kind, form, elements):
        """From elements [z][y][x][channel]."""
        x, y, z = KINDS[kind][0]
        image_format = pyopencl.ImageFormat(form.order, form.type)
        flags = pyopencl.mem_flags.READ_WRITE
        if kind == "1D_BUFFER":
            buffer = pyopencl.Buffer(self.context, flags | pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=elements)
            return pyopencl.Image(self.context, flags, image_format, shape=(x,), buffer=buffer)
        if kind == "1D_ARRAY":
            return array_of_lines(self.context, form, x, z, elements)
        shape = {"1D": (x,), "2D": (x, y)}.get(kind, (x, y, z))
        return pyopencl.Image(self.context, flags | pyopencl.mem_flags.COPY_HOST_PTR, image_format, shape=shape,
                              hostbuf=elements, is_array="ARRAY" in kind)

    def elements_of(self, kind, form, image):
        x, y, z = KINDS[kind][0]
        out = numpy.zeros((z, y, x, form.channels), form.dtype)
        region = (x, z, 1) if kind == "1D_ARRAY" else (x, y, z)
        pyopencl._cl._enqueue_read_image(self.queue, image, (0, 0, 0), region, out)
        return out

    def launch(self, kernel, image, *arguments):
        buffers = [pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=a)
                   if isinstance(a, numpy.ndarray) else a for a in arguments]
        kernel(self.queue, (len(arguments[-1]),), None, image, *buffers)
        pyopencl.enqueue_copy(self.queue, arguments[-1], buffers[-1])

    def compare(self, name, got, wanted, tolerance):
        """A tolerance of None: the same values."""
        self.checks += len(got)
        wrong = (got != wanted) if tolerance is None else ~(numpy.abs(got.astype(numpy.float64) - wanted) <= tolerance)
        if wrong.any():
            self.failures += 1
            where = numpy.argwhere(wrong)[0]
            print("%s: FAILED at %s (%d of %d): %s, should be %s" % (name, where, wrong.sum(), wrong.size, got[where[0]],
                                                                   wanted[where[0]]))

    def reading_bound(self, form, wanted):
        """1.5 ulp of a normalized value; other types are exact."""
        return 1.5 * numpy.spacing(numpy.abs(wanted).astype(F32)).astype(numpy.float64) if form.scale else None

    def points(self, kind, normalized, mode):
        """Coordinates in and around the image: edges, middles and anything between."""
        sizes = KINDS[kind][0]
        c = numpy.zeros((POINTS, 4), F32)
        for axis, size in enumerate(sizes):
            u = self.random.uniform(-1.5 * size, 2.5 * size, POINTS)
            u[: POINTS // 4] = self.random.integers(-2, 2 * size + 4, POINTS // 4) / 2.0
            u[POINTS // 4: POINTS // 2] = self.random.uniform(-1, size + 1, POINTS // 4)
            if axis == 0:
                u[-2:] = [1e9, -1e9] if not normalized or mode in (REPEAT, MIRROR) else [3e6, -3e6]
            is_layer = not KINDS[kind][1][axis]
            if size == 1:
                u[:] = 0.5
            c[:, axis] = (u / size if normalized and not is_layer else u).astype(F32)
        return c

    def samplers(self):
        for normalized in (False, True):
            for mode in MODES:
                if normalized or mode not in (REPEAT, MIRROR):
                    for filtered in (False, True):
                        yield normalized, mode, filtered

    # ---- Parts ----

    def check_sample(self, few):
        program = self.program(SAMPLE, [kind for kind in KINDS if kind != "1D_BUFFER"])
        for form in self.formats(few):
            for kind, (sizes, plane, _, _) in KINDS.items():
                if kind == "1D_BUFFER" or not self.goes_with(kind, form):
                    continue
                elements = form.random(self.random, sizes[::-1])
                colors, border = form.decode(elements), form.decode(numpy.zeros(form.channels, form.dtype))
                self.sample_all(program, kind, form, self.image(kind, form, elements), colors, border, plane)

    def sample_all(self, program, kind, form, image, colors, border, plane):
        for normalized, mode, filtered in self.samplers():
            if filtered and form.suffix != "f":
                continue
            name = "%s %s %s %s %s" % (kind, form.name, MODES[mode], "normalized" if normalized else "plain",
                                       "linear" if filtered else "nearest")
            sampler = pyopencl.Sampler(self.context, normalized, mode, 0x1141 if filtered else 0x1140)
            c, out = self.points(kind, normalized, mode), numpy.zeros((POINTS, 4), form.out)
            if mode == NONE:  # outside is undefined
                c = numpy.clip(c, 0, [1 if normalized and p else s - 1 for s, p in zip(KINDS[kind][0], plane)] + [0]).astype(F32)
                c[:, :3] *= [F32(1) if not p else F32(0.999) for p in plane]
                if filtered:
                    continue
            self.launch(getattr(program, "sample_%s_%s" % (kind, "d" if form.is_depth else form.suffix)), image, sampler, c, out)
            if filtered:
                self.compare(name, out, *linear(colors, border, c, plane, mode, normalized))
            else:
                wanted = nearest(colors, border, c, plane, mode, normalized)
                self.compare(name, out, wanted, self.reading_bound(form, wanted))
            if not filtered and not normalized and mode in (CLAMP, EDGE):
                self.pick(program, kind, form, image, colors, border, plane, mode, sampler)

    def pick(self, program, kind, form, image, colors, border, plane, mode, sampler):
        """Integer coordinates."""
        c = self.random.integers(-4, 24, (POINTS, 4), numpy.int32)
        c[:, :3] *= [size > 1 for size in KINDS[kind][0]]
        out = numpy.zeros((POINTS, 4), form.out)
        self.launch(getattr(program, "pick_%s_%s" % (kind, "d" if form.is_depth else form.suffix)), image, sampler, c, out)
        wanted = nearest(colors, border, c.astype(numpy.int64), plane, mode, False)
        self.compare("%s %s %s, integer coordinates" % (kind, form.name, MODES[mode]), out, wanted,
                     self.reading_bound(form, wanted))

    def inside(self, kind):
        c = numpy.zeros((POINTS, 4), numpy.int32)
        for axis, size in enumerate(KINDS[kind][0]):
            c[:, axis] = self.random.integers(0, size, POINTS)
        return c

    def check_plain(self, few):
        program = self.program(PLAIN)
        for form in self.formats(few):
            for kind, (sizes, plane, _, _) in KINDS.items():
                if not self.goes_with(kind, form):
                    continue
                elements = form.random(self.random, sizes[::-1])
                c, out = self.inside(kind), numpy.zeros((POINTS, 4), form.out)
                self.launch(getattr(program, "plain_%s_%s" % (kind, "d" if form.is_depth else form.suffix)), self.image(kind, form, elements), c, out)
                wanted = nearest(form.decode(elements), 0, c.astype(numpy.int64), plane, NONE, False)
                self.compare("%s %s without a sampler" % (kind, form.name), out, wanted, self.reading_bound(form, wanted))

    def values(self, form, count):
        if form.suffix != "f":
            info = numpy.iinfo(form.out)
            v = self.random.integers(info.min, info.max, (count, 4), form.out, endpoint=True)
            return v >> self.random.integers(0, 32, (count, 4)).astype(form.out)
        v = self.random.uniform(-1.3, 1.3, (count, 4)).astype(F32)
        if form.scale:  # near the middle between two values
            v[::3] = ((self.random.integers(-form.scale, form.scale, v[::3].shape) + 0.5) / form.scale).astype(F32)
            v[-1] = [numpy.nan, numpy.inf, -numpy.inf, -1]
        elif form.type_name == "half":
            v[::2] *= 2.0 ** self.random.integers(-26, 17, v[::2].shape).astype(F32)
            v[-1] = [65519.9, 65520, -numpy.inf, 2.0**-25]
        return v

    def check_write(self, few):
        program = self.program(WRITE)
        for form in self.formats(few):
            for kind, (sizes, _, _, _) in KINDS.items():
                if kind == "1D_BUFFER" or not self.goes_with(kind, form):
                    continue
                z, y, x = numpy.meshgrid(*[numpy.arange(-1 if s > 1 else 0, s + 1 if s > 1 else 1) for s in sizes[::-1]],
                                         indexing="ij")
                c = numpy.stack([x.ravel(), y.ravel(), z.ravel(), z.ravel()], axis=-1).astype(numpy.int32)
                inside = ((c[:, :3] >= 0) & (c[:, :3] < sizes)).all(axis=1)
                if not self.exact:  # what is outside is undefined
                    c, inside = c[inside], inside[inside]
                elements, colors = form.random(self.random, sizes[::-1]), self.values(form, len(c))
                image = self.image(kind, form, elements)
                self.launch(getattr(program, "write_%s_%s" % (kind, "d" if form.is_depth else form.suffix)), image, c, colors)
                got, wanted = self.elements_of(kind, form, image), form.encode(colors[inside]).reshape(elements.shape)
                self.checks += len(c)
                same = numpy.array_equal(got, wanted, equal_nan=got.dtype.kind == "f")
                if not same:
                    self.failures += 1
                    where = numpy.flatnonzero((got != wanted).ravel())
                    print("%s %s written: FAILED: %d, first %s, should be %s" %
                          (kind, form.name, len(where), got.ravel()[where[:3]], wanted.ravel()[where[:3]]))

    def check_query(self, few):
        for kind, (sizes, _, type_name, _) in KINDS.items():
            text = QUERY.replace("KIND", kind).replace("TYPE", type_name).replace("MORE", MORE.get(kind, ""))
            form = Format(0x10B5, 0x10DB)
            image = self.image(kind, form, form.random(self.random, sizes[::-1]))
            out = numpy.full(12, -1, numpy.int32)
            kernel = getattr(self.build(text), "query_" + kind)
            buffer = pyopencl.Buffer(self.context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=out)
            kernel(self.queue, (1,), (1,), image, image, buffer)
            pyopencl.enqueue_copy(self.queue, out, buffer)
            x, y, z = sizes
            more = {"1D_ARRAY": [z], "2D": [y, x, y], "2D_ARRAY": [y, x, y, z], "3D": [y, z, x, y, z, 0]}.get(kind, [])
            wanted = [x, 0x10B5, 0x10DB, x, 0x10B5, 0x10DB] + more
            self.expect("%s asked about" % kind, out[: len(wanted)], numpy.array(wanted, numpy.int32))
            self.checks += len(wanted)

    def check_both(self, few):
        """What a work-item wrote, others of its work-group read after a barrier."""
        count, flags = 256, pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
        rows, table = numpy.zeros((3, count), numpy.uint32), numpy.array([1, 2, 3, 4], F32)
        rows[0] = numpy.arange(count)
        image = pyopencl.Image(self.context, flags, pyopencl.ImageFormat(0x10B0, 0x10DC), shape=(count, 3), hostbuf=rows)
        colors = pyopencl.Image(self.context, flags, pyopencl.ImageFormat(0x10B0, 0x10DE), shape=(4,), hostbuf=table)
        out = pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE, 4 * count)
        self.build(BOTH, ["-cl-std=CL3.0"]).turn(self.queue, (count,), (count,), image, colors, out)
        got, mirrored = numpy.zeros_like(rows), numpy.zeros(count, F32)
        pyopencl._cl._enqueue_read_image(self.queue, image, (0, 0, 0), (count, 3, 1), got)
        pyopencl.enqueue_copy(self.queue, mirrored, out)
        self.expect("written and read", got, numpy.stack([rows[0], rows[0] + 1, count - rows[0]]))
        self.expect("a sampler of the program", mirrored, numpy.tile(numpy.concatenate([table, table[::-1]]), count // 8))
        self.checks += 3 * count

    def check_half(self, few):
        """read_imageh and write_imageh (cl_khr_fp16): what half can hold of 8 bits normalized, of half and of float."""
        program = self.build(HALF)
        for order, kind, count in ((0x10B5, 0x10D2, 1), (0x10B5, 0x10DD, 2), (0x10B5, 0x10DE, 4)):
            dtype = {1: numpy.uint8, 2: numpy.float16, 4: F32}[count]
            elements = (numpy.arange(4 * 9) * 7 % 256).astype(dtype).reshape(1, 9, 4)
            wanted = (elements / (255 if count == 1 else 1)).astype(F32).astype(numpy.float16).reshape(9, 4)
            flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
            one, other = (pyopencl.Image(self.context, flags, pyopencl.ImageFormat(order, kind), shape=(9, 1), hostbuf=data)
                          for data in (elements, numpy.zeros_like(elements)))
            out, got = numpy.zeros((2, 9, 4), numpy.float16), numpy.zeros_like(elements)
            buffer = pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE, out.nbytes)
            sampler = pyopencl.Sampler(self.context, False, pyopencl.addressing_mode.NONE, pyopencl.filter_mode.NEAREST)
            program.halves(self.queue, (9,), (9,), one, other, sampler, buffer)
            pyopencl.enqueue_copy(self.queue, out, buffer)
            pyopencl._cl._enqueue_read_image(self.queue, other, (0, 0, 0), (9, 1, 1), got)
            self.expect("read_imageh of %d bytes" % count, out, numpy.stack([wanted, wanted]))
            self.expect("write_imageh to %d bytes" % count, got, elements)
            self.checks += 3 * 36


def main():
    images = Images(sys.argv[1])
    words = sys.argv[2:]
    for part in [word for word in words if word != "few"] or ("query", "both", "half", "plain", "write", "sample"):
        getattr(images, "check_" + part)("few" in words)
    images.finish(images.checks)


main()
