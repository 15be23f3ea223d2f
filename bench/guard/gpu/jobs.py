"""Trainings as processes: plain, and under `fitguard run`; disturbed if wished."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = Path(os.environ.get("GUARD_WORK", "guard-work")).resolve()
GROWTH = {"TF_FORCE_GPU_ALLOW_GROWTH": "true"}
LOCK = threading.Lock()


def used_mib():
    try:
        asked = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
        return int(subprocess.run(asked, capture_output=True, text=True).stdout.split()[0])
    except (OSError, ValueError, IndexError):
        return -1


def say(**row):
    with LOCK:
        line = json.dumps(row)
        print(line[:1500], flush=True)
        with (WORK / "results.jsonl").open("a") as file:
            file.write(line + "\n")


class Training:
    """One script, started plainly or guarded."""

    def __init__(self, name, script, *words, guarded=False, options=(), env=None, limit=300):
        self.name, self.limit = name, limit
        self.folder = WORK / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.out = self.folder / ("out.json" if script == "speed.py" else "out.npz")
        self.words = [str(HERE / script), str(self.out), *map(str, words)]
        self.guarded, self.options = guarded, list(map(str, options))
        cache = {"XDG_CACHE_HOME": str(self.folder / "cache"), "NO_COLOR": "1"}
        self.env = {**os.environ, "PYTHONUNBUFFERED": "1", **cache, **(env or {})}
        self.process = None
        self.spawned = 0.0
        self.pump = None

    def start(self, *more):
        own = ["-m", "fitguard", "run", "--runs", str(self.folder / "runs")]
        before = [*own, *self.options, *more] if self.guarded else []
        self.spawned = time.time()
        self.process = subprocess.Popen(
            [sys.executable, *before, *self.words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            env=self.env,
            process_group=0,
        )
        self.pump = threading.Thread(target=self._copy, args=(self.process.stdout,), daemon=True)
        self.pump.start()
        return self

    def _copy(self, stream):
        with (self.folder / "log.txt").open("ab") as log:
            for line in stream:
                log.write(f"[{time.time() - self.spawned:8.3f}] ".encode() + line)
                log.flush()

    def wait(self):
        try:
            code = self.process.wait(self.limit)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGTERM if self.guarded else signal.SIGKILL)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
            code = "time limit"
        seconds = time.time() - self.spawned
        self.pump.join(5)
        return code, round(seconds, 1)

    def run(self, quiet=False):
        self.start()
        code, seconds = self.wait()
        row = {"job": self.name, "code": code, "seconds": seconds, **self.story()}
        if not quiet:
            say(**row)
        return row

    @property
    def runs(self):
        return sorted((self.folder / "runs").glob("*/run.json"))

    def story(self):
        if not self.guarded or not self.runs:
            return {}
        run = json.loads(self.runs[-1].read_text())
        attempts = [
            {
                key: one.get(key)
                for key in ("outcome", "exit_code", "signal", "cause", "action", "steps_done")
            }
            | {"seconds": round((one.get("ended") or 0) - one["started"], 1)}
            | {"peak_gpu": (one.get("peak_gpu_bytes") or 0) >> 20}
            for one in run["attempts"]
        ]
        return {
            "state": run["state"],
            "attempts": attempts,
            "micro": [fit.get("micro_batch") for fit in run["fits"]],
            "decisions": [one["text"] for one in run["decisions"]],
            "notes": [one["text"] for one in run["notes"]],
            "snapshots": run["snapshots"],
        }


class Disturbed(Training):
    """A guarded one that is killed: `kill`, `kill-parent` or `term`, at random moments."""

    def __init__(self, *args, deeds=(), seed=0, **kwargs):
        super().__init__(*args, guarded=True, **kwargs)
        self.deeds = list(deeds)
        self.random = random.Random(seed)
        self.done = []

    def run(self):
        began = time.time()
        self.start()
        number = 0
        for deed in self.deeds:
            child = self._child(number)
            if child is None:
                break
            number, pid = child
            if not self._moment(pid):
                break
            self._do(deed, pid)
        code, _ = self.wait()
        row = {"job": self.name, "code": code, "seconds": round(time.time() - began, 1)}
        row |= {"deeds": self.done, **self.story()}
        say(**row)
        return row

    def _child(self, after):
        from fitguard.monitor.journal import Journal
        from fitguard.schema.journal import AttemptStarted

        while self.process.poll() is None:
            for found in sorted((self.folder / "runs").glob("*/journal.jsonl"))[-1:]:
                started = [e for e in Journal(found).read() if isinstance(e, AttemptStarted)]
                if started and started[-1].attempt > after:
                    return started[-1].attempt, started[-1].pid
            time.sleep(0.05)
        return None

    def _moment(self, pid):
        """A while behind the first steps; sometimes while it still starts."""
        from fitguard.monitor.heartbeat import Heartbeat

        if self.random.random() < 0.15:
            time.sleep(self.random.uniform(1, 8))
            return self._alive(pid)
        beats = Heartbeat(self.runs_folder() / "heartbeat")
        seen = set()
        while self._alive(pid) and len(seen) < 4:
            seen.add(beats.read().place)
            time.sleep(0.01)
        time.sleep(self.random.uniform(0, 2.5))
        return self._alive(pid)

    def runs_folder(self):
        return sorted((self.folder / "runs").glob("*/journal.jsonl"))[-1].parent

    @staticmethod
    def _alive(pid):
        try:
            return b"bootstrap" in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    def _do(self, deed, pid):
        self.done.append(deed)
        if deed == "kill":
            os.kill(pid, signal.SIGKILL)
            while self._alive(pid):
                time.sleep(0.01)
            return
        number = signal.SIGKILL if deed == "kill-parent" else signal.SIGTERM
        os.kill(self.process.pid, number)
        code = self.process.wait(60)
        self.done.append(f"parent {code}")
        while self._alive(pid):
            time.sleep(0.01)
        self.pump.join(5)
        self.start("--resume")


def together(trainings, most):
    """All of these, so many at a time, in this order; their rows by name."""
    gate = threading.Semaphore(most)
    rows = {}

    def one(training):
        with gate:
            try:
                rows[training.name] = training.run()
            except Exception as error:
                say(job=training.name, error=repr(error))

    threads = []
    for training in trainings:
        thread = threading.Thread(target=one, args=(training,))
        thread.start()
        threads.append(thread)
        time.sleep(0.3)
    for thread in threads:
        thread.join()
    return rows
