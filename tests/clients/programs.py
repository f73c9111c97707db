# SPDX-License-Identifier: MIT
"""Programs of ours that use libraries of headers as their users do (Boost.Compute, ViennaCL), built when they are to run."""
import os
import subprocess

from case import by_lines, make_case

CLIENTS = ("Boost.Compute", "ViennaCL")
HERE = os.path.dirname(os.path.abspath(__file__))
# name: source, header of the package that it needs
PROGRAMS = {"Boost.Compute": ("boost_compute.cpp", "/usr/include/boost/compute.hpp"),
            "ViennaCL": ("viennacl.cpp", "/usr/include/viennacl/vector.hpp")}
READ = by_lines(r"^(?P<name>.+) (?P<outcome>pass|fail)$")


def build(source, folder):
    """Compiles a program unless it is newer than its source; returns its path."""
    program = os.path.join(os.path.abspath(folder), "clients", source[:-len(".cpp")])
    path = os.path.join(HERE, source)
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(path):
        os.makedirs(os.path.dirname(program), exist_ok=True)
        subprocess.run(["g++", "-std=c++17", "-O1", "-w", path, "-o", program, "-lOpenCL"], check=True)
    return program


def cases(folder):
    found = []
    for name, (source, header) in PROGRAMS.items():
        if os.path.exists(header):
            found.append(make_case(name, source, [build(source, folder)], read=READ, timeout=1800))
    return found
