"""How long two workers stand still after a fault: under `fitguard run --workers`, and without it.

    make bench
    .venv/bin/python bench/gang_recovery.py --library keras

Each fault hits worker 1 of two real processes of TensorFlow on the CPU, in the middle of training.
Measured is the time from the fault to the first step of worker 0 after it, in another process. Most
of it is what the processes need to start: *start* is the time from their start to the first step.
Without fitguard no further step comes: worker 0 *dies* after so many seconds, or *hangs* until the
bench ends it. A worker that is stuck is found by `--hang-seconds 5`. Keras 3.15 does not train so
without fitguard at all, which mends it.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fitguard.monitor.gang_folder import GangFolder
from fitguard.monitor.journal import Journal
from fitguard.schema.journal import AttemptStarted

WORKER = Path(__file__).parent / "guard" / "gang_worker.py"
STEPS = 100_000
STUCK_AT = 60
TRAINS_AT = 40
LONGEST_SECONDS = 180.0
HANGS_SECONDS = 60.0


class Training:
    """Two workers in a folder of their own.

    Args:
        words: Behind those that every worker gets.
    """

    def __init__(self, folder: Path, library: str, *words: str) -> None:
        self.folder = folder
        self.words = [str(WORKER), library, str(STEPS), *words]
        self.environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
        self.processes: list[subprocess.Popen[bytes]] = []

    def start_guarded(self) -> None:
        own = [sys.executable, "-m", "fitguard", "run", "--workers", "2", "--name", "g"]
        self._start([*own, "--hang-seconds=5", "--snapshot-seconds=1", *self.words], {})

    def start_plainly(self) -> None:
        addresses = [f"127.0.0.1:{_find_port()}" for _ in range(2)]
        for index in range(2):
            config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
            self._start([sys.executable, *self.words], {"TF_CONFIG": json.dumps(config)})

    def _start(self, words: list[str], environment: dict[str, str]) -> None:
        self.processes.append(
            subprocess.Popen(
                words,
                cwd=self.folder,
                env={**self.environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )

    def read_steps(self, worker: int = 0) -> list[tuple[float, int, int]]:
        """Time, process and number of each step."""
        try:
            lines = (self.folder / f"progress-{worker}").read_text().splitlines()
        except OSError:
            return []
        return [(float(a), int(b), int(c)) for a, b, c in (line.split() for line in lines)]

    def find_guard(self) -> int:
        """The process that guards worker 1."""
        folder = GangFolder(self.folder / "fitguard-runs", "g").find_worker(1)
        events = Journal(folder.journal).read()
        return [one for one in events if isinstance(one, AttemptStarted)][-1].orders.parent

    def end(self) -> None:
        for process in self.processes:
            for number in (signal.SIGCONT, signal.SIGKILL):
                try:
                    os.killpg(process.pid, number)
                except ProcessLookupError:
                    break
            process.wait()


Fault = Callable[[Training], None]


def kill_child(training: Training) -> None:
    os.kill(training.read_steps(1)[-1][1], signal.SIGKILL)


def kill_parent(training: Training) -> None:
    os.kill(training.find_guard(), signal.SIGKILL)


def stop_child(training: Training) -> None:
    os.kill(training.read_steps(1)[-1][1], signal.SIGSTOP)


FAULTS: dict[str, Fault | None] = {
    "killed": kill_child,
    "its guard killed": kill_parent,
    "stopped (SIGSTOP)": stop_child,
    "stuck in a callback": None,
}


def main() -> None:
    """Print one row a fault; exit with 1 where a gang did not go on."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="tf_keras", choices=("keras", "tf_keras"))
    library = parser.parse_args().library
    rows = {name: measure(library, fault) for name, fault in FAULTS.items()}
    print(f"{'worker 1 is':<22}{'fitguard run --workers 2':>26}{'start':>9}   without fitguard")
    for name, (guarded, start, plain) in rows.items():
        print(f"{name:<22}{_show(guarded):>26}{_show(start):>9}   {plain}")
    sys.exit(any(guarded is None for guarded, _, _ in rows.values()))


def measure(library: str, fault: Fault | None) -> tuple[float | None, float | None, str]:
    """Seconds to the next step, those that a start takes, and what happens without fitguard."""
    words = [] if fault is not None else [str(STUCK_AT)]
    with tempfile.TemporaryDirectory() as name:
        training = Training(Path(name), library, *words)
        began = time.monotonic()
        training.start_guarded()
        try:
            struck, first = _strike(training, fault)
            guarded = _await(lambda: _find_next(training, struck, first), LONGEST_SECONDS)
            start = training.read_steps()[0][0] - began
        finally:
            training.end()
    return guarded, start, _measure_plainly(library, fault, words)


def _measure_plainly(library: str, fault: Fault | None, words: list[str]) -> str:
    if fault is kill_parent:
        return "-"
    if library == "keras":
        return "does not train"
    with tempfile.TemporaryDirectory() as name:
        training = Training(Path(name), library, *words)
        training.start_plainly()
        try:
            struck, _ = _strike(training, fault)
            survivor = training.processes[0]
            died = _await(
                lambda: time.monotonic() - struck if survivor.poll() is not None else None,
                HANGS_SECONDS,
            )
        finally:
            training.end()
    return f"hangs (over {HANGS_SECONDS:.0f} s)" if died is None else f"dies after {died:.1f} s"


def _strike(training: Training, fault: Fault | None) -> tuple[float, int]:
    """When the fault came, and the process that trained as worker 0 until then."""
    least = TRAINS_AT if fault is not None else STUCK_AT
    trained = _await(lambda: len(training.read_steps(1)) >= least or None, LONGEST_SECONDS)
    if not trained:
        sys.exit("The workers do not train. Run bench/guard/gang_worker.py to see why.")
    if fault is not None:
        fault(training)
        return time.monotonic(), training.read_steps()[-1][1]
    return training.read_steps(1)[-1][0], training.read_steps()[-1][1]


def _find_next(training: Training, struck: float, before: int) -> float | None:
    return next((t - struck for t, pid, _ in training.read_steps() if pid != before), None)


def _await(look: Callable[[], float | None], seconds: float) -> float | None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if (found := look()) is not None:
            return found
        time.sleep(0.05)
    return None


def _show(seconds: float | None) -> str:
    return "no step" if seconds is None else f"{seconds:.1f} s"


def _find_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


if __name__ == "__main__":
    main()
