"""A function that cannot be imported where it trains, on its way there: by Ray, never by a file.

The actor keeps it in its own memory, as a file without a name: it ends with the actor, however that
dies, and only the user can open it.
"""

import contextlib
import io
import os
import pickle
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, BinaryIO

import cloudpickle

from fitguard.schema.exit_codes import UsageError
from fitguard.state.carried_sources import note_source, put_sources
from fitguard.state.culprit import culprit
from fitguard.words import say_error, size

FUNCTION_VARIABLE = "FITGUARD_FUNCTION"
"""In the environment of a training: where its function lies."""
_MOST_BYTES = 64 << 20
_NAME = "fitguard-function"
_PYTHON = sys.version_info[:2]


def pack(thing: Any, name: str) -> bytes:
    """An object with the source of its code, as bytes.

    Args:
        name: What the user calls it.

    Raises:
        UsageError: where it cannot go over, with the part that cannot.
    """
    stream = io.BytesIO()
    packer = _Packer(stream)
    try:
        packer.dump(thing)
    except Exception as error:  # whatever the code of an object raises
        raise culprit(thing, name, _find_failure) from error
    parcel = pickle.dumps((_PYTHON, packer.sources)) + stream.getvalue()
    if len(parcel) > _MOST_BYTES:
        raise UsageError(
            f"Received {name}, which takes {size(len(parcel))} with the data that it uses. "
            f"Expected at most {size(_MOST_BYTES)}: let it read its data itself"
        )
    return parcel


@contextlib.contextmanager
def keeping(parcels: Sequence[bytes]) -> Iterator[dict[str, str]]:
    """Keep these while inside; yields the variables that tell a training where they are."""
    if not parcels:
        yield {}
        return
    with open(os.memfd_create(_NAME), "wb") as file:  # noqa: PTH123
        os.fchmod(file.fileno(), stat.S_IRUSR | stat.S_IWUSR)
        for parcel in parcels:
            file.write(parcel)
        file.flush()
        yield {FUNCTION_VARIABLE: f"/proc/{os.getpid()}/fd/{file.fileno()}"}


def unpack(path: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function that lies there, and those of its arguments that are no JSON.

    Raises:
        UsageError: where it cannot be unpacked here, or could be of somebody else.
    """
    # Once it is gone, its number may be that of a pipe, and who opens that waits for ever.
    with contextlib.suppress(OSError):
        if str(Path(path).readlink()).startswith(f"/memfd:{_NAME}"):
            with open(path, "rb") as file:  # noqa: PTH123
                _require_own(path, file.fileno())
                return _load(file), _load(file)
    raise UsageError(
        f"Received {FUNCTION_VARIABLE}={path}, where no function lies. Expected the one that a "
        "fleet has sent: start the fleet again, and it goes on with this run"
    )


class _Packer(cloudpickle.Pickler):  # type: ignore[misc]
    """Notes the source of all code that goes over: TensorFlow reads it, and tracebacks quote it."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self.sources: dict[str, list[str]] = {}

    def persistent_id(self, value: Any) -> None:
        if isinstance(value, CodeType):
            note_source(value, self.sources)


def _load(file: BinaryIO) -> Any:
    python, sources = pickle.load(file)
    if python != _PYTHON:
        received, here = (".".join(map(str, version)) for version in (python, _PYTHON))
        raise UsageError(
            f"Received a function of Python {received}, and this is Python {here}. Expected the "
            "same, or a function that can be imported"
        )
    put_sources(sources)
    try:
        return pickle.load(file)
    except Exception as error:  # whatever the code of an object raises
        raise UsageError(
            f"Received a function that cannot be unpacked here ({say_error(error)}). Expected the "
            "modules and packages that it uses, on every node"
        ) from error


def _require_own(path: str, number: int) -> None:
    found = os.fstat(number)
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UsageError(
            f"Received {FUNCTION_VARIABLE}={path}, which may hold the code of somebody else. "
            "Expected a file that only you can write to"
        )


def _find_failure(thing: Any) -> Exception | None:
    try:
        _Packer(io.BytesIO()).dump(thing)
    except Exception as error:
        return error
    return None
