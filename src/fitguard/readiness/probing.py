"""`fitguard.probe`: does this machine really compute?"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fitguard.monitor.run_folder import RUNS
from fitguard.probes.devices import ALL
from fitguard.probes.probing import Tell, run_probes
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.probe import Level, ProbeReport


def probe(
    *,
    like: str | None = None,
    arguments: Sequence[str] = (),
    level: Level = "quick",
    device: str = ALL,
    only: Sequence[str] = (),
    minutes: float | None = None,
    python: str | None = None,
    environment: Mapping[str, str] | None = None,
    tell: Tell = lambda *_: None,
    stop: Callable[[], bool] = lambda: False,
    name: str | None = None,
    resume: str | None = None,
    runs_folder: str | Path = RUNS,
    trust_folder: bool = False,
    keep_going: bool = False,
    say: Callable[[str], None] = lambda _: None,
    show: int | None = None,
    with_stdin: bool = False,
) -> ProbeReport:
    """Run small known computations on each GPU, and compare their results.

    Args:
        like: A script that trains: `train.py`. The layers that it uses are probed, on their shapes
            and types. fitguard must be installed where it trains.
        arguments: Of that script.
        level: `quick` takes a minute, `medium` five; `long` goes on until it is told to stop, and
            is a run that `fitguard.list_runs` shows.
        device: `all`, or numbers of GPUs as nvidia-smi gives them: `0`, `0,2`.
        only: Names of probes; with `long`, of computations.
        minutes: When to stop.
        python: The interpreter that trains; fitguard need not be installed there.
        environment: In place of that of this process.
        tell: Is told what runs now, which share is done, and the seconds left; not with `long`.
        stop: Is asked again and again whether to leave out the rest; not with `long`.
        name: Of the run, with `long`; so are all that follow.
        resume: Id or name of the soak to go on with; `""` for the newest one.
        runs_folder: Where its folder is made.
        trust_folder: Go on with it though others could have written in its folder.
        keep_going: Do not stop at the first wrong bit.
        say: Is told one line at a time of what happens.
        show: Number of the file where lines on the progress go.
        with_stdin: Whether the script of `like` may read the standard input of this process.

    Example:
        >>> report = fitguard.probe()
        >>> [result.name for result in report.failures]

    Raises:
        UsageError: for probes, devices, an interpreter or a run that do not exist.
        UnreadableInput: where what an earlier session of a soak left cannot be read, or the script
            fails before its first `fit`.
    """
    if like is not None and level == "long":
        raise UsageError(
            "Received a script with the level long. Expected the level quick or medium with it"
        )
    if level == "long":
        # Loaded only now: the others need none of what guards a run.
        from fitguard.supervise.soaking import soak

        return soak(
            device=device,
            only=only,
            minutes=minutes,
            python=python,
            environment=environment,
            name=name,
            resume=resume,
            runs_folder=Path(runs_folder),
            trust_folder=trust_folder,
            keep_going=keep_going,
            say=say,
            show=show,
        )
    _require_no_run(level, name, resume, keep_going=keep_going)
    if like is not None:
        # Loaded only now: it brings what looks into scripts.
        from fitguard.readiness.probing_like import probe_like

        return probe_like(
            like,
            arguments,
            python=python or sys.executable,
            level=level,
            device=device,
            only=only,
            minutes=minutes,
            environment=environment,
            tell=tell,
            stop=stop,
            with_stdin=with_stdin,
        )
    return run_probes(
        level=level,
        device=device,
        only=only,
        minutes=minutes,
        python=python,
        environment=environment,
        tell=tell,
        stop=stop,
    )


def _require_no_run(
    level: Level, name: str | None, resume: str | None, *, keep_going: bool
) -> None:
    given = [f"--name {name}"] if name is not None else []
    given += [f"--resume {resume}".rstrip()] if resume is not None else []
    given += ["--keep-going"] if keep_going else []
    if given:
        raise UsageError(
            f"Received {' '.join(given)} with the level {level}. Expected it with the level long, "
            "which is a run"
        )
