"""The options of `fitguard run` for several workers: what they mean, and who starts them."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fitguard.clean_start import words_to_run
from fitguard.monitor.gang_folder import GangFolder, list_gangs
from fitguard.monitor.trust import require_safe_parent
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.gang import GangPlan
from fitguard.supervise.command import Command
from fitguard.supervise.gang.cluster import TF_CONFIG, GivenCluster, read_given_cluster
from fitguard.supervise.gang.head import Head, leave_with_head, share_gpus
from fitguard.supervise.lease import AlreadyGuarded
from fitguard.supervise.naming import MOST_WORKERS, make_id, require_gang_name
from fitguard.supervise.options import (
    AUTO,
    HEAD_VARIABLE,
    NEWEST,
    NOTIFY_VARIABLE,
    GangPlace,
    RunOptions,
)
from fitguard.supervise.runs import read_known_run
from fitguard.words import count

_OF_THE_GANG = ("command", "workers", "worker", "gang", "name", "resume", "check", "notify")
"""Options that the head does not pass on as they are."""


def read_place(
    gang: str | None,
    worker: int | None,
    workers: int | None,
    *,
    seconds: float,
    least: int = 0,
    name: str | None,
) -> GangPlace | None:
    """Which worker this is; None where this process is to start all of them.

    Raises:
        UsageError: for options that say nothing together, or contradict TF_CONFIG.
    """
    given = read_given_cluster(os.environ.get(TF_CONFIG, ""))
    if gang is None:
        _require_head(worker, workers, given)
        _require_least(least, workers)
        return None
    if name is not None:
        raise UsageError(
            f"Received --gang {gang} and --name {name}. Expected --gang alone: it is the name of "
            "all, and that of each worker is made of it"
        )
    require_gang_name(gang)
    worker = _join("--worker", worker, given.worker if given is not None else None)
    workers = _join("--workers", workers, given.workers if given is not None else None)
    _require_size(workers)
    if not 0 <= worker < workers:
        raise UsageError(
            f"Received --worker {worker} of --workers {workers}. Expected 0 to {workers - 1}"
        )
    _require_least(least, workers)
    head = os.environ.get(HEAD_VARIABLE, "")
    if head.isdecimal():
        leave_with_head(int(head))
    return GangPlace(
        name=gang,
        worker=worker,
        workers=workers,
        seconds=seconds,
        least=least,
        config=given.text if given is not None else "",
        address=given.address if given is not None else "",
        headed=head.isdecimal(),
    )


def _require_head(worker: int | None, workers: int | None, given: GivenCluster | None) -> None:
    if worker is not None or workers is None:
        raise UsageError(
            f"Received --worker {worker} without --gang. Expected the name under which the workers "
            "meet: --gang NAME --worker 0 --workers 2"
        )
    _require_size(workers)
    if given is not None:
        raise UsageError(
            f"Received --workers {workers}, which starts all workers on this machine, but "
            f"{TF_CONFIG} says that this is worker {given.worker} of {given.workers}. Expected "
            f"--gang NAME, which takes both from {TF_CONFIG}, or no {TF_CONFIG}"
        )


def _require_size(workers: int) -> None:
    if not 1 <= workers <= MOST_WORKERS:
        raise UsageError(f"Received --workers {workers}. Expected 1 to {MOST_WORKERS}")


def _require_least(least: int, workers: int | None) -> None:
    if workers is not None and least > workers:
        raise UsageError(
            f"Received --min-workers {least} of --workers {workers}. Expected 1 to {workers}"
        )


def _join(option: str, asked: int | None, given: int | None) -> int:
    if asked is not None and given is not None and asked != given:
        raise UsageError(
            f"Received {option} {asked}, but {TF_CONFIG} says {given}. Expected the same of both, "
            f"or --gang NAME alone, which takes it from {TF_CONFIG}"
        )
    number = given if asked is None else asked
    if number is None:
        raise UsageError(
            f"Received --gang without {option}, and {TF_CONFIG} is not set. Expected --gang NAME "
            "--worker 0 --workers 2"
        )
    return number


def lead_workers(
    command: Command | None,
    workers: int,
    options: RunOptions,
    given: Mapping[str, Any],
    say: Callable[[str], None],
) -> int:
    """Start all workers on this machine, and wait for them.

    Args:
        given: The options of `fitguard run`, by name, that were set.

    Returns:
        The exit code.

    Raises:
        UsageError: where there is nothing to resume, or the name is taken.
    """
    runs_folder = options.runs_folder.absolute()
    require_safe_parent(runs_folder, trust_folder=options.trust_folder)
    name, plan = _choose_gang(command, workers, options, runs_folder)
    if plan is not None:
        _require_idle(plan, runs_folder)
    words = given.get("command") or (plan.command if plan is not None else ())
    passed = _list_words(given)

    def list_words(worker: int, again: bool) -> Sequence[str]:
        resumed = ["--resume=auto"] if again or options.resume is not None else []
        place = ["--gang", name, "--worker", str(worker), "--workers", str(workers)]
        own = [sys.executable, *words_to_run("fitguard"), "run"]
        return [*own, *place, *resumed, *passed, "--", *words]

    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in {f"FITGUARD_RUN_{one.upper()}" for one in _OF_THE_GANG}
    }
    if given.get("notify"):
        environment[NOTIFY_VARIABLE] = "\n".join(given["notify"])
    environments = share_gpus(workers, environment, say)
    if not options.quiet:
        say(
            f"gang {name}: {count(workers, 'worker')} on this machine. What worker 0 writes is "
            "shown."
        )
    head = Head(
        list_words,
        environments,
        preempt_signals=options.preempt_signals,
        left=options.preempt_exit_code,
        may_do_without="fewer-workers" in options.allow and not options.exact_only,
        say=say,
    )
    return head.run()


def _choose_gang(
    command: Command | None, workers: int, options: RunOptions, runs_folder: Path
) -> tuple[str, GangPlan | None]:
    """The name of the gang, new or one that goes on."""
    name, resume = options.name, options.resume
    if resume not in (None, NEWEST, AUTO):
        if name not in (None, resume):
            raise UsageError(
                f"Received --resume={resume} and --name {name}, which are two gangs. Expected one "
                f"of them: --resume --name {name}"
            )
        name = resume
    if name is None and resume is not None:
        name = _find_newest(command, workers, runs_folder)
    if name is None and resume == NEWEST:
        raise UsageError(
            f"Received --resume, but {runs_folder} holds no unfinished gang of {workers} workers "
            "and this command. Expected one to go on with; without --resume a new one begins"
        )
    if name is None:
        if command is None:
            raise UsageError("Received no command. Expected `train.py ARGUMENTS`")
        return make_id(command), None
    require_gang_name(name)
    plan = _read_plan(GangFolder(runs_folder, name))
    if plan is not None and resume is None:
        raise UsageError(
            f"Received --name {name}, but {runs_folder} has a gang of this name. Expected a name "
            "of its own, or --resume=auto to continue that gang"
        )
    if plan is not None and plan.workers != workers:
        raise UsageError(
            f"Received --workers {workers} for the gang {name}, which has {plan.workers}. Expected "
            f"--workers {plan.workers}, or another name"
        )
    if plan is None and resume not in (None, AUTO):
        raise UsageError(
            f"Received --resume {name}, which is no gang in {runs_folder}. Expected the name of "
            "one; `fitguard runs` shows NAME-worker-0 for the gang NAME"
        )
    return name, plan


def _read_plan(folder: GangFolder) -> GangPlan | None:
    plan = folder.read_plan()
    if plan is None and folder.plan.exists():
        raise UnreadableInput(
            f"{folder.plan}: it cannot be read. Expected what the first worker of a gang writes. "
            "If the gang is to begin anew, remove it"
        )
    return plan


def _require_idle(plan: GangPlan, runs_folder: Path) -> None:
    folder = GangFolder(runs_folder, plan.name)
    for number in range(plan.workers):
        run = read_known_run(folder.find_worker(number))
        if run is not None and run.holder is not None:
            raise AlreadyGuarded(
                f"Received the gang {plan.name}, which trains now: process {run.holder} guards "
                f"{run.folder.id}. Expected one that nobody guards; `fitguard watch "
                f"{run.folder.id}` shows how far it is"
            )


def _find_newest(command: Command | None, workers: int, runs_folder: Path) -> str | None:
    for _, plan in list_gangs(runs_folder):
        is_of_it = command is None or plan.command == command.as_given
        if is_of_it and plan.workers == workers:
            return None if _is_finished(plan, runs_folder) else plan.name
    return None


def _is_finished(plan: GangPlan, runs_folder: Path) -> bool:
    folder = GangFolder(runs_folder, plan.name)
    runs = (read_known_run(folder.find_worker(number)) for number in range(plan.workers))
    return all(run is not None and run.state == "finished" for run in runs)


def _list_words(given: Mapping[str, Any]) -> list[str]:
    """The options that all workers get, as words."""
    words = []
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        if name in _OF_THE_GANG:
            continue
        if isinstance(value, bool):
            words.append(option)
        else:
            values = value if isinstance(value, tuple) else (value,)
            words += [f"{option}={one}" for one in values]
    return words
