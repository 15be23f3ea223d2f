"""A Slurm of one machine: munged, slurmctld and slurmd of the Debian package `slurm-wlm`."""

import os
import secrets
import shutil
import socket
import subprocess
from pathlib import Path

import programs
import pytest

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# A job that is queued again waits until its old credential has expired.
AuthInfo=socket={folder}/munge.sock,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldPort={port}
SlurmdPort={other_port}
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
SchedulerParameters=sched_interval=1,sched_min_interval=100000
NodeName={host} CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """Runs jobs on this machine until the test has ended."""

    def __init__(self, folder: Path) -> None:
        missing = [name for name in ("munged", "slurmctld", "slurmd") if not shutil.which(name)]
        if missing or os.geteuid() != 0:
            pytest.skip("needs root, and: apt-get install slurm-wlm munge")
        self._folder = folder
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        key = folder / "key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(1024))
        self._file = folder / "slurm.conf"
        self._file.write_text(
            CONFIGURATION.format(
                folder=folder,
                host=socket.gethostname(),
                port=_find_free_port(),
                other_port=_find_free_port(),
            )
        )
        self._start_daemons()

    def _start_daemons(self) -> None:
        own = {"key-file": "key", "socket": "munge.sock", "seed-file": "seed"}
        own |= {"pid-file": "munged.pid", "log-file": "munged.log"}
        files = [f"--{name}={self._folder / file}" for name, file in own.items()]
        programs.start(["munged", "--foreground", "--force", *files], env=self.environment)
        programs.wait_for((self._folder / "munge.sock").exists)
        for daemon in ("slurmctld", "slurmd"):
            programs.start([daemon, "-D", "-f", str(self._file)], env=self.environment)
        programs.wait_for(lambda: "idle" in self.call("sinfo", "--noheader", "-o", "%T"))

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "SLURM_CONF": str(self._file)}

    def call(self, *words: object, **options) -> str:
        """What a command of Slurm's answers."""
        environment = {**self.environment, **options.pop("environment", {})}
        done = subprocess.run(
            [*map(str, words)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            **options,
        )
        return done.stdout.strip()

    def state(self, job: str) -> str:
        """`COMPLETED`, `RUNNING`, …, with the exit code."""
        told = dict(
            part.split("=", 1)
            for part in self.call("scontrol", "show", "job", job).split()
            if "=" in part
        )
        return f"{told.get('JobState')} {told.get('ExitCode')} {told.get('Restarts')}"


def _find_free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
