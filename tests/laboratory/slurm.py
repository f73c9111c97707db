# SPDX-License-Identifier: MIT
"""A Slurm cluster of one node, this one, in a folder of its own: key, ports, state. Needs root, as slurmd does."""
import os
import shutil
import socket
import subprocess
import tempfile
import time

WAIT_SECONDS = 60
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=1
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def reason_against():
    """Why there can be no cluster here; None: there can."""
    for program in ("munged", "slurmctld", "slurmd", "sbatch"):
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin") is None:
            return "%s is missing: tools/install-deps brings it" % program
    return None if os.getuid() == 0 else "slurmd needs root"


class Slurm:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="wavetank-slurm-", dir="/var/tmp")
        self.processes = []
        self.environment = dict(os.environ, SLURM_CONF=self.path("slurm.conf"), PATH=os.environ["PATH"] + ":/usr/sbin")
        for name in ("state", "spool"):
            os.mkdir(self.path(name))
        os.chmod(self.folder, 0o755)
        with open(self.path("slurm.conf"), "w") as stream:
            stream.write(CONFIGURATION.format(folder=self.folder, host=socket.gethostname().split(".")[0],
                                              controller=free_port(), node=free_port()))
        with open(self.path("munge.key"), "wb") as stream:
            os.chmod(self.path("munge.key"), 0o400)
            stream.write(os.urandom(128))
        self.start("munged", "--foreground", "--force", *("--%s=%s" % (name, self.path("munge." + end)) for name, end in (
            ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))))
        self.wait(lambda: os.path.exists(self.path("munge.socket")))
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D")
        self.wait(lambda: "idle" in subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.environment, text=True,
                                                   capture_output=True).stdout)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *words):
        with open(self.path(words[0] + ".out"), "w") as stream:
            self.processes.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=stream,
                                                   stderr=stream, cwd=self.folder))

    def wait(self, condition):
        end = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < end and all(process.poll() is None for process in self.processes), self.logs()
            time.sleep(0.2)

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(self.path(name), errors="replace") as stream:
                    text += "---- %s\n%s" % (name, stream.read()[-2000:])
        return text

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
