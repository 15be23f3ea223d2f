"""Folders of runs as a guarded training leaves them, with what was measured meanwhile."""

import math
from pathlib import Path

from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.heartbeat import Heartbeat, OwnHeartbeat
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import (
    AttemptEnded,
    AttemptStarted,
    Decided,
    FitBegan,
    Logged,
    Orders,
    RunEnded,
    RunStarted,
    SnapshotWritten,
)
from fitguard.schema.run import Place

BEGAN = 1_763_200_000.0
GIB = 2**30
EPOCH = 400
CHILD = (
    *("attempt", "step_seconds", "slowest_step_seconds", "input_seconds", "loss"),
    *("allocator_bytes", "allocator_low_bytes", "allocator_peak_bytes", "allocator_limit_bytes"),
)
PARENT = (
    *("attempt", "host_bytes", "host_limit_bytes", "gpu_process_bytes:0", "gpu_used_bytes:0"),
    *("gpu_total_bytes:0", "gpu_busy_ratio:0", "gpu_temperature:0", "gpu_power:0", "gpu_clock:0"),
    *("threads", "open_files", "disk_free_bytes"),
)
OUTPUT = (
    "Epoch 1/20\n\x1b[1m 12/400\x1b[0m \x1b[37m━━━━\x1b[0m 4s\b\b\r"
    "\x1b[1m400/400\x1b[0m 8s 20ms/step - loss: 1.2031\nEpoch 2/20\n"
)


def place(steps: int) -> Place:
    """So many steps of the first `fit`."""
    return Place(fit=1, epoch=steps // EPOCH, step=steps % EPOCH, total_steps=steps)


def make_folder(
    path: Path,
    *,
    seconds: int = 1800,
    began: float = BEGAN,
    ended: bool = True,
    measured: bool = True,
    output: str = OUTPUT,
    command: tuple[str, ...] = ("train.py", "--epochs", "20"),
) -> RunFolder:
    """Two attempts, the first of which was killed; ten steps a second."""
    path.mkdir(parents=True, mode=0o700)
    folder = RunFolder(path)
    killed = seconds // 3
    journal = Journal(folder.journal)
    add = journal.append
    add(RunStarted(time=began, id=folder.id, command=command, fitguard="0.1.0"))
    add(AttemptStarted(time=began + 1, attempt=1, pid=4101, orders=Orders()))
    _train(journal, 1, began + 2, 0, killed * 10)
    add(
        AttemptEnded(
            time=began + killed, attempt=1, outcome="killed", signal="SIGKILL", cause="host-oom",
            confidence="high", why="The kernel killed the process for lack of memory.",
            evidence=("Out of memory: Killed process 4101 (python)",), last=place(killed * 10),
        )
    )  # fmt: skip
    add(
        Decided(
            time=began + killed, attempt=1, action="restart", cause="host-oom",
            text="Killed for lack of host memory: starts again from the last snapshot.",
        )
    )  # fmt: skip
    add(AttemptStarted(time=began + killed + 2, attempt=2, pid=4188, orders=Orders(attempt=2)))
    _train(journal, 2, began + killed + 2, killed * 10 - 50, seconds * 10 - 60)
    last = place(seconds * 10 - 60)
    if ended:
        done = {"time": began + seconds, "attempt": 2}
        add(AttemptEnded(**done, outcome="finished", exit_code=0, last=last))
        add(RunEnded(**done, state="finished", exit_code=0))
    if measured:
        measure(folder, began, seconds, killed)
    Heartbeat(folder.heartbeat, create=True).close()
    beat = OwnHeartbeat(folder.heartbeat)
    beat.beat("training", last.fit, last.epoch, last.step, last.total_steps)
    folder.output.write_bytes(output.encode())
    return folder


def _train(journal: Journal, attempt: int, began: float, first: int, last: int) -> None:
    journal.append(
        FitBegan(
            time=began, attempt=attempt, place=place(first), library="keras 3.15.1",
            model="small_cnn", epochs=50, steps_per_epoch=EPOCH, batch_size=256,
        )
    )  # fmt: skip
    for step in range(first + 50, last + 1, 50):
        at = {"time": began + (step - first) / 10, "attempt": attempt, "place": place(step)}
        loss = 0.15 + 2.2 * math.exp(-step / 2000) + 0.03 * math.sin(step)
        end = step % EPOCH == 0
        logs = {"loss": loss, "accuracy": 1 - loss / 3} | ({"val_loss": loss + 0.1} if end else {})
        journal.append(Logged(**at, logs=logs, epoch_end=end))
        if step % 1000 == 0:
            journal.append(
                SnapshotWritten(**at, bytes=96 << 20, taking_seconds=0.2, writing_seconds=1.1)
            )


def measure(folder: RunFolder, began: float, seconds: int, killed: int) -> None:
    """Two samples a second, of a training that holds a little more with each step."""
    child = FlightRecorder(folder.flight_records / "child.record", CHILD)
    parent = FlightRecorder(folder.flight_records / "parent.record", PARENT)
    for half in range(4, seconds * 2):
        age = half / 2 if half / 2 < killed else half / 2 - killed
        if age < 3:
            continue
        time, wave = began + half / 2, math.sin(half / 7)
        low = 2.1 * GIB + age * 200_000
        attempt = 1 if half / 2 < killed else 2
        values = {
            "attempt": attempt,
            "step_seconds": 0.1 + 0.004 * wave, "slowest_step_seconds": 0.13 + 0.01 * wave,
            "input_seconds": 0.012 + 0.004 * wave, "loss": 1 / (1 + age),
            "allocator_bytes": low * 1.5, "allocator_low_bytes": low,
            "allocator_peak_bytes": low * 2.2, "allocator_limit_bytes": 6 * GIB,
        }  # fmt: skip
        child.add(time, age * 10, values)
        values = {
            "attempt": attempt,
            "host_bytes": 3.1 * GIB, "host_limit_bytes": 16 * GIB, "gpu_process_bytes:0": 5.4 * GIB,
            "gpu_used_bytes:0": 5.9 * GIB, "gpu_total_bytes:0": 8 * GIB,
            "gpu_busy_ratio:0": 0.91 + 0.05 * wave, "gpu_temperature:0": 64 + 4 * wave,
            "gpu_power:0": 212 + 20 * wave, "gpu_clock:0": 1.71e9 + 4e7 * wave, "threads": 61,
            "open_files": 118, "disk_free_bytes": 210 * GIB,
        }  # fmt: skip
        parent.add(time, age * 10, values)
    child.close()
    parent.close()
