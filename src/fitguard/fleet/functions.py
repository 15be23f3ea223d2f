"""From a function of a job to a command, and to what goes along with it.

What can be imported is named: `-m fitguard.fleet.calling package.module:train '{"lr":0.1}'`. What
cannot, because it is of `__main__` or a notebook, a lambda or a closure, is packed, and its name is
only there to be read. The words are the same at every start, so that its run is gone on with.
"""

import inspect
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from fitguard.fleet.arguments import split_plain
from fitguard.fleet.job_keys import refuse
from fitguard.fleet.parcels import pack
from fitguard.fleet.signatures import find_signature
from fitguard.keras.sources import is_written_by_user
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.fleet import FleetJob

CALLING = "fitguard.fleet.calling"
PATH_VARIABLE = "FITGUARD_FUNCTION_PATH"
"""In the environment of a training: where Python looked for modules where the job was made."""
_REFERENCE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_EXPECTED = "a function, or where it can be imported from: package.module:train"


def read_function(key: str, given: Any) -> Any:
    """Something to call, or its name."""
    if isinstance(given, str) and _REFERENCE.fullmatch(given):
        return str(given)
    if not callable(given):
        raise refuse(key, given, _EXPECTED)
    called = given if inspect.isroutine(given) else getattr(given, "__call__", given)  # noqa: B004
    if inspect.iscoroutinefunction(called) or inspect.isgeneratorfunction(called):
        kind = "async" if inspect.iscoroutinefunction(called) else "a generator"
        raise refuse(key, given, f"a function that trains when it is called; this one is {kind}")
    return given


class Sender:
    """Makes commands of functions; one that several jobs have is packed once."""

    def __init__(self) -> None:
        self._packed: dict[int, tuple[Any, bytes]] = {}

    def send(self, job: FleetJob) -> FleetJob:
        """The job as one with a command.

        Raises:
            UsageError: where the arguments do not fit the function, or one of both cannot go over.
        """
        function = read_function("function", job.function)
        named = function if isinstance(function, str) else name_function(function)
        _require_fitting(job, function)
        text, others = split_plain(job.arguments)
        if named and others:
            name, value = next(iter(others.items()))
            raise refuse(
                f"arguments: {name}",
                value,
                f"what JSON can tell, because {named} is sent by its name: true, false, None, "
                "numbers, texts, lists, and values by text",
            )
        shown = named or f"{getattr(function, '__module__', '')}:{_name(function)}"
        return msgspec.structs.replace(
            job,
            command=("-m", CALLING, shown, text),
            parcels=() if named else (self._pack(function), pack(others, "arguments")),
            environment=job.environment
            | ({} if isinstance(function, str) else {PATH_VARIABLE: _list_path()}),
            function=None,
            arguments={},
        )

    def _pack(self, function: Callable[..., Any]) -> bytes:
        if id(function) not in self._packed:
            # Kept: another one must not get the same `id`.
            self._packed[id(function)] = function, pack(function, _name(function))
        return self._packed[id(function)][1]


def name_function(function: Any) -> str:
    """Where it can be imported from; empty where it cannot."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    found: Any = sys.modules.get(str(module))
    if module == "__main__" or getattr(found, "__spec__", None) is None:
        return ""
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is function else ""


def _require_fitting(job: FleetJob, function: Any) -> None:
    try:
        if isinstance(function, str):
            signature = find_signature(function, job.folder, is_python_here=not job.python)
        else:
            signature = inspect.signature(function)
    except (TypeError, ValueError):  # of what is not written in Python
        return
    if signature is None:
        return
    try:
        signature.bind(**job.arguments)
    except TypeError as error:
        given = ", ".join(job.arguments) or "none"
        name = function.partition(":")[2] if isinstance(function, str) else _name(function)
        raise UsageError(
            f"Received arguments: {given}, but {error}. Expected those of {name}{signature}"
        ) from error


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _list_path() -> str:
    """Where modules of the user's may be; what is installed is found there by itself."""
    folders = [Path(folder).absolute() for folder in sys.path]
    return os.pathsep.join(
        str(one) for one in folders if one.is_dir() and is_written_by_user(str(one / "any.py"))
    )
