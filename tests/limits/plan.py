# SPDX-License-Identifier: MIT
"""What tests/limits.yaml says, and which settings a relief is on a machine."""
import os
import re
import subprocess

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))


def scalar(text):
    """A list in brackets, a number, or text."""
    if text.startswith("["):
        return [word.strip() for word in text.strip("[]").split(",") if word.strip()]
    return float(text) if re.fullmatch(r"[0-9.]+", text) else text


def logical_lines(path):
    """(indentation, key, value) of each line; a list may go on over several. No more of YAML is read than the file needs."""
    pending = ""
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            line = (pending + " " + line.strip()) if pending else re.sub(r"(^| )#.*", "", line.rstrip("\n"))
            if line.count("[") > line.count("]"):
                pending = line
                continue
            pending = ""
            if line.strip():
                key, value = line.strip().split(":", 1)
                yield len(line) - len(line.lstrip()), key, value.strip()


def read(path):
    """Nested dictionaries, in the order of the file."""
    root = {}
    open_maps = [(-1, root)]
    for indentation, key, value in logical_lines(path):
        while open_maps[-1][0] >= indentation:
            open_maps.pop()
        if value:
            open_maps[-1][1][key] = scalar(value)
        else:
            open_maps[-1][1][key] = {}
            open_maps.append((indentation, open_maps[-1][1][key]))
    return root


class Plan:
    def __init__(self, wavetank, path=os.path.join(os.path.dirname(FOLDER), "limits.yaml")):
        self.wavetank = wavetank
        self.text = read(path)
        self.reliefs = self.text["reliefs"]
        self.machines = {name: os.path.join(ROOT, gpu) if "/" in gpu else gpu for name, gpu in self.text["machines"].items()}
        self.workloads = {name: words.split() for name, words in self.text["workloads"].items()}

    def parameters(self, machine):
        """Of each parameter that a relief names: (value, maximum)."""
        names = sorted({name for relief in self.reliefs.values() for names in relief.values() for name in names})
        text = subprocess.run([self.wavetank, "explain", "--gpu", self.machines[machine], *names], capture_output=True, text=True,
                              check=True).stdout
        found = {}
        for part in text.split("\n\n"):
            match = re.match(r"\s*(\S+) \(parameter\).*?\n  value +(\d+).*\n  range +(\d+) (?:to (\d+)|or more)", part, re.S)
            if match:
                found[match[1]] = int(match[2]), int(match[3]), int(match[4] or 1 << 53)
        missing = set(names) - set(found)
        if missing:
            raise SystemExit("no value of %s" % ", ".join(sorted(missing)))
        return found

    def settings(self, machine):
        """The settings that each relief is on the machine; none where all values are at the ends of their ranges."""
        values = self.parameters(machine)
        settings = {}
        for relief, changes in self.reliefs.items():
            settings[relief] = []
            for how, names in changes.items():
                for name in names:
                    value, least, most = values[name]
                    new = min(2 * value, most) if how == "twice" else max((value + 1) // 2, least)
                    if new != value:
                        settings[relief].append("%s=%d" % (name, new))
        return settings
