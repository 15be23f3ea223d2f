"""What is written down while a guarded run goes on: one event a line, by parent and child alike.

`Orders` go the other way: what the parent tells a child before it starts.
"""

from typing import Final, Literal

import msgspec

from fitguard.schema.finding import Confidence, Fix, Severity
from fitguard.schema.gang import GangOrders
from fitguard.schema.run import Outcome, Place, RunState, TimeShare

REPLACE_ME = 86
"""Exit code of a child that wants to be replaced: it cannot trust its own process any more."""
LEFT_AS_ASKED = 75
"""Exit code of a child that took a snapshot and left because it was asked to; EX_TEMPFAIL.

`fitguard run` leaves with it after SIGTERM: the run is not over, `--resume` goes on with it.
"""

FailureKind = Literal["out-of-memory", "exception", "system-exit", "own-fault", "lost-start"]
"""How a child failed, in its own words.

`own-fault`: an error of fitguard's own code. `lost-start`: the snapshot that all workers agreed to
go on from cannot be used here. It was moved away, so that the next round agrees on another.
"""
SYSTEM_EXIT: Final = "system-exit"
OWN_FAULT: Final = "own-fault"
LOST_START: Final = "lost-start"

NoteKind = Literal[
    "inexact",
    "unguarded",
    "version",
    "micro-batch",
    "recomputation",
    "snapshot",
    "data",
    "changed-script",
    "files",
    "sampling",
    "memory-limit",
    "autotuning",
]
INEXACT: Final = "inexact"
RECOMPUTATION: Final = "recomputation"
UNGUARDED: Final = "unguarded"

Allowed = Literal["batch-statistics", "jit-off", "mixed-precision", "fewer-workers"]
"""What changes results, and is done only where the user allows it."""
BATCH_STATISTICS: Final = "batch-statistics"
"""To split a batch that layers or losses of the model look at as a whole."""

EVERY_FIT = "0"
"""In `Orders.micro_batches`: every `fit` call that has no number of rows of its own."""


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """What a child is told.

    Args:
        attempt: From 1.
        parent: The process that guards it; 0 for none.
        seed: Drawn once for a run: random sources without a seed of their own begin with it.
        micro_batches: Rows of a micro-batch by number of the `fit` call, as text; `0` for all calls
            that have none of their own (`fitguard run --micro-batch`).
        evaluation_rows: Likewise for evaluation and prediction inside of that call.
        recompute: By number of the `fit` call, as text: the share of the memory of a step in which
            it is recomputed, with the batch whole.
        exact_only: Do not train where micro-batches would change the result, whatever `allow` says.
        allow: Words of `Allowed`: what may change results.
        jit_off: Compile without XLA.
        mixed_precision: Set the policy `mixed_float16` before the script runs.
        snapshot_seconds: Between snapshots; None to choose from what they cost.
        disk_bytes: That snapshots may take; None for a share of what is free.
        memory_limit_bytes: That the training may take of each GPU; None for what is there.
        plan: Whether to plan the first micro-batch from the free memory of the GPU.
        require_guard: End where a `fit` cannot be guarded.
        lease: Number under which the parent holds the run; who finds a higher one writes no more.
        preempt_signals: Numbers of those that mean: take a snapshot and leave.
        profile: Step at which to take a trace, and 0 to do so only when the parent wishes; None
            for never.
        worker_heartbeat_seconds: Without a sign of life from another worker, until it counts as
            dead.
        collective_seconds: For one exchange between workers; None for as long as it takes.
        environment: Variables that the parent sets for the child beside its own, such as
            `TF_GPU_ALLOCATOR`; they stay from attempt to attempt.
        gang: Where it is one of several workers; None for a training of its own.
    """

    attempt: int = 1
    parent: int = 0
    seed: int = 0
    micro_batches: dict[str, int] = {}
    evaluation_rows: dict[str, int] = {}
    recompute: dict[str, float] = {}
    exact_only: bool = False
    allow: tuple[str, ...] = ()
    jit_off: bool = False
    mixed_precision: bool = False
    snapshot_seconds: float | None = None
    disk_bytes: int | None = None
    memory_limit_bytes: int | None = None
    plan: bool = True
    require_guard: bool = False
    lease: int = 0
    preempt_signals: tuple[int, ...] = ()
    profile: int | None = None
    worker_heartbeat_seconds: float = 10.0
    collective_seconds: float | None = None
    environment: dict[str, str] = {}
    gang: GangOrders | None = None


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """What happened, when, in which attempt (0: before the first)."""

    time: float
    attempt: int = 0


class RunStarted(Event, frozen=True, kw_only=True, tag="run-started"):
    """Also when it is resumed; the last one counts for the seed, which never changes."""

    id: str
    command: tuple[str, ...]
    python: str = ""
    working_directory: str = ""
    fitguard: str = ""
    resumed: bool = False
    seed: int = 0


class AttemptStarted(Event, frozen=True, kw_only=True, tag="attempt-started"):
    """`card`: where a fleet has placed it; empty without one."""

    pid: int
    orders: Orders
    card: str = ""


class SourcesRan(Event, frozen=True, kw_only=True, tag="sources"):
    """Digests of the user's own files that ran since the last such event, by path."""

    digests: dict[str, str]


class FitBegan(Event, frozen=True, kw_only=True, tag="fit-began"):
    """`place`: where it goes on; `restored`: it had ended before, and is not trained again.

    `replicas`: how many share each batch of `batch_size` rows.
    """

    place: Place
    library: str
    model: str = ""
    epochs: int | None = None
    steps_per_epoch: int | None = None
    batch_size: int | None = None
    replicas: int = 1
    restored: bool = False


class FitEnded(Event, frozen=True, kw_only=True, tag="fit-ended"):
    place: Place


class SnapshotWritten(Event, frozen=True, kw_only=True, tag="snapshot"):
    place: Place
    bytes: int
    taking_seconds: float
    writing_seconds: float


class SnapshotFailed(Event, frozen=True, kw_only=True, tag="snapshot-failed"):
    place: Place
    error: str


class Logged(Event, frozen=True, kw_only=True, tag="logged"):
    place: Place
    logs: dict[str, float]
    epoch_end: bool = False


class Noted(Event, frozen=True, kw_only=True, tag="noted"):
    kind: NoteKind
    text: str
    fit: int = 0


class MicroBatchChosen(Event, frozen=True, kw_only=True, tag="micro-batch"):
    """`rows` of a batch of `of`; `why` says what led to it. `evaluation`: not for training.

    `share`: of the memory of such a part, in which it is recomputed; None where it is not.
    """

    fit: int
    rows: int
    of: int
    why: str
    evaluation: bool = False
    share: float | None = None


class NotSplit(Event, frozen=True, kw_only=True, tag="not-split"):
    """A batch was to be split, and stays whole.

    `why`: in sentences. `allow`: the word that lets fitguard split it; empty where none does.
    """

    fit: int
    why: str
    allow: str = ""


class NoRoom(Event, frozen=True, kw_only=True, tag="no-room"):
    """Nothing smaller can be tried. `text`: what has no room, and what would have, in sentences."""

    fit: int
    text: str


class RecomputationChosen(Event, frozen=True, kw_only=True, tag="recomputation"):
    """The batch stays whole, and part of each step is computed twice.

    Args:
        wanted: Share of memory that was asked for: from the same one, the same way is chosen again.
        share: Of the memory of the step as it is, without variables.
        extra: What it takes longer, as a part of the step.
        count: How many operations run twice; 0 where they only run in another order.
        whole_bytes: What the step takes as it is: of so much the share was asked for.
        why: What led to it.
    """

    fit: int
    wanted: float
    share: float
    extra: float
    count: int
    whole_bytes: int = 0
    why: str


class Failed(Event, frozen=True, kw_only=True, tag="failed"):
    """What the child knows of its own end.

    Args:
        error: `ResourceExhaustedError: …`, shortened; of an own fault, what the user was told.
        mode: `graph` or `xla` for out-of-memory.
        rows: Rows of the (micro-)batch that did not fit; `of` of the whole batch.
        evaluation: It happened in evaluation or prediction.
        code: What `sys.exit` was given.
        remedy: What to change in the script: without it, each attempt ends the same.
        recompute: The share of its memory in which the step may be tried next, recomputed; 0 where
            that is not the way.
        limited: The script has told TensorFlow how much of the GPU it may take.
    """

    kind: FailureKind
    place: Place = Place()
    error: str = ""
    mode: str = ""
    rows: int = 0
    of: int = 0
    evaluation: bool = False
    code: int | None = None
    remedy: str = ""
    recompute: float = 0.0
    limited: bool = False


class AttemptEnded(Event, frozen=True, kw_only=True, tag="attempt-ended"):
    outcome: Outcome
    exit_code: int | None = None
    signal: str | None = None
    last: Place = Place()
    cause: str = ""
    confidence: Confidence | None = None
    why: str = ""
    evidence: tuple[str, ...] = ()
    fallout: bool = False
    peak_host_bytes: int = 0
    peak_gpu_bytes: int = 0


class Decided(Event, frozen=True, kw_only=True, tag="decided"):
    action: str
    cause: str = ""
    text: str
    changes_results: bool = False


class Probed(Event, frozen=True, kw_only=True, tag="probed"):
    """The GPUs were probed before the training starts again.

    Args:
        text: What came of it, in sentences.
        failed: The devices that failed: `GPU 1`.
    """

    text: str
    failed: tuple[str, ...] = ()
    seconds: float = 0.0


class Alerted(Event, frozen=True, kw_only=True, tag="alerted"):
    """A detector has found something that it had not found before in this attempt.

    Args:
        subject: What it is about where there are several: `GPU 1`.
        title: One line, without the period.
        text: What was measured, in sentences.
        cause: That a crash would have, as `fitguard explain` names it; empty where none comes.
        numbers: What the text says, by name; units as in names of fields.
        place: How far the training was.
    """

    code: str
    slug: str
    severity: Severity
    confidence: Confidence = "high"
    subject: str = ""
    title: str
    text: str
    fix: Fix = Fix("")
    cause: str = ""
    numbers: dict[str, float] = {}
    place: Place = Place()


class Profiled(Event, frozen=True, kw_only=True, tag="profiled"):
    """A trace of a few steps was taken; `folder` is inside of that of the run."""

    place: Place
    why: str
    steps: int
    folder: str
    text: str
    shares: dict[TimeShare, float] = {}


class RunEnded(Event, frozen=True, kw_only=True, tag="run-ended"):
    state: RunState
    exit_code: int


AnyEvent = (
    RunStarted
    | AttemptStarted
    | SourcesRan
    | FitBegan
    | FitEnded
    | SnapshotWritten
    | SnapshotFailed
    | Logged
    | Noted
    | MicroBatchChosen
    | NotSplit
    | NoRoom
    | RecomputationChosen
    | Failed
    | AttemptEnded
    | Decided
    | Probed
    | Alerted
    | Profiled
    | RunEnded
)
