"""What a user may ask of a guarded run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fitguard.monitor.lease_files import LASTS_SECONDS
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.schema.journal import LEFT_AS_ASKED

if TYPE_CHECKING:
    from fitguard.supervise.after_snapshot import Hook
    from fitguard.supervise.notice_targets import Target

NEWEST = ""
"""In place of the id of a run: the newest one that fits."""
AUTO = "auto"
"""In place of the id of a run: the newest one that fits, or a new one where there is none."""

NOTIFY_VARIABLE = "FITGUARD_RUN_NOTIFY"
"""Holds targets of `notify`, one a line."""

HEAD_VARIABLE = "FITGUARD_GANG_HEAD"
"""Number of the process that started a worker together with all others."""

CARD_VARIABLE = "FITGUARD_CARD"
"""Where a fleet has placed a training: `gpu-1/0 NVIDIA H200`; the record of the run tells it."""

Spot = Literal["off", "auto", "aws", "gcp", "azure"]
"""Whose notices are watched for; `auto`: those of the cloud that this machine belongs to."""


GANG_SECONDS = 3600.0


@dataclass(frozen=True)
class GangPlace:
    """Which worker of which gang a run is.

    Args:
        worker: From 0.
        seconds: Without a sign of life from others that it waits for, until it leaves, or goes on
            without them.
        least: So few workers it goes on with; 0 where all must be there.
        config: TF_CONFIG as a scheduler has set it; empty where the workers agree on one.
        address: Of this worker, as TF_CONFIG says; empty to choose one for each round.
        headed: Its processes are all of this machine, and one process started them.
    """

    name: str
    worker: int
    workers: int
    seconds: float = GANG_SECONDS
    least: int = 0
    config: str = ""
    address: str = ""
    headed: bool = False


@dataclass(frozen=True)
class RunOptions:
    """How a run is guarded.

    Args:
        runs_folder: Where the folder of the run is made.
        name: Of the run, in place of an id that is made for it.
        resume: Id or name of the run to go on with; `NEWEST`: the newest one of the same command
            that is not finished; `AUTO`: that, or a new one where there is none; None: a new one.
        max_attempts: In a row that get no further, until the run is given up.
        hang_seconds: Without a step, until a training counts as hung. None: 20 times what a step
            takes, at least five minutes.
        first_step_seconds: The same for the first step, which is compiled.
        autotuning_seconds: For which XLA's autotuning may run out of memory again and again.
        grace_seconds: After SIGTERM, until the training is killed. None: as long as there is.
        after_snapshot: A command, or a function, that is called after each finished snapshot.
        notify: Who is told of restarts, alerts and the end: addresses, commands, functions.
        metrics: Host and port where Prometheus finds the metrics of the run; None for nowhere.
        tensorboard: Folder where scalars for TensorBoard are written; None for none.
        profile: Step at which a trace is taken; 0: only when an alert comes; None: never.
        lease_seconds: Without a sign of life, until another host may go on with the run.
        worker_heartbeat_seconds: Without a sign of life from another worker, until it counts as
            dead.
        collective_seconds: For one exchange between workers; None for as long as it takes.
        spot: The cloud whose notices that it takes this machine back are watched for.
        preempt_signals: Numbers of those that mean what SIGTERM means.
        preempt_exit_code: Of a run that was asked to leave.
        exact_only: Stop instead of changing any number.
        allow: What may change results: words of `Allowed`.
        micro_batch: Rows of a micro-batch to begin with, for every `fit` call.
        snapshot_seconds: Between snapshots; None to choose from what they cost.
        disk_bytes: That snapshots may take; None for half of what is free.
        memory_limit_bytes: That the training may take of each GPU, or without one on the CPU; None
            for what is there.
        plan: Whether to plan the first micro-batch.
        probe: Whether GPUs are probed before a training starts again that may have died of them.
        probe_seconds: After which probes of a GPU are left.
        require_guard: End where something of a `fit` cannot be guarded.
        trust_folder: Go on with a run though others could have written in its folder.
        from_outside_only: Start again only after an end that came from outside: what else ends it
            is what the run was to find out.
        gang: Its place among several workers that train together; None where it trains alone.
        judge: Reads the exit code of a run that has no end of its own, and was told to stop, out of
            its folder. None: `preempt_exit_code`, or that of an interrupt.
        quiet: Say nothing where nothing went wrong.
    """

    runs_folder: Path = field(default_factory=lambda: Path(RUNS))
    name: str | None = None
    resume: str | None = None
    max_attempts: int = 20
    hang_seconds: float | None = None
    first_step_seconds: float = 1800.0
    autotuning_seconds: float = 20.0
    grace_seconds: float | None = None
    after_snapshot: "Hook | None" = None
    notify: "tuple[Target, ...]" = ()
    metrics: tuple[str, int] | None = None
    tensorboard: Path | None = None
    profile: int | None = None
    lease_seconds: float = LASTS_SECONDS
    worker_heartbeat_seconds: float = 10.0
    collective_seconds: float | None = None
    spot: Spot = "off"
    preempt_signals: tuple[int, ...] = ()
    preempt_exit_code: int = LEFT_AS_ASKED
    exact_only: bool = False
    allow: tuple[str, ...] = ()
    micro_batch: int | None = None
    snapshot_seconds: float | None = None
    disk_bytes: int | None = None
    memory_limit_bytes: int | None = None
    plan: bool = True
    probe: bool = True
    probe_seconds: float = 300.0
    require_guard: bool = False
    trust_folder: bool = False
    from_outside_only: bool = False
    gang: GangPlace | None = None
    judge: Callable[[RunFolder], int] | None = None
    quiet: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether the output of the training is shown: of several on one machine, that of one."""
        return not self.is_headed or (self.gang is not None and self.gang.worker == 0)

    @property
    def is_headed(self) -> bool:
        """Whether the head of a gang has started this run."""
        return self.gang is not None and self.gang.headed
