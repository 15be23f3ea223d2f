"""Training scripts as users start them: plainly, and under `fitguard run` in a real process."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
import programs

from fitguard.monitor.beats import Beat
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import AttemptStarted
from fitguard.schema.run import Run

SCRIPTS = Path(__file__).parent / "scripts"
_LOOK_SECONDS = 0.005
WITHOUT_ONEDNN = {"TF_ENABLE_ONEDNN_OPTS": "0"}
"""Where oneDNN finds no room for its scratch space, TensorFlow crashes (on a CPU only)."""


@dataclass(frozen=True)
class Ended:
    """How a process ended: its code (negative for a signal), and all that it wrote."""

    code: int
    text: str


def environment_in(folder, **more):
    """Of a training that sees no GPU and remembers nothing from elsewhere."""
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "NO_COLOR": "1"}
    return {**os.environ, **quiet, "XDG_CACHE_HOME": str(folder / "cache"), **more}


def memory_limit(megabytes):
    """TensorFlow's GPU allocator on the CPU, with so much memory."""
    return WITHOUT_ONEDNN | {
        "TF_CPU_ALLOCATOR_USE_BFC": "1",
        "TF_CPU_BFC_MEM_LIMIT_IN_MB": str(megabytes),
    }


def run_plain(script, out, *arguments, **environment):
    """Run a script of the folder `scripts`, without fitguard."""
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / script), str(out), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=programs.LONGEST_SECONDS,
        cwd=out.parent,
        env=environment_in(out.parent, **environment),
    )
    return Ended(done.returncode, done.stdout)


class GuardedRun:
    """A script under `fitguard run`; it may be started again with `--resume`.

    Args:
        folder: For its result, its records and its cache.
        options: Of `fitguard run`.
        before: Words that start it, such as `nohup`.
        environment: More variables.
        setup: Called in the parent's process before it starts.

    Attributes:
        out: What the script saves.
    """

    def __init__(
        self, folder, script, *arguments, options=(), before=(), environment=None, setup=None
    ):
        folder.mkdir(parents=True, exist_ok=True)
        self.out = folder / "guarded.npz"
        self._folder = folder
        self._words = [str(SCRIPTS / script), str(self.out), *map(str, arguments)]
        self._options = [*map(str, options)]
        self._before = before
        self._environment = environment_in(folder, **(environment or {}))
        self._setup = setup
        self._texts = folder / "output.txt"
        self._process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        programs.end_all()

    def start(self, *options):
        """Start the parent."""
        own = ["run", "--runs", str(self._folder / "runs"), *self._options, *options]
        with self._texts.open("wb") as texts:
            self._process = programs.start(
                [*self._before, sys.executable, "-m", "fitguard", *own, *self._words],
                stdin=subprocess.DEVNULL,
                stdout=texts,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=self._environment,
                preexec_fn=self._setup,
            )
        return self

    def wait(self, longest_seconds=programs.LONGEST_SECONDS):
        """Until the parent has ended."""
        code = self._process.wait(longest_seconds)
        return Ended(code, self.text)

    @property
    def is_over(self):
        return self._process.poll() is not None

    @property
    def parent(self):
        return self._process.pid

    @property
    def text(self):
        """What parent and training have written so far."""
        return self._texts.read_text(errors="replace")

    @property
    def folder(self):
        """Of the run; None before it was made."""
        found = sorted((self._folder / "runs").glob("*/journal.jsonl"))
        return RunFolder(found[-1].parent) if found else None

    def events(self, kind=object):
        """What the journal of the run holds of one kind."""
        return [e for e in Journal(self.folder.journal).read() if isinstance(e, kind)]

    @property
    def record(self) -> Run:
        return msgspec.json.decode(self.folder.document.read_bytes(), type=Run)

    def next_child(self, after=0):
        """Wait for the attempt with a higher number than that; None where the run is over."""
        while not self.is_over:
            events = self.events(AttemptStarted) if self.folder else []
            started = [event for event in events if event.attempt > after]
            if started:
                return TrainingChild(self, started[-1])
            time.sleep(_LOOK_SECONDS * 4)
        return None


class TrainingChild:
    """One attempt of a run, from outside."""

    def __init__(self, run, started):
        self._run = run
        self.number = started.attempt
        self.pid = started.pid
        self._heartbeat = Heartbeat(run.folder.heartbeat)

    @property
    def is_alive(self):
        """Whether it is that process, and no zombie."""
        try:
            command = Path(f"/proc/{self.pid}/cmdline").read_bytes()
        except OSError:
            return False
        return str(self._run.folder.path).encode() in command

    def beat(self) -> Beat:
        return self._heartbeat.read()

    def unwritten(self):
        """Snapshots that are being written."""
        return list(self._run.folder.snapshots.glob("*.part"))

    def wait_for(self, reached, look_seconds=_LOOK_SECONDS):
        """Until `reached()` says so; False where the process ended before."""
        while self.is_alive:
            if reached():
                return True
            time.sleep(look_seconds)
        return False

    def signal(self, number):
        """Send a signal; whether the process was there to get it."""
        if not self.is_alive:
            return False
        os.kill(self.pid, number)
        return True

    def join(self):
        """Wait until it has ended."""
        while self.is_alive:
            time.sleep(_LOOK_SECONDS)
