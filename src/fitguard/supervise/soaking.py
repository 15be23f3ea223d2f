"""`fitguard probe --level long`: a soak is a guarded run of known computations.

The run has all that a training has: journal, flight record, alerts, lock, resume, report. Only its
child is another one: a script of `probes/target`, for which fitguard need not be installed where it
runs. That it dies is what was to be found out, so it is started again only after an end that came
from outside, and once.
"""

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from fitguard.facts.interpreter import locate
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.probes.child import FAULT
from fitguard.probes.devices import ALL, Device, join, list_devices
from fitguard.probes.registry import MAIN
from fitguard.schema.exit_codes import ExitCode, UnreadableInput, UsageError
from fitguard.schema.probe import ProbeReport
from fitguard.schema.run_command import (
    DEVICE_AT,
    ONLY_OPTION,
    PYTHON_OPTION,
    SOAK_WORDS,
    is_soak,
    read_only,
)
from fitguard.supervise.choosing import choose_run
from fitguard.supervise.claim import draw_seed
from fitguard.supervise.command import Command
from fitguard.supervise.guarding import Guarding
from fitguard.supervise.options import AUTO, NEWEST, RunOptions
from fitguard.supervise.runs import KnownRun, find_runs
from fitguard.supervise.soak_progress import read_progress
from fitguard.supervise.soak_report import build_report

_SCRIPT = MAIN.with_name("soak.py")
_TRIES = 2
_HELD_SHARE = 0.4
"""Of the memory of a GPU: the rest is for results, which are held until they are checked."""
_DEVICE_OPTION = "--device"
_FIRST_SECONDS = 3600.0


def soak(
    *,
    device: str = ALL,
    only: Sequence[str] = (),
    minutes: float | None = None,
    python: str | None = None,
    environment: Mapping[str, str] | None = None,
    name: str | None = None,
    resume: str | None = None,
    runs_folder: Path = Path(RUNS),
    trust_folder: bool = False,
    keep_going: bool = False,
    say: Callable[[str], None] = lambda _: None,
    show: int | None = None,
) -> ProbeReport:
    """Compute until told: by Ctrl-C, SIGTERM, or when the minutes are over.

    Args:
        only: Computations; those of the run that goes on where there are none.
        name: Of the run, as `resume` and the folders: see `RunOptions`.
        keep_going: Go on after the first wrong bit.
        say: Tells the user one line.
        show: Number of the file where lines on the progress go; None for nowhere.

    Raises:
        UsageError: for devices, computations, an interpreter or a run that do not exist.
        UnreadableInput: where what an earlier session left cannot be read.
    """
    _require_names(only)
    environment = dict(os.environ if environment is None else environment)
    path, _ = locate(python, environment)
    options = RunOptions(
        runs_folder=runs_folder.expanduser(),
        name=name,
        resume=resume,
        max_attempts=_TRIES,
        first_step_seconds=_FIRST_SECONDS,
        trust_folder=trust_folder,
        from_outside_only=True,
        judge=_judge_told,
        probe=False,
    )
    before = _recall_words(options, device)
    if device == ALL and before:
        device = before[DEVICE_AT]
    only = tuple(only) or read_only(before)
    devices = list_devices(device, environment)
    together = join(devices) if len(devices) > 1 else devices[0]
    if together is None:
        raise UsageError(
            f"Received --device {device}, which are several parts of GPUs. Expected one of them"
        )
    told = {
        "device": "GPU" if together.is_gpu else "CPU",
        "devices": [_identify(one) for one in devices],
        "seed": draw_seed(),
        "memory_bytes": _choose_memory(devices),
        "only": list(only),
        "keep_going": keep_going,
        "fault": environment.get(FAULT, ""),
    }
    given: tuple[str, ...] = (*SOAK_WORDS, _DEVICE_OPTION, device)
    given += (ONLY_OPTION, *only) if only else ()
    given += (PYTHON_OPTION, python) if python else ()
    command = _build_command(str(path), given, told, {**environment, **together.environment})
    options = _check_resumed(command, options)
    with ExitStack() as stack:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        stack.callback(os.close, nowhere)
        shown = nowhere if show is None else show
        guarding = Guarding(command, options, say=say, stdout=shown, stderr=nowhere)
        if minutes is not None:
            clock = threading.Timer(60 * minutes, guarding.cancel, ("time-over",))
            clock.daemon = True
            clock.start()
            stack.callback(clock.cancel)
        result = guarding.run()
    progress = read_progress(result.folder)
    return build_report(result.run, result.folder, progress, devices, str(path))


def _build_command(
    python: str, given: tuple[str, ...], told: Mapping[str, Any], environment: Mapping[str, str]
) -> Command:
    return Command(
        python=python,
        target=("soak",),
        arguments=(json.dumps(told),),
        given=given,
        bootstrap=(str(_SCRIPT),),
        # The Python stack of a crash is often the only word left.
        environment={**environment, "PYTHONFAULTHANDLER": "1"},
        leaving="the soak writes down how far it is and stops",
    )


def _check_resumed(command: Command, options: RunOptions) -> RunOptions:
    """The run that goes on, by its id; what it left must be readable before anything starts."""
    known: KnownRun | None = choose_run(command, options, options.runs_folder.absolute())
    if known is None:
        return options
    read_progress(known.folder)
    return replace(options, name=None, resume=known.folder.id)


def _recall_words(options: RunOptions, device: str) -> tuple[str, ...]:
    """The command of the soak that is to go on; empty for a new one."""
    wanted = options.name or options.resume
    if wanted is None:
        return ()
    for known in find_runs(options.runs_folder.absolute()):
        words = known.started.command
        if not is_soak(words):
            continue
        fits = words[DEVICE_AT] == device and known.belongs_to(Path.cwd()) and known.resumable
        if known.folder.id == wanted or (wanted in (NEWEST, AUTO) and fits):
            return words
    return ()


def _judge_told(folder: RunFolder) -> int:
    """The exit code of a soak that was told to stop: as its report says, over all sessions."""
    try:
        progress = read_progress(folder)
    except UnreadableInput:
        return ExitCode.UNREADABLE_INPUT
    if progress is None or progress.findings:
        return ExitCode.GATE_FAILED
    computed = any(one.computations for one in progress.computations)
    return ExitCode.FINE if computed else ExitCode.GATE_FAILED


def _require_names(only: Sequence[str]) -> None:
    names: tuple[str, ...] = import_module("fitguard.probes.target.workloads").NAMES
    if unknown := [name for name in only if name not in names]:
        raise UsageError(
            f"Received --only {' '.join(unknown)}. Expected computations of a soak: "
            f"{', '.join(names)}"
        )


def _choose_memory(devices: Sequence[Device]) -> int:
    sizes = [gpu.memory_bytes for one in devices for gpu in one.gpus if gpu.memory_bytes]
    return int(min(sizes) * _HELD_SHARE) if sizes else 1 << 20


def _identify(device: Device) -> str:
    gpu = device.gpus[0] if device.gpus else None
    return f"{gpu.name} {gpu.uuid}" if gpu is not None else device.label
