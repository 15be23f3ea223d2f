"""Calls the function of a job: `python -m fitguard.fleet.calling package.module:train ARGUMENTS`.

It finds what a script would find: the folder of the job on `sys.path`, an empty `__main__`, and no
arguments in `sys.argv`.
"""

import contextlib
import functools
import importlib
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from fitguard.fleet.functions import PATH_VARIABLE
from fitguard.fleet.parcels import FUNCTION_VARIABLE, unpack
from fitguard.keras.refused import Refused
from fitguard.schema.exit_codes import UsageError


def main() -> None:
    """Call it."""
    reference, text = sys.argv[1:]
    del sys.argv[1:]
    # What is said of `__main__` is the user's: names of this program must not be among them.
    sys.modules["__main__"] = ModuleType("__main__")
    _put_path()
    arguments = json.loads(text)
    try:
        function, more = _find(reference)
        _require_fitting(function, arguments | more)
    except UsageError as error:
        _say(str(error))
        raise Refused(str(error)) from error
    returned = function(**arguments, **more)
    if returned is not None:
        what = f"{reference} has returned something ({type(returned).__name__})"
        _say(f"{what}, which nobody keeps. Let it write its results to a file")


def _put_path() -> None:
    folders = [one for one in os.environ.pop(PATH_VARIABLE, "").split(os.pathsep) if one]
    with contextlib.suppress(FileNotFoundError):  # the current folder may be gone
        folders.append(str(Path.cwd()))
    sys.path[:0] = folders


def _find(reference: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    sent = os.environ.pop(FUNCTION_VARIABLE, "")
    if sent:
        return unpack(sent)
    module, _, name = reference.partition(":")
    if module in ("", "__main__") or "<" in name:
        raise UsageError(
            f"Received {reference}, which cannot be imported. Expected it from the fleet that sent "
            "it: start the fleet again, and it goes on with this run"
        )
    found: Any = importlib.import_module(module)
    try:
        return functools.reduce(getattr, name.split("."), found), {}
    except AttributeError as error:
        where = getattr(found, "__file__", None) or module
        raise UsageError(
            f"Received function: {reference}, but there is no {name} in {where}"
        ) from error


def _require_fitting(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    with contextlib.suppress(ValueError):
        try:
            inspect.signature(function).bind(**arguments)
        except TypeError as error:
            raise UsageError(f"Received arguments: {', '.join(arguments)}, but {error}") from error


def _say(text: str) -> None:
    print(f"fitguard: {text}", file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
