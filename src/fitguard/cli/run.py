"""`fitguard run`."""

import inspect
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from fitguard.cli.checking_first import check_first
from fitguard.cli.other_python import Python
from fitguard.cli.run_page import TrustFolder
from fitguard.cli.run_values import ON_ALERTS, read_profile, require_positive
from fitguard.cli.runs import RunsFolder
from fitguard.cli.training_options import read_size
from fitguard.cli.whole_numbers import WHOLE
from fitguard.monitor.gang_folder import name_worker
from fitguard.monitor.lease_files import LASTS_SECONDS
from fitguard.monitor.run_folder import RUNS
from fitguard.schema.exit_codes import ExitCode, UsageError
from fitguard.schema.journal import LEFT_AS_ASKED, Allowed
from fitguard.supervise.options import GANG_SECONDS, Spot

_LAST_EXIT_CODE = 255
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal obeys."""


def run(
    *command: Annotated[
        str,
        Parameter(
            name="COMMAND",
            allow_leading_hyphen=True,
            help="`train.py`, `python train.py` or `-m MODULE`; all behind it belongs to the "
            "script.",
        ),
    ],
    resume: Annotated[
        str | None,
        Parameter(
            help="Go on with a run that is not finished: with this ID or name, or without one with "
            "the newest of the same command. `--resume=auto` starts a new run if there is none."
        ),
    ] = None,
    name: Annotated[
        str | None,
        Parameter(help="Of the run and its folder; default: made of time and script."),
    ] = None,
    exact_only: Annotated[
        bool, Parameter(negative="", help="Stop instead of changing any number of the result.")
    ] = False,
    allow: Annotated[
        tuple[Allowed, ...],
        Parameter(
            negative="", help="What may change results where nothing else helps; may be repeated."
        ),
    ] = (),
    micro_batch: Annotated[
        int | None,
        WHOLE,
        Parameter(help="Rows of a micro-batch to begin with; default: the whole batch."),
    ] = None,
    memory_limit: Annotated[
        str | None,
        Parameter(
            help="That the training may take of each GPU, or without one on the CPU: 8GiB, 6500MB, "
            "or bytes; default: all."
        ),
    ] = None,
    no_plan: Annotated[
        bool, Parameter(negative="", help="Do not plan the first micro-batch from free GPU memory.")
    ] = False,
    snapshot_seconds: Annotated[
        float | None,
        Parameter(help="Between snapshots; default: so that they take under 2 % of the time."),
    ] = None,
    disk: Annotated[
        str | None,
        Parameter(
            help="That snapshots may take: 20GB, 500MiB, or bytes; default: half of what is free."
        ),
    ] = None,
    hang_seconds: Annotated[
        float | None,
        Parameter(
            help="Without a step until a training counts as hung; default: 20 times a step, at "
            "least 300."
        ),
    ] = None,
    first_step_seconds: Annotated[
        float, Parameter(help="The same for the first step, which is compiled; default: 1800.")
    ] = 1800.0,
    grace_seconds: Annotated[
        float | None,
        Parameter(
            help="After SIGTERM until the training is killed; default: 25, or until the Slurm job "
            "ends."
        ),
    ] = None,
    after_snapshot: Annotated[
        str | None,
        Parameter(
            help="A command for the shell after each finished snapshot, such as one that copies "
            "$FITGUARD_SNAPSHOT_FOLDER away; the training goes on meanwhile."
        ),
    ] = None,
    notify: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            env_var_split=lambda _, value, **__: value.splitlines(),
            help="Who is told of restarts, alerts and the end: the address of a webhook (Slack's "
            "or any other), or a command for the shell, which reads JSON; may be repeated.",
        ),
    ] = (),
    metrics: Annotated[
        str | None,
        Parameter(
            help="[HOST:]PORT where Prometheus finds the metrics of the run; without HOST, only "
            "from this machine."
        ),
    ] = None,
    tensorboard: Annotated[
        Path | None,
        Parameter(
            help="Folder where memory, speed and GPUs are written as scalars for TensorBoard; they "
            "go on across restarts."
        ),
    ] = None,
    profile: Annotated[
        str | None,
        Parameter(
            help="Take a trace of a few steps when they become slow or memory gets short; "
            "`--profile=STEP` also at this step. The report says where the time went."
        ),
    ] = None,
    lease_seconds: Annotated[
        float,
        Parameter(
            help="Without a sign of life from a host, until another one may go on with its run; "
            "default: 30."
        ),
    ] = LASTS_SECONDS,
    worker_heartbeat_seconds: Annotated[
        float,
        Parameter(
            help="With MultiWorkerMirroredStrategy: without a sign of life from a worker, until "
            "the others give it up; default: 10."
        ),
    ] = 10.0,
    collective_seconds: Annotated[
        float | None,
        Parameter(
            help="With MultiWorkerMirroredStrategy: for one exchange between workers; default: no "
            "limit, since TensorFlow keeps a thread for each exchange."
        ),
    ] = None,
    preempt_signal: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            help="Works like SIGTERM: SIGUSR1, as `sbatch --signal` may send it; may be repeated.",
        ),
    ] = (),
    preempt_exit_code: Annotated[
        int,
        WHOLE,
        Parameter(help="After SIGTERM or a signal that works like it; default: 75."),
    ] = LEFT_AS_ASKED,
    spot: Annotated[
        Spot,
        Parameter(
            help="Leave with a snapshot when the cloud takes this spot machine back; default: off."
        ),
    ] = "off",
    workers: Annotated[
        int | None,
        WHOLE,
        Parameter(
            help="Processes that train together (MultiWorkerMirroredStrategy): so many are started "
            "on this machine; with --gang, how many there are on all."
        ),
    ] = None,
    gang: Annotated[
        str | None,
        Parameter(
            help="Name under which workers on several machines meet, in a runs folder that all see."
        ),
    ] = None,
    worker: Annotated[
        int | None,
        WHOLE,
        Parameter(help="Which of them this is, from 0; default: as TF_CONFIG says."),
    ] = None,
    gang_seconds: Annotated[
        float,
        Parameter(help="To wait for workers before leaving, or going on without; default: 3600."),
    ] = GANG_SECONDS,
    min_workers: Annotated[
        int, WHOLE, Parameter(help="For --allow fewer-workers; default: 1.")
    ] = 1,
    no_probe: Annotated[
        bool,
        Parameter(
            negative="",
            help="Do not probe the GPUs before a restart after what may be a fault of theirs.",
        ),
    ] = False,
    max_attempts: Annotated[
        int, WHOLE, Parameter(help="That get no further, until the run is given up; default: 20.")
    ] = 20,
    require_guard: Annotated[
        bool,
        Parameter(negative="", help="End with exit code 4 where a fit cannot be guarded."),
    ] = False,
    check: Annotated[
        bool,
        Parameter(negative="", help="First look at machine, data and memory: `fitguard check`."),
    ] = False,
    python: Python = None,
    runs_folder: RunsFolder = Path(RUNS),
    trust_folder: TrustFolder = False,
    quiet: Annotated[
        bool, Parameter(negative="", help="Say nothing where nothing went wrong.")
    ] = False,
    verbose: Annotated[
        bool, Parameter(negative="", help="Tell where the value of each option comes from.")
    ] = False,
) -> int:
    """Train, and get to the end.

    Runs the training script in a process of its own, unchanged, and starts it again from its last
    snapshot when it dies: out of memory, segfault, OOM killer, hang, power cut. The result is the
    same as without the fault. If something cannot be exact or is not guarded, fitguard says so.
    Exits with 0 when the training does, with its own code when it is given up, with 75 after
    SIGTERM, with 130 after Ctrl-C.

    Options may also be set in the environment (`FITGUARD_RUN_SNAPSHOT_SECONDS=60`), and under
    `[tool.fitguard.run]` in pyproject.toml (`snapshot-seconds = 60`).

    For example:

        fitguard run train.py --epochs 30
        fitguard run python -u train.py
        fitguard run --exact-only -m project.train
        fitguard run --resume train.py --epochs 30
        fitguard run --resume=auto --name night-1 train.py
        fitguard run --workers 2 train.py
    """
    given = _select_set(locals())
    require_positive(
        micro_batch=micro_batch,
        snapshot_seconds=snapshot_seconds,
        hang_seconds=hang_seconds,
        first_step_seconds=first_step_seconds,
        grace_seconds=grace_seconds,
        lease_seconds=lease_seconds,
        gang_seconds=gang_seconds,
        worker_heartbeat_seconds=worker_heartbeat_seconds,
        collective_seconds=collective_seconds,
        max_attempts=max_attempts,
        min_workers=min_workers,
    )
    if not 1 <= preempt_exit_code <= _LAST_EXIT_CODE:
        raise UsageError(
            f"Received --preempt-exit-code {preempt_exit_code}. Expected 1 to {_LAST_EXIT_CODE}; 0 "
            "would say that the training is finished"
        )
    from fitguard.cli.run_start import start
    from fitguard.monitor.prometheus.serving import read_address
    from fitguard.supervise.board import require_tensorboard
    from fitguard.supervise.command import is_python, parse
    from fitguard.supervise.interpreters import find_python, require_tensorflow_here
    from fitguard.supervise.notice_targets import read_targets
    from fitguard.supervise.options import AUTO, NEWEST, RunOptions
    from fitguard.supervise.preemption import read_signals

    if tensorboard is not None:
        require_tensorboard()
    place = None
    if workers is not None or worker is not None or gang is not None:
        # Loaded only now: most trainings have one worker.
        from fitguard.cli.run_gang import read_place

        least = min_workers if "fewer-workers" in allow and not exact_only else 0
        place = read_place(gang, worker, workers, seconds=gang_seconds, least=least, name=name)
    options = RunOptions(
        runs_folder=runs_folder.expanduser(),
        name=name if place is None else name_worker(place.name, place.worker),
        resume=NEWEST if place is not None and resume == place.name else resume,
        max_attempts=max_attempts,
        hang_seconds=hang_seconds,
        first_step_seconds=first_step_seconds,
        grace_seconds=grace_seconds,
        after_snapshot=after_snapshot,
        notify=read_targets(notify),
        metrics=None if metrics is None else read_address(metrics),
        tensorboard=tensorboard,
        profile=read_profile(profile),
        lease_seconds=lease_seconds,
        worker_heartbeat_seconds=worker_heartbeat_seconds,
        collective_seconds=collective_seconds,
        spot=spot,
        preempt_signals=read_signals(preempt_signal),
        preempt_exit_code=preempt_exit_code,
        exact_only=exact_only,
        allow=allow,
        micro_batch=micro_batch,
        snapshot_seconds=snapshot_seconds,
        disk_bytes=read_size(disk, "--disk"),
        memory_limit_bytes=read_size(memory_limit, "--memory-limit"),
        plan=not no_plan,
        probe=not no_probe,
        require_guard=require_guard,
        trust_folder=trust_folder,
        gang=place,
        quiet=quiet,
    )
    if python is not None and not is_python(find_python(python)):
        raise UsageError(f"Received --python {python}. Expected a Python interpreter")
    words = command if python is None else (python, *command)
    parsed = parse(words) if command or resume in (None, AUTO) else None
    if parsed is not None and parsed.python == sys.executable:
        require_tensorflow_here("run", os.environ)
    if check and parsed is not None and not check_first(parsed, () if exact_only else allow, say):
        return ExitCode.FINDINGS
    return start(parsed, options, workers, given)


def delimit_command(arguments: Sequence[str]) -> list[str]:
    """The words behind `run`, with `--` before the command.

    The first word that is no option of ours begins the command: all behind it is the script's own,
    `--help` too. cyclopts would take options of ours, and its own, from there as well. `--resume`
    takes the next word where that does not begin a command.
    """
    from fitguard.supervise.command import begins_command

    own: list[str] = []
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "--"):
        word = rest.pop(0)
        if word == "--resume":
            has_id = bool(rest) and rest[0][:1] != "-" and not begins_command(rest[0])
            own.append(f"--resume={rest.pop(0) if has_id else ''}")
            continue
        if word == "--profile":
            word = f"--profile={ON_ALERTS}"
        own.append(word)
        if word in _with_value() and rest:
            own.append(rest.pop(0))
    if rest[:1] == ["--"]:
        del rest[0]
    return [*own, "--", *rest] if rest else own


def _with_value() -> set[str]:
    """The options that take the next word."""
    return {"--runs"} | {
        f"--{parameter.name.replace('_', '-')}"
        for parameter in inspect.signature(run).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and not isinstance(parameter.default, bool)
    }


def _select_set(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that have another value than they have by default."""
    known = inspect.signature(run).parameters
    return {name: value for name, value in given.items() if value != known[name].default}


def say(text: str, who: str = "") -> None:
    """One line on stderr; nobody who reads it is no reason to stop.

    Args:
        who: Says it, where there are several.
    """
    start = "\n" if text.startswith("\n") else ""
    line = _UNSEEN.sub("", text.strip().replace("\n", " "))
    try:
        os.write(2, f"{start}fitguard{who}: {line}\n".encode("utf-8", "backslashreplace"))
    except OSError:
        return
