#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs libgpuvm alone into an empty folder, as a user would, and builds programs against what is there with pkg-config:
tests/install/add.c, dynamically and statically linked, the programs in the README as its lines say, and the examples in C++ and
Python. They run on the first OpenCL device.

The last line says how many checks passed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EXAMPLES = ROOT / "libgpuvm" / "examples"
# Five rounds of c += a with a = k, c = k + 1; a[7] grows by 10 after each round.
COUNT = 20000
SUM = sum(6 * k + 1 for k in range(COUNT)) + 10 + 20 + 30 + 40
EXPECTED = f"sum {SUM}, c[7] {7 * 6 + 1 + 100}"

results = []


def check(is_right, what, detail=""):
    results.append(bool(is_right))
    if not is_right:
        print(f"FAILED: {what}" + (f"\n{detail}" if detail else ""))
    return is_right


def run(command, **options):
    """The process, finished; its output is one text."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def find(folder, name):
    """The one file of this name under the folder, or None."""
    found = list(folder.rglob(name))
    return found[0] if len(found) == 1 else None


def install(folder, prefix, destination=""):
    made = run(["make", "-f", "libgpuvm/gpuvm.mk", "install-gpuvm", f"PREFIX={prefix}", f"DESTDIR={destination}",
                f"GPUVM_INSTALL_BUILD={folder / 'build'}"], cwd=ROOT)
    return check(made.returncode == 0, "make install-gpuvm", made.stdout)


def check_files(prefix):
    names = ["gpuvm.h", "gpuvm.hpp", "libgpuvm.so", "libgpuvm.so.1", "libgpuvm.a", "libgpuvm-preload.so", "gpuvm.pc", "nuda.h", "nuda_device.h", "libnuda.so",
             "libnuda.so.1", "nuda.pc"]
    for name in names:
        check(find(prefix, name), f"{name} is installed once")
    others = [path for path in prefix.rglob("*") if path.is_file() and not re.search("gpuvm|nuda", "/".join(path.parts[-2:]))]
    check(not others, "nothing else is installed", str(others))
    library = find(prefix, "libgpuvm.so")
    if library:
        dynamic = run(["readelf", "-d", library]).stdout
        check(re.search(r"SONAME.*\[libgpuvm\.so\.1\]", dynamic), "libgpuvm.so has the soname libgpuvm.so.1", dynamic)
    return all(results)


class Package:
    """pkg-config for what was installed, and programs built with it."""

    def __init__(self, folder, prefix):
        self.folder = folder
        self.prefix = prefix
        self.libraries = find(prefix, "libgpuvm.so").parent
        self.environment = dict(os.environ, PKG_CONFIG_PATH=str(find(prefix, "gpuvm.pc").parent))
        self.environment.pop("GPUVM_BACKEND", None)

    def config(self, *arguments):
        asked = run(["pkg-config", *arguments, "gpuvm"], env=self.environment)
        check(asked.returncode == 0, f"pkg-config {' '.join(arguments)}", asked.stdout)
        return asked.stdout.split()

    def build(self, source, program, *options):
        """options: --static takes libgpuvm.a."""
        before = []
        if "--static" in options:
            only_static = self.folder / "static"
            only_static.mkdir(exist_ok=True)
            archive = only_static / "libgpuvm.a"
            if not archive.exists():
                archive.symlink_to(self.libraries / "libgpuvm.a")
            before = [f"-L{only_static}"]
        command = ["cc", "-std=c17", "-Wall", "-Wextra", "-o", program, source, *before,
                   *self.config("--cflags", "--libs", *options), "-lOpenCL"]
        built = run(command, env=self.environment)
        check(built.returncode == 0, f"building {program.name}", built.stdout)
        check("warning" not in built.stdout, f"no warnings in {program.name}", built.stdout)
        return built.returncode == 0

    def build_cxx(self, source, program):
        command = ["c++", "-std=c++17", "-Wall", "-Wextra", "-o", program, source, *self.config("--cflags", "--libs"), "-lOpenCL",
                   "-pthread"]
        built = run(command, env=self.environment)
        check(built.returncode == 0 and "warning" not in built.stdout, f"building {program.name}", built.stdout)
        return built.returncode == 0

    def run_python(self, script, *arguments):
        environment = dict(self.environment, PYTHONPATH=self.config("--variable=pythondir")[0])
        environment.pop("LD_LIBRARY_PATH", None)
        ran = run([find_python(), script, *arguments], env=environment, timeout=120)
        check(ran.returncode == 0, f"{script.name} ends with 0", ran.stdout)
        return ran.stdout

    def run(self, program, preload=None):
        environment = dict(self.environment, LD_LIBRARY_PATH=str(self.libraries))
        if preload:
            environment["LD_PRELOAD"] = preload
        ran = run([program], env=environment, timeout=120)
        check(ran.returncode == 0, f"{program.name} ends with 0", ran.stdout)
        return ran.stdout.splitlines()


def check_program(package):
    shim = package.config("--variable=preload")
    check(len(shim) == 1 and pathlib.Path(shim[0]).is_file(), "the variable preload names the shim", str(shim))
    check(package.config("--modversion"), "a version")
    for options in [(), ("--static",)]:
        name = "add-static" if options else "add"
        program = package.folder / name
        if not package.build(HERE / "add.c", program, *options):
            continue
        needed = run(["readelf", "-d", program]).stdout
        check(("libgpuvm.so.1" in needed) != bool(options), f"{name} is linked as asked", needed)
        output = package.run(program)
        check(output == [EXPECTED, "arrays 2"], f"{name} computes {EXPECTED}", str(output))
        output = package.run(program, shim[0])
        check(output == [EXPECTED, "arrays 1"], f"{name} with the shim forgets the freed array", str(output))


def find_python():
    """The interpreter of the system's own packages, if this is another without them."""
    has_packages = run([sys.executable, "-c", "import numpy, pyopencl"]).returncode == 0
    return sys.executable if has_packages else "/usr/bin/python3"


def check_examples(package):
    program = package.folder / "kmeans"
    if package.build_cxx(EXAMPLES / "kmeans.cpp", program):
        output = package.run(program)
        check(len(output) == 1 and "as on the host" in output[0], "kmeans is right", str(output))
    output = package.run_python(EXAMPLES / "stencil.py")
    check("as by numpy" in output, "stencil.py is right", output)
    output = package.run_python(HERE / "arrays.py")
    check(output.endswith("passed, 0 failed\n"), "the Python package", output)


def readme_commands(package, text):
    """What the README has its reader type, in its order, with this prefix for its PREFIX and this system's folder for Debian's."""
    lines = re.findall(r"^    (?! |make )(\S.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    folder = package.libraries.relative_to(package.prefix)
    return [line.replace("PREFIX/lib/x86_64-linux-gnu", f"{package.prefix}/{folder}") for line in lines]


def check_readme(package):
    """Its programs, typed as printed: each is saved, the printed line builds and runs it, and it prints what it says."""
    text = (ROOT / "libgpuvm" / "README.md").read_text(encoding="utf-8")
    commands = readme_commands(package, text)
    exports = [line for line in commands if line.startswith("export ")]
    folder = package.folder / "readme"
    folder.mkdir()
    (folder / "python3").symlink_to(find_python())
    check(len(exports) == 1 and len(commands) == 4, "the README has a line of variables, and one for each program", str(commands))
    preload = re.search(r"`(LD_PRELOAD=\S.*?)`", text)
    check(preload, "the README has a line for the preload library")
    for language, name, then in [("c", "program.c", ["./a.out"]), ("cpp", "program.cpp", ["./a.out"]), ("python", "program.py", [])]:
        blocks = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        lines = [line for line in commands if name in line.split()]
        said = re.search(r"prints ([-\d ]*\d)", blocks[0]) if blocks else None
        if not check(len(blocks) == 1 and len(lines) == 1 and said, f"the README has one {name}, a line for it, and what it prints"):
            continue
        (folder / name).write_text(blocks[0], encoding="utf-8")
        again = [f"{preload[1]} {line}" for line in then] if preload else []
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("GPUVM_", "PYTHON", "LD_", "PKG_"))}
        environment["PATH"] = f"{folder}:{environment['PATH']}"
        typed = run(["bash", "-ec", "\n".join(exports + lines + then + again)], cwd=folder, env=environment, timeout=120)
        wanted = f"{said[1]}\n" * (1 + len(again))
        check(typed.returncode == 0 and typed.stdout == wanted, f"the README's {name} prints what it says",
              f"wanted {wanted!r}, got {typed.returncode}:\n{typed.stdout}")


def check_destination(folder):
    """A packager's installation: below DESTDIR, without a trace of it in the files."""
    destination = folder / "destination"
    if not install(folder, "/opt/somewhere", destination):
        return
    package = find(destination, "gpuvm.pc")
    check(package and str(destination / "opt/somewhere") in str(package), "DESTDIR is where the files are", str(package))
    check(package and "prefix=/opt/somewhere\n" in package.read_text(encoding="utf-8"), "gpuvm.pc names the prefix")
    check(package and str(folder) not in package.read_text(encoding="utf-8"), "gpuvm.pc does not name DESTDIR")


def main():
    with tempfile.TemporaryDirectory(prefix="gpuvm-install-") as name:
        folder = pathlib.Path(name)
        prefix = folder / "prefix"
        if install(folder, prefix) and check_files(prefix):
            package = Package(folder, prefix)
            check_program(package)
            check_readme(package)
            check_examples(package)
            check_destination(folder)
    print(f"{sum(results)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


sys.exit(main())
