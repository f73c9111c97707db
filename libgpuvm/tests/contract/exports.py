#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which symbols the libraries export: libgpuvm.so what gpuvm.h declares; the shim what it wraps."""
import re
import subprocess
import sys

# What would take from under the library what it stands on.
INTERPOSED = set("sigaction signal close close_range closefrom mprotect".split())
WRAPPED = """
    read write pread pwrite pread64 pwrite64 readv writev preadv pwritev preadv64 pwritev64
    __read_chk __pread_chk __pread64_chk fread fwrite fread_unlocked fwrite_unlocked __fread_chk __fread_unlocked_chk
    send recv sendto recvfrom sendmsg recvmsg __recv_chk __recvfrom_chk getrandom
    malloc calloc free realloc reallocarray munmap mremap gpuvm_preload_attach
    clCreateBuffer clEnqueueReadBuffer clEnqueueReadBufferRect clEnqueueWriteBuffer clEnqueueWriteBufferRect
""".split()


def exported(path, of="-D"):
    output = subprocess.run(["nm", of, "--defined-only", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines() if len(line.split()) == 3}


def compare(what, got, wanted):
    for name in sorted(got - wanted):
        print(f"{what}: {name} is exported, and should not be")
    for name in sorted(wanted - got):
        print(f"{what}: {name} is not exported")
    return got == wanted


def main():
    library, archive, shim, header = sys.argv[1:]
    with open(header, encoding="utf-8") as file:
        declared = set(re.findall(r"^GPUVM_API [^;(]*?\b(gpuvm_\w+)\(", file.read(), re.MULTILINE))
    results = [len(declared) > 15,
               compare("libgpuvm.so", exported(library), declared | INTERPOSED),
               compare("libgpuvm.a", exported(archive, "-g"), declared),
               compare("libgpuvm-preload.so", exported(shim), set(WRAPPED))]
    print(f"{sum(results)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


sys.exit(main())
