"""The jobs of a fleet: from `jobs.yaml`, or from what Python gives, to `FleetJob`s.

defaults:                       # for all, unless a job says otherwise
  environment: {TF_DETERMINISTIC_OPS: "1"}
jobs:
  - name: resnet-1
    run: train.py --lr 0.1
    memory: 13GiB               # otherwise it is planned
    takes: 3h                   # otherwise it is learned
  - name: sweep-{lr}            # one job for each value
    run: train.py --lr {lr}
    sweep: {lr: [0.1, 0.01]}
  - name: net
    function: package.module:train
    arguments: {lr: 0.1}
"""

import contextlib
import difflib
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fitguard.fleet.arguments import fill_value, list_texts, read_arguments
from fitguard.fleet.functions import Sender, read_function
from fitguard.fleet.job_keys import (
    KEYS,
    is_time,
    read_workers,
    refuse,
    require_free_options,
    require_free_variables,
)
from fitguard.fleet.sweeps import MOST_JOBS, fill_in, find_names, list_combinations, read_sweep
from fitguard.fleet.wrong_jobs import Problems, WrongJob, list_lines
from fitguard.fleet.yaml_lines import Place, read_yaml
from fitguard.monitor.gang_folder import name_worker
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.fleet import FleetJob
from fitguard.supervise.naming import require_gang_name, require_name
from fitguard.words import short

_KEYS = {**KEYS, "function": read_function, "arguments": read_arguments, "sweep": read_sweep}
_OF_ONE_JOB = ("name", "run", "function", "arguments", "sweep")
_GRACE_OPTION, _GRACE_VARIABLE = "--grace-seconds", "FITGUARD_RUN_GRACE_SECONDS"
_EXPECTED = "Expected `jobs:` and a list of them, each with `name:`, and with `run:` or `function:`"


def read_jobs(path: Path) -> tuple[FleetJob, ...]:
    """The jobs of a file. Folders are relative to that of the file.

    Raises:
        UnreadableInput: with all lines that are wrong, and with what was received and expected.
    """
    file = read_yaml(path)
    content = file.content
    if content is None:
        raise UnreadableInput(f"{path}: Received an empty file. {_EXPECTED}")
    problems = Problems()
    try:
        if not isinstance(content, Mapping):
            raise WrongJob(((), f"Received {_name_kind(content)}. {_EXPECTED}"))
        for key in content:
            if key not in ("defaults", "jobs"):
                text = f"Received the key {key!r}. Expected `defaults` and `jobs`"
                problems.add((key,), text)
        jobs = content.get("jobs")
        if not isinstance(jobs, list) or not jobs:
            received = "no jobs" if not jobs else f"jobs: {_name_kind(jobs)}"
            problems.add(("jobs",), f"Received {received}. {_EXPECTED}")
            jobs = []
        with problems.noting():
            built = build_jobs(
                jobs, defaults=content.get("defaults"), folder=path.absolute().parent
            )
        problems.raise_all()
    except WrongJob as error:
        raise UnreadableInput(list_lines(file.list_problems(error.problems))) from error
    return built


def build_jobs(
    given: Iterable[FleetJob | Mapping[str, Any]],
    *,
    defaults: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> tuple[FleetJob, ...]:
    """Jobs out of mappings with the keys that the file has; those of functions have commands then.

    Args:
        defaults: For all keys that a mapping does not have, but those that each has of its own.
        folder: What folders are relative to; default: the working directory.

    Raises:
        WrongJob: with all that is wrong, with what was received and expected.
    """
    base = (folder or Path.cwd()).absolute()
    problems, sender = Problems(), Sender()
    usual: Mapping[str, Any] = {}
    with problems.noting():
        usual = _read_defaults(defaults)
    built: list[FleetJob] = []
    taken: dict[str, str] = {}
    for index, item in enumerate(given):
        with problems.noting():
            for job in _build_all(index, item, usual, base):
                sent = _check(index, job, sender)
                _require_new(index, job, taken)
                built.append(sent)
        if len(built) > MOST_JOBS:
            raise WrongJob((("jobs", index), f"Received more than {MOST_JOBS:,} jobs"))
    problems.raise_all()
    return tuple(built)


def find_grace(job: FleetJob) -> float | None:
    """Seconds for its last snapshot that a job asks for; None for the usual ones."""
    given = job.environment.get(_GRACE_VARIABLE, "")
    words = iter(job.options)
    for word in words:
        option, sign, value = word.partition("=")
        if option.replace("_", "-") == _GRACE_OPTION:
            given = value if sign else next(words, "")
    with contextlib.suppress(ValueError):  # what is no number, `fitguard run` refuses
        seconds = float(given)
        if 0 < seconds < math.inf:
            return seconds
    return None


def _build_all(
    index: int, item: object, usual: Mapping[str, Any], base: Path
) -> Iterator[FleetJob]:
    if isinstance(item, FleetJob):
        yield item
        return
    place: Place = ("jobs", index)
    if not isinstance(item, Mapping):
        raise WrongJob((place, f"job {index + 1}: Received {_name_kind(item)}. {_EXPECTED}"))
    who = f"job {short(str(item.get('name') or index + 1), 80)}: "
    problems = Problems()
    for missing in _list_missing(item):
        problems.add(place, f"{who}{missing}")
    own: dict[str, Any] = {}
    with problems.noting():
        own = _read_keys(item, place, who)
    problems.raise_all()
    values = {**usual, **own}
    if "environment" in usual and "environment" in own:
        values["environment"] = usual["environment"] | own["environment"]
    values["folder"] = str(base / Path(values.get("folder", ".")).expanduser())
    sweep = values.get("sweep", {})
    passed = _list_passed(values, place, who)
    for combination in list_combinations(sweep):
        yield _make_job(values, combination, passed)


def _list_missing(item: Mapping[str, Any]) -> Iterator[str]:
    """What a job has too few of, or too many."""
    if "name" not in item:
        yield f"Received no name. {_EXPECTED}"
    if "run" in item and "function" in item:
        yield "Received run and function. Expected one of them"
    elif "run" not in item and "function" not in item:
        yield f"Received no run. {_EXPECTED}"
    elif "run" in item and "arguments" in item:
        yield "Received arguments beside run. Expected them in `run:`, or beside `function:`"


def _read_defaults(given: Mapping[str, Any] | None) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise WrongJob((("defaults",), f"defaults: Received {_name_kind(given)}. Expected keys"))
    problems = Problems()
    for key in _OF_ONE_JOB:
        if key in given:
            text = f"defaults: Received {key}. Expected it at each job of its own"
            problems.add(("defaults", key), text)
    usual: dict[str, Any] = {}
    with problems.noting():
        rest = {key: value for key, value in given.items() if key not in _OF_ONE_JOB}
        usual = _read_keys(rest, ("defaults",), "defaults: ")
    problems.raise_all()
    return usual


def _read_keys(given: Mapping[str, Any], place: Place, who: str) -> dict[str, Any]:
    values, problems = {}, Problems()
    for key, value in given.items():
        if key not in _KEYS:
            close = difflib.get_close_matches(str(key), _KEYS, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            text = f"{who}Received the key {key!r}.{hint} Expected one of: {', '.join(_KEYS)}"
            problems.add((*place, str(key)), text)
            continue
        with problems.noting((*place, key), who):
            values[str(key)] = _KEYS[key](key, value)
    problems.raise_all()
    return values


def _list_passed(values: Mapping[str, Any], place: Place, who: str) -> list[str]:
    """Names of the sweep that are arguments of the function by themselves.

    Raises:
        WrongJob: where a value makes no difference, or has no name of its own.
    """
    variables = values.get("environment", {}).values()
    arguments = values.get("arguments", {})
    words = (*values.get("run", ()), *values.get("options", ()), *variables)
    words += (values["folder"], values.get("python", ""))
    placed = find_names([*words, *list_texts(arguments)])
    passed, problems = [], Problems()
    for name, swept in values.get("sweep", {}).items():
        if name not in placed and "function" not in values:
            problems.add(
                (*place, "sweep"),
                f"{who}Received a sweep over {name}, which the training does not get. Expected "
                f"{{{name}}} in run, options, environment, python or folder",
            )
        elif name not in placed and name in arguments:
            problems.add(
                (*place, "arguments"),
                f"{who}Received {name} in arguments and in sweep. Expected it in one of them",
            )
        elif name not in placed:
            passed.append(name)
        if len(swept) > 1 and name not in find_names([values["name"]]):
            problems.add(
                (*place, "name"),
                f"{who}Received one name for a sweep over {name}. Expected {{{name}}} in it: each "
                "job has a run of its own",
            )
    problems.raise_all()
    return passed


def _make_job(
    values: Mapping[str, Any], combination: Mapping[str, Any], passed: Iterable[str]
) -> FleetJob:
    def fill(text: str) -> str:
        return fill_in(text, combination)

    arguments = {**values.get("arguments", {}), **{name: f"{{{name}}}" for name in passed}}
    return FleetJob(
        name=fill(values["name"]),
        command=tuple(map(fill, values.get("run", ()))),
        folder=fill(values["folder"]),
        environment={name: fill(text) for name, text in values.get("environment", {}).items()},
        memory_bytes=values.get("memory"),
        takes_seconds=values.get("takes"),
        priority=values.get("priority", 0),
        workers=values.get("workers", 1),
        cards=values.get("cards", ()),
        options=tuple(map(fill, values.get("options", ()))),
        python=fill(values.get("python", "")),
        function=values.get("function"),
        arguments=fill_value(arguments, combination),
    )


def _check(index: int, job: FleetJob, sender: Sender) -> FleetJob:
    """What also a job of Python's making must keep to; the job that is sent."""
    try:
        if job.workers > 1:
            require_gang_name(job.name, "name:")
        else:
            require_name(job.name, "name:")
        read_workers("workers", job.workers)
        require_free_options(job.options)
        require_free_variables(job.environment)
        if bool(job.command) == (job.function is not None):
            raise refuse("command", job.command, "a script and its arguments, or a function")
        if not Path(job.folder).is_absolute():
            raise refuse("folder", job.folder, "an absolute path")
        if job.memory_bytes is not None:
            KEYS["memory"]("memory", job.memory_bytes)
        if job.takes_seconds is not None and not is_time(job.takes_seconds):
            raise refuse("takes_seconds", job.takes_seconds, "more than 0, and up to ten years")
        return job if job.function is None else sender.send(job)
    except UsageError as error:
        raise WrongJob((("jobs", index), f"job {short(job.name, 80)}: {error}")) from error


def _require_new(index: int, job: FleetJob, taken: dict[str, str]) -> None:
    """Each run has a folder of its own; a gang has one for each worker, and one to meet in.

    On some file systems, upper and lower case make no other folder.
    """
    folders = [job.name]
    if job.workers > 1:
        folders += [name_worker(job.name, worker) for worker in range(job.workers)]
        folders.append(f"{job.name}-gang")
    for name in folders:
        first = taken.get(name.casefold())
        if first is not None:
            other = "two jobs" if first == job.name else f"jobs {first} and {job.name}"
            text = (
                f"job {job.name}: Received {other} whose runs would be called {name}. Expected "
                "each name once; upper and lower case make no difference"
            )
            raise WrongJob((("jobs", index, "name"), text))
        taken[name.casefold()] = job.name


def _name_kind(given: object) -> str:
    kinds: dict[type, str] = {type(None): "nothing", dict: "keys", list: "a list", str: "a text"}
    kind = str if isinstance(given, str) else type(given)
    return kinds.get(kind, f"a {kind.__name__}")
