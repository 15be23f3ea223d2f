"""The jobs of a fleet: from `jobs.yaml`, or from what Python gives, to `FleetJob`s.

defaults:                       # for all, unless a job says otherwise
  environment: {TF_DETERMINISTIC_OPS: "1"}
jobs:
  - name: resnet-1
    run: train.py --lr 0.1
    memory: 13GiB               # otherwise it is planned
  - name: sweep-{lr}            # one job for each value
    run: train.py --lr {lr}
    sweep: {lr: [0.1, 0.01]}
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fitguard.fleet.job_keys import (
    KEYS,
    read_workers,
    refuse,
    require_free_options,
    require_free_variables,
)
from fitguard.fleet.sweeps import MOST_JOBS, fill_in, find_names, list_combinations, read_sweep
from fitguard.fleet.yaml_lines import Place, read_yaml
from fitguard.monitor.gang_folder import name_worker
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.fleet import FleetJob
from fitguard.supervise.naming import require_gang_name, require_name
from fitguard.words import short

_OF_ONE_JOB = ("name", "run")
_EXPECTED = "Expected `jobs:` and a list of them, each with `name:` and `run:`"


class WrongJob(UsageError):
    """A job that cannot be.

    Args:
        place: In the file: `("jobs", 2, "memory")`.
    """

    def __init__(self, place: Place, text: str) -> None:
        super().__init__(text)
        self.place = place


def read_jobs(path: Path) -> tuple[FleetJob, ...]:
    """The jobs of a file. Folders are relative to that of the file.

    Raises:
        UnreadableInput: with the line, and with what was received and expected.
    """
    file = read_yaml(path)
    content = file.content
    if content is None:
        raise UnreadableInput(f"{path}: Received an empty file. {_EXPECTED}")
    if not isinstance(content, Mapping):
        raise file.refuse((), f"Received {_name_kind(content)}. {_EXPECTED}")
    for key in content:
        if key not in ("defaults", "jobs"):
            raise file.refuse((key,), f"Received the key {key!r}. Expected `defaults` and `jobs`")
    jobs = content.get("jobs")
    if not isinstance(jobs, list) or not jobs:
        received = "no jobs" if not jobs else f"jobs: {_name_kind(jobs)}"
        raise file.refuse(("jobs",), f"Received {received}. {_EXPECTED}")
    try:
        return build_jobs(jobs, defaults=content.get("defaults"), folder=path.absolute().parent)
    except WrongJob as error:
        raise file.refuse(error.place, str(error)) from error


def build_jobs(
    given: Iterable[FleetJob | Mapping[str, Any]],
    *,
    defaults: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> tuple[FleetJob, ...]:
    """Jobs out of mappings with the keys that the file has.

    Args:
        defaults: For all keys that a mapping does not have, but `name`, `run` and `sweep`.
        folder: What folders are relative to; default: the working directory.

    Raises:
        WrongJob: with what was received and expected.
    """
    base = (folder or Path.cwd()).absolute()
    usual = _read_defaults(defaults)
    built: list[FleetJob] = []
    taken: dict[str, str] = {}
    for index, item in enumerate(given):
        for job in _build_all(index, item, usual, base):
            _require_new(index, job, taken)
            built.append(job)
        if len(built) > MOST_JOBS:
            raise WrongJob(("jobs", index), f"Received more than {MOST_JOBS:,} jobs")
    return tuple(built)


def _build_all(
    index: int, item: object, usual: Mapping[str, Any], base: Path
) -> Iterator[FleetJob]:
    if isinstance(item, FleetJob):
        yield _check(index, item)
        return
    place: Place = ("jobs", index)
    if not isinstance(item, Mapping):
        raise WrongJob(place, f"job {index + 1}: Received {_name_kind(item)}. {_EXPECTED}")
    who = f"job {short(str(item.get('name') or index + 1), 80)}: "
    own = {key: value for key, value in item.items() if key != "sweep"}
    values = {**usual, **_read_keys(own, place, who)}
    for key in _OF_ONE_JOB:
        if key not in values:
            raise WrongJob(place, f"{who}Received no {key}. {_EXPECTED}")
    if "environment" in usual and "environment" in own:
        values["environment"] = usual["environment"] | values["environment"]
    values["folder"] = str(base / Path(values.get("folder", ".")).expanduser())
    sweep = _read_sweep(item, values, place, who) if "sweep" in item else {}
    for combination in list_combinations(sweep):
        yield _check(index, _make_job(values, combination))


def _read_defaults(given: Mapping[str, Any] | None) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise WrongJob(("defaults",), f"defaults: Received {_name_kind(given)}. Expected keys")
    for key in (*_OF_ONE_JOB, "sweep"):
        if key in given:
            raise WrongJob(
                ("defaults", key), f"defaults: Received {key}. Expected it at each job of its own"
            )
    return _read_keys(given, ("defaults",), "defaults: ")


def _read_keys(given: Mapping[str, Any], place: Place, who: str) -> dict[str, Any]:
    values = {}
    for key, value in given.items():
        if key not in KEYS:
            close = difflib.get_close_matches(str(key), [*KEYS, "sweep"], n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise WrongJob(
                (*place, str(key)),
                f"{who}Received the key {key!r}.{hint} Expected one of: {', '.join(KEYS)}, sweep",
            )
        try:
            values[key] = KEYS[key](key, value)
        except UsageError as error:
            raise WrongJob((*place, key), f"{who}{error}") from error
    return values


def _read_sweep(
    item: Mapping[str, Any], values: Mapping[str, Any], place: Place, who: str
) -> dict[str, tuple[str, ...]]:
    """With the promise that every value makes a difference, and a name of its own."""
    try:
        sweep = read_sweep(item["sweep"])
    except UsageError as error:
        raise WrongJob((*place, "sweep"), f"{who}{error}") from error
    variables = values.get("environment", {}).values()
    trained = [*values["run"], *values.get("options", ()), *variables, values["folder"]]
    for name in sweep:
        if name not in find_names(trained):
            raise WrongJob(
                (*place, "sweep"),
                f"{who}Received a sweep over {name}, which the training does not get. Expected "
                f"{{{name}}} in run, options, environment or folder",
            )
        if len(sweep[name]) > 1 and name not in find_names([values["name"]]):
            raise WrongJob(
                (*place, "name"),
                f"{who}Received one name for a sweep over {name}. Expected {{{name}}} in it: each "
                "job has a run of its own",
            )
    return sweep


def _make_job(values: Mapping[str, Any], combination: Mapping[str, str]) -> FleetJob:
    def fill(text: str) -> str:
        return fill_in(text, combination)

    return FleetJob(
        name=fill(values["name"]),
        command=tuple(map(fill, values["run"])),
        folder=fill(values["folder"]),
        environment={name: fill(text) for name, text in values.get("environment", {}).items()},
        memory_bytes=values.get("memory"),
        priority=values.get("priority", 0),
        workers=values.get("workers", 1),
        cards=values.get("cards", ()),
        options=tuple(map(fill, values.get("options", ()))),
        python=fill(values.get("python", "")),
    )


def _check(index: int, job: FleetJob) -> FleetJob:
    """What also a job of Python's making must keep to."""
    try:
        if job.workers > 1:
            require_gang_name(job.name, "name:")
        else:
            require_name(job.name, "name:")
        read_workers("workers", job.workers)
        require_free_options(job.options)
        require_free_variables(job.environment)
        if not job.command:
            raise refuse("command", job.command, "a script and its arguments")
        if not Path(job.folder).is_absolute():
            raise refuse("folder", job.folder, "an absolute path")
        if job.memory_bytes is not None:
            KEYS["memory"]("memory", job.memory_bytes)
    except UsageError as error:
        raise WrongJob(("jobs", index), f"job {short(job.name, 80)}: {error}") from error
    return job


def _require_new(index: int, job: FleetJob, taken: dict[str, str]) -> None:
    """Each run has a folder of its own; a gang has one for each worker, and one to meet in."""
    folders = [job.name]
    if job.workers > 1:
        folders += [name_worker(job.name, worker) for worker in range(job.workers)]
        folders.append(f"{job.name}-gang")
    for name in folders:
        if name in taken:
            other = "two jobs" if taken[name] == job.name else f"jobs {taken[name]} and {job.name}"
            raise WrongJob(
                ("jobs", index, "name"),
                f"job {job.name}: Received {other} whose runs would be called {name}. Expected "
                "each name once",
            )
        taken[name] = job.name


def _name_kind(given: object) -> str:
    kinds: dict[type, str] = {type(None): "nothing", dict: "keys", list: "a list", str: "a text"}
    return kinds.get(type(given), f"a {type(given).__name__}")
