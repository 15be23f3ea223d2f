"""A guarded run: its attempts, why each ended, what was decided, and what it cost."""

from typing import Literal

import msgspec

from fitguard.schema.document import Document
from fitguard.schema.finding import Confidence, Fix, Severity

RUN_SCHEMA: Literal["fitguard/run/1"] = "fitguard/run/1"

RunState = Literal["running", "finished", "stopped", "interrupted", "preempted", "lost"]
"""`lost`: neither running nor ended; its parent or the machine died. It can be resumed."""

Outcome = Literal[
    "running",
    "finished",
    "out-of-memory",
    "exception",
    "crashed",
    "killed",
    "hung",
    "planned",
    "followed",
    "preempted",
    "interrupted",
    "exited",
    "lost",
]
"""How one attempt ended.

`out-of-memory`: the child asked to be replaced. `crashed`: a signal of its own making, SIGSEGV or
SIGABRT. `killed`: SIGKILL or SIGTERM from outside. `planned`: fitguard asked it to leave, to begin
again. `followed`: one of several workers ended, and so did this one. `exited`: the script called
`sys.exit` with a code of its own.
"""

Action = Literal[
    "restart",
    "recompute",
    "smaller-micro-batch",
    "other-allocator",
    "wait-for-memory",
    "leave-out-gpu",
    "jit-off",
    "mixed-precision",
    "planned-restart",
    "stop",
]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A moment of the training: so much has been done.

    Args:
        fit: Number of the `fit` call, from 1; 0 before the first.
        epoch: Epochs that are complete.
        step: Steps that are complete in the epoch after those.
        total_steps: Steps that are complete in this `fit` call.
    """

    fit: int = 0
    epoch: int = 0
    step: int = 0
    total_steps: int = 0


class RunFit(msgspec.Struct, frozen=True, kw_only=True):
    """One `fit` call of the script.

    Args:
        library: `keras 3.15.1` or `tf_keras 2.21.0`; `loop` for a `Guard`.
        steps_per_epoch: None where the data do not tell.
        micro_batch: Rows of a micro-batch; None where the batch is whole.
        inexact: Why a resumed run may differ from an undisturbed one; empty where it may not.
    """

    number: int
    library: str
    model: str = ""
    epochs: int | None = None
    steps_per_epoch: int | None = None
    batch_size: int | None = None
    micro_batch: int | None = None
    finished: bool = False
    inexact: tuple[str, ...] = ()


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One process that trained.

    Args:
        started: Seconds since 1970, as `ended`.
        cause: As `fitguard explain` found it; empty where the attempt ended well.
        why: How the evidence leads to the cause.
        evidence: Lines that prove it.
        action: What was done next; empty where nothing was.
        first: Where it began to train.
        last: How far it got.
        steps_done: Steps of the optimizer that it took.
        steps_lost: Those of them that were not in a snapshot, and are taken again.
        peak_host_bytes: Most memory of the process; 0 where unknown.
        peak_gpu_bytes: Most memory of the GPUs that the process held.
        card: Where a fleet had placed it: `gpu-1/0 NVIDIA H200`; empty without one.
    """

    number: int
    started: float
    ended: float | None = None
    pid: int = 0
    outcome: Outcome = "running"
    exit_code: int | None = None
    signal: str | None = None
    cause: str = ""
    confidence: Confidence | None = None
    why: str = ""
    evidence: tuple[str, ...] = ()
    action: str = ""
    first: Place = Place()
    last: Place = Place()
    steps_done: int = 0
    steps_lost: int = 0
    peak_host_bytes: int = 0
    peak_gpu_bytes: int = 0
    card: str = ""


class RunDecision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision, as it was said on stderr."""

    time: float
    attempt: int
    action: str
    cause: str = ""
    text: str
    changes_results: bool = False


class RunNote(msgspec.Struct, frozen=True, kw_only=True):
    """What the user should know: what is not exact, what could not be written."""

    time: float
    attempt: int
    kind: str
    text: str


class RunAlert(msgspec.Struct, frozen=True, kw_only=True):
    """What a detector found while the run went on, as `fitguard explain CODE` describes it.

    Args:
        subject: What it is about where there are several: `GPU 1`.
        text: What was measured, in sentences.
        cause: That a crash would have; empty where none comes.
        numbers: What the text says, by name; units as in names of fields.
        place: How far the training was.
    """

    time: float
    attempt: int
    code: str
    slug: str
    severity: Severity
    confidence: Confidence
    subject: str = ""
    title: str
    text: str
    fix: Fix
    cause: str = ""
    numbers: dict[str, float] = {}
    place: Place = Place()


TimeShare = Literal["kernels", "copies", "compilation", "input", "host"]
"""What a moment of a step was spent on."""


class RunProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A trace of a few steps.

    Args:
        place: Before them.
        why: It was taken.
        folder: Of the trace, inside of that of the run.
        text: What it says.
        shares: Of the time.
    """

    time: float
    attempt: int
    place: Place
    why: str
    steps: int
    folder: str
    text: str
    shares: dict[TimeShare, float] = {}


class LossPoint(msgspec.Struct, frozen=True, kw_only=True):
    """What Keras logged at a place: `loss`, `accuracy`, `val_loss`."""

    time: float
    attempt: int
    place: Place
    logs: dict[str, float]
    epoch_end: bool = False


class MemorySample(msgspec.Struct, frozen=True, kw_only=True):
    """Memory since the sample before, at its highest; None where it cannot be had.

    Args:
        host_bytes: Resident memory of the training process and its children.
        host_limit_bytes: What they may have: the cgroup's limit or the machine's memory.
        gpu_bytes: Memory the process holds on its GPUs, as the driver counts it.
        allocator_bytes: In use, as TensorFlow's allocator counts it; `allocator_peak_bytes` the
            most since the sample before; `allocator_limit_bytes` what it may have;
            `largest_free_bytes` the largest block that is free in it.
    """

    time: float
    attempt: int
    total_steps: int = 0
    host_bytes: int | None = None
    host_limit_bytes: int | None = None
    gpu_bytes: int | None = None
    allocator_bytes: int | None = None
    allocator_peak_bytes: int | None = None
    allocator_limit_bytes: int | None = None
    largest_free_bytes: int | None = None


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was measured over time, thinned out; no extreme is lost.

    Args:
        name: A name of `schema.metrics`: `step_seconds`; with a GPU behind it: `gpu_power:0`.
        times: Seconds since 1970; each stands for the time since the one before.
        low: Lowest value of that time; `high` the highest.
    """

    name: str
    times: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    last: tuple[float, ...] = ()


class SnapshotTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What snapshots cost.

    Args:
        taking_seconds: The training stood still for it.
        writing_seconds: A thread wrote meanwhile.
    """

    count: int = 0
    failed: int = 0
    bytes: int = 0
    taking_seconds: float = 0.0
    writing_seconds: float = 0.0


class SnapshotMark(msgspec.Struct, frozen=True, kw_only=True):
    """One snapshot that was written, for the picture of the run."""

    time: float
    attempt: int
    place: Place
    bytes: int = 0


class Run(Document, frozen=True, kw_only=True):
    """The document of a run: `run.json`.

    Args:
        command: As it was given: `["train.py", "--epochs", "3"]`.
        exit_code: What `fitguard run` left with; None while it runs.
        memory_limit_bytes: That the training may take of each GPU; None without a limit.
        peak_allocator_bytes: That TensorFlow's allocator had in use at most; 0 where unknown.
        seconds: From the first start to the end, pauses included.
        alerts: In the order of time, the newest hundred at most.
        samples: Thinned out.
        saved: Snapshots in the order of time, the newest thousand at most.
        series: What was measured in each step, out of the flight records; not in `run.json`.
        output: The last lines that the training wrote; not in `run.json`.
    """

    schema: Literal["fitguard/run/1"] = RUN_SCHEMA
    id: str
    command: tuple[str, ...]
    folder: str
    started: float
    ended: float | None = None
    seconds: float = 0.0
    state: RunState
    exit_code: int | None = None
    memory_limit_bytes: int | None = None
    peak_allocator_bytes: int = 0
    fitguard: str = ""
    attempts: tuple[Attempt, ...] = ()
    fits: tuple[RunFit, ...] = ()
    decisions: tuple[RunDecision, ...] = ()
    alerts: tuple[RunAlert, ...] = ()
    profiles: tuple[RunProfile, ...] = ()
    notes: tuple[RunNote, ...] = ()
    losses: tuple[LossPoint, ...] = ()
    samples: tuple[MemorySample, ...] = ()
    snapshots: SnapshotTotals = SnapshotTotals()
    saved: tuple[SnapshotMark, ...] = ()
    series: tuple[Series, ...] = ()
    output: tuple[str, ...] = ()
