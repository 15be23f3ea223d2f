"""Runs as `fitguard run` leaves them, put together by hand: their numbers agree."""

import math
import random

import msgspec

from fitguard.schema.finding import Fix
from fitguard.schema.run import (
    Attempt,
    LossPoint,
    MemorySample,
    Place,
    Run,
    RunAlert,
    RunDecision,
    RunFit,
    RunNote,
    RunProfile,
    Series,
    SnapshotMark,
    SnapshotTotals,
)
from fitguard.schema.run_list import RunLine, RunList
from fitguard.schema.watch import Watch

MIB, GIB = 2**20, 2**30
BEGAN = 1_763_200_000.0
EPOCH = 400


def at(step: int, fit: int = 1, epoch: int = EPOCH) -> Place:
    """The place after so many steps of a fit."""
    return Place(fit=fit, epoch=step // epoch, step=step % epoch, total_steps=step)


def made_losses(
    attempt: int, first: int, last: int, began: float, seconds: float, fit: int = 1
) -> list[LossPoint]:
    """A loss that falls, logged every 20 steps, with validation at the end of each epoch."""
    points = []
    for step in range(first + 20, last + 1, 20):
        wave = random.Random(step).gauss(0, 0.04)
        loss = 0.15 + 2.2 * math.exp(-step / 900) + wave * math.exp(-step / 3000)
        end = step % EPOCH == 0
        logs = {"loss": loss, "accuracy": 1 - loss / 3}
        logs |= (
            {"val_loss": loss + 0.12 + step / 60_000, "val_accuracy": 0.9 - loss / 3} if end else {}
        )
        time = began + seconds * (step - first) / max(last - first, 1)
        points.append(LossPoint(time=time, attempt=attempt, place=at(step, fit), logs=logs,
                                epoch_end=end))  # fmt: skip
    return points


def made_samples(attempt: int, began: float, seconds: float, peak: int) -> list[MemorySample]:
    """Memory that rises at the start of a process, and then stays."""
    samples = []
    for number in range(60):
        time = began + seconds * number / 59
        filled = min(1.0, 0.15 + number / 8) + 0.01 * math.sin(number)
        samples.append(
            MemorySample(
                time=time, attempt=attempt, host_bytes=round(3.1 * GIB * filled),
                host_limit_bytes=6 * GIB, gpu_bytes=round(peak * filled),
                allocator_bytes=round(peak * filled * 0.8), largest_free_bytes=round(peak * 0.05),
            )
        )  # fmt: skip
    return samples


ATTEMPTS = (
    Attempt(
        number=1, started=BEGAN + 1, ended=BEGAN + 95, pid=4101, outcome="out-of-memory",
        exit_code=86, cause="gpu-oom", confidence="high",
        why="The allocator could not give 1.2 GiB for `conv2d_3` at the first step, and nothing "
        "else holds the card.",
        evidence=("ResourceExhaustedError: OOM when allocating tensor with shape[2048,64,98,98]",),
        action="smaller-micro-batch", first=at(0), last=at(0), peak_host_bytes=3 * GIB,
        peak_gpu_bytes=7 * GIB,
    ),
    Attempt(
        number=2, started=BEGAN + 100, ended=BEGAN + 1900, pid=4188, outcome="killed",
        signal="SIGKILL", cause="host-oom", confidence="high",
        why="The kernel killed the process for lack of memory.",
        evidence=("Out of memory: Killed process 4188 (python) total-vm:48211004kB",),
        action="restart", first=at(0), last=at(2461), steps_done=2461, steps_lost=41,
        peak_host_bytes=3 * GIB, peak_gpu_bytes=5 * GIB,
    ),
    Attempt(
        number=3, started=BEGAN + 1905, ended=BEGAN + 5600, pid=4391, outcome="finished",
        exit_code=0, first=at(2420), last=at(8000), steps_done=5580, peak_host_bytes=3 * GIB,
        peak_gpu_bytes=5 * GIB,
    ),
)  # fmt: skip

SURVIVED = Run(
    id="20251115-094640-a3f1",
    command=("train.py", "--epochs", "20", "--data", "images 100x100"),
    folder="fitguard-runs/20251115-094640-a3f1",
    started=BEGAN,
    ended=BEGAN + 5602,
    seconds=5602,
    state="finished",
    exit_code=0,
    fitguard="0.1.0",
    attempts=ATTEMPTS,
    fits=(
        RunFit(number=1, library="keras", model="small_cnn", epochs=20, steps_per_epoch=EPOCH,
               batch_size=2048, micro_batch=512, finished=True),
    ),
    decisions=(
        RunDecision(time=BEGAN + 96, attempt=1, action="smaller-micro-batch", cause="gpu-oom",
                    text="Out of memory with a batch of 2048: micro-batches of 512 from now on."),
        RunDecision(time=BEGAN + 1902, attempt=2, action="restart", cause="host-oom",
                    text="Killed for lack of host memory at step 2,461: starts again from step "
                    "2,420."),
    ),
    profiles=(
        RunProfile(
            time=BEGAN,
            attempt=1,
            place=Place(fit=1, step=10, total_steps=10),
            why="step 10",
            steps=5,
            folder="profiles/attempt1-fit1-step10",
            text="Profile of step 10: 5 steps took 2 s: 70% waiting for data",
            shares={"input": 0.7, "host": 0.3},
        ),
    ),
    alerts=(
        RunAlert(time=BEGAN + 1700, attempt=2, code="FG413", slug="host-leak", severity="warning",
                 confidence="medium", title="Main memory grows by 812.0 MiB an hour",
                 text="Main memory grew from 2.1 GiB to 2.6 GiB in 35 min.",
                 fix=Fix("Look for what your code keeps in each step or epoch."),
                 cause="host-oom", numbers={"bytes_per_hour": 812.0 * MIB}),
    ),
    notes=(
        RunNote(time=BEGAN + 98, attempt=2, kind="micro-batch",
                text="`batch_normalization` sees micro-batches of 512 rows instead of 2048."),
    ),
    losses=(
        *made_losses(2, 0, 2461, BEGAN + 110, 1790),
        *made_losses(3, 2420, 8000, BEGAN + 1915, 3680),
    ),
    samples=(
        *made_samples(1, BEGAN + 1, 94, 7 * GIB),
        *made_samples(2, BEGAN + 100, 1800, 5 * GIB),
        *made_samples(3, BEGAN + 1905, 3695, 5 * GIB),
    ),
    snapshots=SnapshotTotals(count=42, bytes=42 * 96 * MIB, taking_seconds=11.2,
                             writing_seconds=64.0),
    saved=tuple(
        SnapshotMark(time=BEGAN + 200 + 130 * number, attempt=2 if number < 13 else 3,
                     place=at(190 * number), bytes=96 * MIB)
        for number in range(1, 42)
    ),
)  # fmt: skip

PLAIN = msgspec.structs.replace(
    SURVIVED,
    id="20251114-210002-77c0",
    command=("train.py",),
    seconds=3700,
    ended=BEGAN + 3700,
    attempts=(msgspec.structs.replace(ATTEMPTS[2], number=1, started=BEGAN, ended=BEGAN + 3699,
                                      first=at(0), last=at(5600), steps_done=5600),),
    fits=(msgspec.structs.replace(SURVIVED.fits[0], micro_batch=None),),
    decisions=(),
    profiles=(),
    alerts=(),
    notes=(),
    losses=tuple(made_losses(1, 0, 5600, BEGAN + 10, 3680)),
    samples=tuple(made_samples(1, BEGAN, 3699, 5 * GIB)),
)  # fmt: skip

STOPPED = Run(
    id="20251115-120000-0001",
    command=("-m", "package.train"),
    folder="fitguard-runs/20251115-120000-0001",
    started=BEGAN,
    ended=BEGAN + 12,
    seconds=12.4,
    state="stopped",
    exit_code=1,
    attempts=(
        Attempt(number=1, started=BEGAN, ended=BEGAN + 12, outcome="exception", exit_code=1,
                cause="data-shape-dtype", confidence="medium",
                why="Labels and output of the model have different shapes.",
                evidence=("ValueError: Arguments `target` and `output` must have the same shape",),
                action="stop"),
    ),
    decisions=(
        RunDecision(time=BEGAN + 12, attempt=1, action="stop", cause="data-shape-dtype",
                    text="Wrong data: starting again would not help."),
    ),
)  # fmt: skip

INEXACT = Run(
    id="20251113-080000-beef",
    command=("train.py",),
    folder="fitguard-runs/20251113-080000-beef",
    started=BEGAN,
    seconds=3 * 86_400.0,
    state="lost",
    attempts=(
        Attempt(number=1, started=BEGAN, ended=BEGAN + 600, outcome="preempted", exit_code=75,
                first=at(0), last=at(900), steps_done=900),
        Attempt(number=2, started=BEGAN + 2 * 86_400, ended=BEGAN + 2 * 86_400 + 900,
                outcome="lost", first=at(900), last=at(100, fit=2), steps_done=800),
    ),
    fits=(
        RunFit(number=1, library="keras", model="encoder", epochs=4, steps_per_epoch=EPOCH,
               batch_size=32, finished=True,
               inexact=("The generator has a state of its own: it begins anew.",)),
        RunFit(number=2, library="tf_keras", model="head", epochs=None),
    ),
    decisions=(
        RunDecision(time=BEGAN + 500, attempt=1, action="jit-off", cause="xla-toolchain",
                    text="XLA could not compile.", changes_results=True),
    ),
    losses=(
        *made_losses(1, 0, 900, BEGAN, 600),
        *made_losses(2, 900, 1600, BEGAN + 2 * 86_400, 700),
        *made_losses(2, 0, 100, BEGAN + 2 * 86_400 + 700, 200, fit=2),
    ),
    samples=tuple(made_samples(1, BEGAN, 600, GIB)),
    snapshots=SnapshotTotals(failed=3),
)  # fmt: skip

NEVER_STARTED = Run(
    id="20251115-130000-none", command=("train.py",), folder="fitguard-runs/20251115-130000-none",
    started=BEGAN, state="lost",
)  # fmt: skip


def often_killed(times: int = 300) -> Run:
    """A run that was killed at every 20th step, and got to its end."""
    attempts, losses, decisions = [], [], []
    for number in range(1, times + 1):
        began, first = BEGAN + 30 * number, 20 * (number - 1)
        last = number == times
        attempts.append(
            Attempt(number=number, started=began, ended=began + 25, first=at(first),
                    outcome="finished" if last else "killed", signal=None if last else "SIGKILL",
                    cause="" if last else "unknown", action="" if last else "restart",
                    evidence=() if last else ("The process was killed from outside.",),
                    last=at(first + 23), steps_done=23, steps_lost=0 if last else 3)
        )  # fmt: skip
        losses += made_losses(number, first, first + 23, began, 25)
        if not last:
            decisions.append(
                RunDecision(time=began + 26, attempt=number, action="restart", cause="unknown",
                            text="Killed: starts again.")
            )  # fmt: skip
    return Run(
        id="20251115-140000-kill", command=("train.py",), folder="fitguard-runs/x", started=BEGAN,
        ended=BEGAN + 30 * times + 26, seconds=30 * times + 26, state="finished", exit_code=0,
        attempts=tuple(attempts), losses=tuple(losses), decisions=tuple(decisions),
        fits=(RunFit(number=1, library="keras", epochs=15, steps_per_epoch=EPOCH, batch_size=32,
                     finished=True),),
    )  # fmt: skip


RUNNING = msgspec.structs.replace(
    SURVIVED,
    state="running",
    ended=None,
    exit_code=None,
    attempts=(*ATTEMPTS[:2], msgspec.structs.replace(
        ATTEMPTS[2], ended=None, exit_code=None, outcome="running")),
)  # fmt: skip


def hostile_run(text: str) -> Run:
    """A run in which every name and sentence is this text."""
    return Run(
        id=text, command=(text, text), folder=text, started=BEGAN, seconds=10, state="stopped",
        exit_code=1, fitguard=text,
        attempts=(
            Attempt(number=1, started=BEGAN, ended=BEGAN + 4, outcome="crashed", signal=text,
                    cause=text, confidence="low", why=text, evidence=(text, text), action=text,
                    first=at(0), last=at(60), steps_done=60, steps_lost=20),
            Attempt(number=2, started=BEGAN + 5, ended=BEGAN + 9, outcome="exited", exit_code=3,
                    cause=text, first=at(40), last=at(60), steps_done=20),
        ),
        fits=(RunFit(number=1, library=text, model=text, inexact=(text,)),),
        decisions=(RunDecision(time=BEGAN + 4, attempt=1, action=text, cause=text, text=text,
                               changes_results=True),),
        profiles=(RunProfile(time=BEGAN, attempt=1, place=Place(), why=text, steps=1, folder=text,
                             text=text),),
        alerts=(RunAlert(time=BEGAN, attempt=1, code=text, slug=text, severity="error",
                         confidence="low", subject=text, title=text, text=text,
                         fix=Fix(text, (text,)), cause=text, numbers={text: 1.0}),),
        notes=(RunNote(time=BEGAN, attempt=1, kind=text, text=text),),
        losses=tuple(
            LossPoint(time=BEGAN + step / 20, attempt=1, place=at(step), logs={text: 1.0 / step},
                      epoch_end=step == 60)
            for step in (20, 40, 60)
        ),
        samples=tuple(made_samples(1, BEGAN, 4, MIB)),
        snapshots=SnapshotTotals(count=1, bytes=5),
        saved=(SnapshotMark(time=BEGAN + 1, attempt=1, place=at(40), bytes=5),),
        series=tuple(made_series(name) for name in (text, f"gpu_power:{text}", *SERIES)),
        output=(text, text),
    )  # fmt: skip


SERIES = (
    *("step_seconds", "input_seconds", "allocator_peak_bytes", "allocator_low_bytes"),
    *("allocator_limit_bytes", "gpu_temperature:0", "gpu_temperature:1"),
)


def made_series(name: str, began: float = BEGAN, seconds: float = 10) -> Series:
    """A series that rises; the time of a step was once no time at all."""
    times = tuple(began + seconds * number / 20 for number in range(20))
    values = tuple(float(number * number) for number in range(20))
    return Series(name=name, times=times, low=values, high=values, last=values)


def made_moment(run: Run, text: str = "") -> Watch:
    """The newest moment of a run; where there is a text, it is in every string."""
    last = run.attempts[-1]
    return Watch(
        time=run.started + run.seconds, id=run.id, command=run.command, folder=run.folder,
        state=run.state, started=run.started, seconds=run.seconds, pid=last.pid,
        attempt=last.number, phase=text or "training", place=last.last, epochs=20,
        steps_per_epoch=EPOCH, steps_per_second=9.5, steps_left=400, seconds_left=42,
        measured=run.started + run.seconds,
        values={text or "loss": 1.0, f"gpu_power:{text}": 2.0, "allocator_bytes": 5.0 * GIB,
                "allocator_peak_bytes": 5.8 * GIB, "allocator_limit_bytes": 6.0 * GIB,
                "gpu_total_bytes:0": 8.0 * GIB, "gpu_used_bytes:0": 7.0 * GIB,
                "gpu_busy_ratio:0": 0.9, "gpu_power:0": 200.0, "gpu_power_limit:0": 300.0,
                "step_seconds": 0.1, "input_seconds": 0.02, "threads": 9.0},
        logs={text or "loss": None, "accuracy": 0.5}, alerts=run.alerts, decisions=run.decisions,
        output=(text or "Epoch 20/20",), missing=(text,) if text else (),
    )  # fmt: skip


def hostile_moment(text: str) -> Watch:
    """A moment in which every name and sentence is this text."""
    return made_moment(hostile_run(text), text)


def line_of(run: Run) -> RunLine:
    """The run in a list."""
    return RunLine(id=run.id, state=run.state, started=run.started, seconds=run.seconds,
                   attempts=len(run.attempts), steps=8000, loss=0.1834, cause="host-oom",
                   command=run.command)  # fmt: skip


RUN_LIST = RunList(
    folder="fitguard-runs",
    runs=tuple(map(line_of, (PLAIN, STOPPED, SURVIVED))),
    unreadable=("fitguard-runs/old: no journal",),
)
NO_RUNS = RunList(folder="fitguard-runs")


def hostile_list(text: str) -> RunList:
    """A list in which every name is this text."""
    line = RunLine(id=text, state="lost", started=BEGAN, cause=text, command=(text,))
    return RunList(folder=text, runs=(line, line), unreadable=(text,))


RUNS = {
    "run that survived": SURVIVED,
    "run without a fault": PLAIN,
    "run that stopped": STOPPED,
    "run that is not exact": INEXACT,
    "run that never started": NEVER_STARTED,
    "run that is running": RUNNING,
    "run that was often killed": often_killed(),
    "moment of a run": made_moment(SURVIVED),
    "list of runs": RUN_LIST,
    "no runs": NO_RUNS,
}
