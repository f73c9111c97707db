# SPDX-License-Identifier: MIT
"""What the clients of this folder have in common: a case, the platforms, how one is run on the other."""
import collections
import glob
import os
import re
import signal
import subprocess
import time

POCL_ICD = "/etc/OpenCL/vendors/pocl.icd"
PLATFORMS = ("Wavetank", "PoCL")
MODELS = ("functional", "timed")

# A program of a client as it is started: `command` ({platform} in it is the platform's name) in `folder`, with `environment` more.
# `read` makes of its exit status and output the outcome of each of its checks, {name: outcome}; where there is one alone its name
# is "". `model` and `settings` (of -o) are Wavetank's, `quick` says that the case is in CI's subset. `timeout` is in seconds of
# processor time, so that a busy machine makes nothing late.
Case = collections.namedtuple("Case", "client name command folder environment read model settings quick timeout")

# What Wavetank says of an access outside the buffers.
OUTSIDE = re.compile(r"(loads|stores) \d+ bytes at 0x[0-9a-f]+, (at offset \d+ of|right behind the end of|.*behind|.*before) buffer.*")

PASS, FAIL, SKIP, CRASH, LATE = "pass", "fail", "skip", "crash", "late"

IDLE_SECONDS = 300  # A program that takes no processor time for so long will not end.
POLL_SECONDS = 0.5
TICKS = os.sysconf("SC_CLK_TCK")


def make_case(client, name, command, folder=None, environment=None, read=None, model="functional", settings=(), quick=False,
              timeout=300):
    return Case(client, name, command, folder, environment or {}, read or by_status, model, settings, quick,
                timeout)


def ending(status):
    """The outcome that an exit status alone tells."""
    if status == 0:
        return PASS
    return LATE if status is None else CRASH if status < 0 or status > 128 else FAIL


def by_status(status, output):
    del output
    return {"": ending(status)}


def by_lines(pattern):
    """A reader of lines "NAME ... OUTCOME": `pattern` has the groups `name` and `outcome`, which begins with a p where it passed,
    with an s where it skipped. A program that ends badly fails as a whole too."""
    expression = re.compile(pattern, re.MULTILINE)

    def read(status, output):
        found = {}
        for match in expression.finditer(output):
            first = match.group("outcome")[0].lower()
            found[match.group("name")] = PASS if first == "p" else SKIP if first == "s" else FAIL
        if not found or (status != 0 and FAIL not in found.values()):
            found["ends"] = ending(status) if status != 0 else FAIL
        return found
    return read


def command_on(case, platform, wavetank, cache, model=None):
    """The command line and the environment of a case on a platform, always through the system's ICD loader. `cache` is the folder in
    which the platform and the client keep what they have compiled."""
    environment = dict(os.environ, XDG_CACHE_HOME=cache, **case.environment)
    words = [word.replace("{platform}", platform) for word in case.command]
    for name in [name for name in environment if name.startswith("WAVETANK_") or name.startswith("OCL_ICD")]:
        del environment[name]
    if platform == "PoCL":
        environment["OCL_ICD_VENDORS"] = POCL_ICD
        return words, environment
    settings = [word for setting in case.settings for word in ("-o", setting)]
    return [wavetank, "run", "--quiet", "--model", model or case.model, *settings, "--", *words], environment


def processor_seconds(session):
    """What the processes of a session have spent, with those that they have waited for."""
    ticks = 0
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as stream:
                words = stream.read().rpartition(")")[2].split()
        except OSError:  # It has ended meanwhile.
            continue
        if int(words[3]) == session:
            ticks += sum(map(int, words[11:15]))
    return ticks / TICKS


class Watch:
    """Says when a program has had its time, or does nothing any more."""

    def __init__(self, session, timeout):
        self.session, self.timeout = session, timeout
        self.spent, self.changed = 0, time.monotonic()

    def is_late(self):
        spent, now = processor_seconds(self.session), time.monotonic()
        if spent > self.spent:
            self.spent, self.changed = spent, now
        return self.spent >= self.timeout or now - self.changed >= IDLE_SECONDS


def execute(case, command, environment):
    """The exit status (None: too late, and ended) and what the program wrote."""
    with subprocess.Popen(command, cwd=case.folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
        watch, is_late, output = Watch(process.pid, case.timeout), False, None
        while output is None:
            try:
                output, _ = process.communicate(timeout=None if is_late else POLL_SECONDS)
            except subprocess.TimeoutExpired:
                is_late = watch.is_late()
                if is_late:
                    os.killpg(process.pid, signal.SIGKILL)
    return None if is_late else process.returncode, output.decode("utf-8", "replace")


def run_case(case, platform, wavetank, cache):
    """Runs a case on a platform: {"checks": {name: outcome}, "seconds", "limit": of its time, "output": its end where one did not pass,
    "outside": the access}.

    The functional model stops a kernel at the first byte behind a buffer. Such a case runs again on the timed one, which looks at
    pages, as a card does, and "outside" says what it accessed.
    """
    begin = time.monotonic()
    status, text = execute(case, *command_on(case, platform, wavetank, cache))
    found = {"checks": case.read(status, text)}
    outside = OUTSIDE.search(text) if platform == "Wavetank" else None
    if outside and is_bad(found["checks"]):
        status, text = execute(case, *command_on(case, platform, wavetank, cache, "timed"))
        found = {"checks": case.read(status, text), "outside": outside.group(0)}
    if is_bad(found["checks"]):
        found["output"] = text[-3000:]
    found.update(seconds=round(time.monotonic() - begin), limit=case.timeout)
    return found


def is_bad(checks):
    return any(outcome not in (PASS, SKIP) for outcome in checks.values())
