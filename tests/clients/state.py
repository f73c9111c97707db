# SPDX-License-Identifier: MIT
"""What runs leave behind: the file of results and what was compiled. Both are of one build of Wavetank and of one PoCL; what another
has left is not taken."""
import glob
import hashlib
import json
import os
import shutil

from case import PLATFORMS, POCL_ICD

# What of a build has a say in a functional run.
PARTS = ("src/cli/wavetank", "src/opencl/libwavetank-opencl.so", "src/backend/wavetank-backend", "src/builtin/builtins.bc")


def digest_of_files(paths):
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as stream:
            digest.update(stream.read())
    return digest.hexdigest()[:16]


def pocl_files():
    """The list of drivers and the library that it names."""
    if not os.path.exists(POCL_ICD):
        return []
    with open(POCL_ICD, encoding="utf-8") as stream:
        name = stream.read().strip()
    return [POCL_ICD, *(glob.glob(os.path.join("/usr/lib/*", name)) if not os.path.isabs(name) else [name])]


def identities(build):
    """{platform: what changes when it does}."""
    return dict(zip(PLATFORMS, (digest_of_files(os.path.join(build, part) for part in PARTS), digest_of_files(pocl_files()))))


def caches(build, identity_of, tidies):
    """{platform: the folder for what is compiled}; `tidies` removes those of others."""
    home = os.path.join(os.path.abspath(build), "clients-cache")
    found = {platform: os.path.join(home, "%s-%s" % (platform, identity)) for platform, identity in identity_of.items()}
    for folder in glob.glob(os.path.join(home, "*")) if tidies else ():
        if folder not in found.values():
            shutil.rmtree(folder)
    for folder in found.values():
        os.makedirs(folder, exist_ok=True)
    return found


def mark(case):
    """What a result depends on beside the platform."""
    return hashlib.sha256(repr((case.command, case.folder, case.environment, case.model, case.settings, case.timeout)).encode()).hexdigest()[:16]


def load(path, identity_of, cases):
    """{client: {case: {platform: result}}}: each of the cases, with what the file holds of it."""
    text = {"platforms": {}, "results": {}}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            text = json.load(stream)
    valid = [platform for platform, identity in identity_of.items() if text["platforms"].get(platform) == identity]
    results = {}
    for case in cases:
        entry = text["results"].get(case.client, {}).get(case.name, {})
        results.setdefault(case.client, {})[case.name] = {
            platform: entry[platform] for platform in valid if entry.get(platform, {}).get("of") == mark(case)}
    return results


def store(path, identity_of, results):
    with open(path + ".part", "w", encoding="utf-8") as stream:
        json.dump({"platforms": identity_of, "results": results}, stream, indent=0, sort_keys=True)
    os.replace(path + ".part", path)
