"""Asks the interpreter that trains what is true there: runs `agent.py` in it."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from fitguard.facts import child_process, shadowing, tensorflow_build
from fitguard.facts.child_process import Outcome
from fitguard.facts.tensorflow_build import FoundTensorFlow
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import FailedProbe
from fitguard.schema.software import Package, Packages, Platform, Python, TensorFlow

AGENT = Path(__file__).with_name("agent.py")
MARK = b"FITGUARD-FACTS-1 "
LIMIT_SECONDS = 10.0

_EXPECTED = "Expected the path of a Python interpreter, such as .venv/bin/python"
_LONGEST_QUOTE = 200


class Interview(msgspec.Struct, frozen=True, kw_only=True):
    """What the interpreter told.

    Args:
        tensorflow: None where there is none, or where its part failed.
        tensorflow_libraries: TensorFlow's own, whose RUNPATH the loader follows.
        site_directories: The directories that Python imports from, in its order.
        failed: The parts that failed.
    """

    python: Python | None = None
    platform: Platform | None = None
    packages: Packages | None = None
    tensorflow: TensorFlow | None = None
    tensorflow_libraries: tuple[Path, ...] = ()
    site_directories: tuple[Path, ...] = ()
    failed: tuple[FailedProbe, ...] = ()


class _Answer(msgspec.Struct):
    failed: dict[str, str] = {}
    site_directories: tuple[str, ...] = ()
    python: Python | None = None
    platform: Platform | None = None
    packages: tuple[Package, ...] | None = None
    tensorflow: FoundTensorFlow | None = None


def interview(
    python: str | None, environment: Mapping[str, str], limit_seconds: float = LIMIT_SECONDS
) -> Interview:
    """Run the agent in an interpreter, with the user's variables.

    Args:
        python: Path or name; by default that of `VIRTUAL_ENV`, else the one that runs fitguard.

    Raises:
        UsageError: if it is no Python, does not answer in time, or fails.
    """
    path, origin = locate(python, environment)
    try:
        outcome = child_process.run([str(path), str(AGENT)], environment, limit_seconds)
    except OSError as error:
        raise UsageError(f"Received {path}, which does not start: {error}. {_EXPECTED}") from error
    return _interview(_parse(path, outcome, limit_seconds), path, origin, environment)


def _interview(
    answer: _Answer, path: Path, origin: str, environment: Mapping[str, str]
) -> Interview:
    found = answer.tensorflow
    described = tensorflow_build.read_tensorflow(found) if found else None
    failed = [FailedProbe(name, problem) for name, problem in answer.failed.items()]
    packages = None
    if answer.packages is not None:
        unowned = found.location if found and described is None else None
        shadows = shadowing.find(answer.packages, environment)
        packages = Packages(answer.packages, complete=True, unowned=unowned, shadows=shadows)
    # A wrapper that sets variables is what the user trains with: commands should call it, too.
    python = answer.python and msgspec.structs.replace(
        answer.python, executable=str(path), origin=origin
    )
    return Interview(
        python=python,
        platform=answer.platform,
        packages=packages,
        tensorflow=described,
        tensorflow_libraries=tuple(map(Path, found.libraries)) if found else (),
        site_directories=tuple(map(Path, answer.site_directories)),
        failed=tuple(failed),
    )


def locate(python: str | None, environment: Mapping[str, str]) -> tuple[Path, str]:
    """The interpreter, and what named it. Links stay: a virtual environment is known by its.

    Args:
        python: Path or name; by default that of `VIRTUAL_ENV`, else the one that runs fitguard.

    Raises:
        UsageError: where there is none.
    """
    if python is not None:
        return _find_given_python(python, environment), "--python"
    home = environment.get("VIRTUAL_ENV")
    if not home:
        return Path(sys.executable), "the Python that runs fitguard"
    inside = _in_directory(Path(home))
    if inside is None:
        raise UsageError(
            f"Received VIRTUAL_ENV={home}, where no Python is (any more). Expected an environment "
            "that works; else unset the variable, or name a Python with --python"
        )
    return inside, "$VIRTUAL_ENV"


def _find_given_python(python: str, environment: Mapping[str, str]) -> Path:
    """What `--python` names. A path may be too long, hold a NUL, or name the home of nobody."""
    try:
        return _executable(python, environment)
    except (OSError, RuntimeError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error).rstrip(".")
        shown = repr(python[:_LONGEST_QUOTE])
        raise UsageError(
            f"Received --python {shown}, which cannot be looked up: {problem}. {_EXPECTED}"
        ) from error


def _executable(python: str, environment: Mapping[str, str]) -> Path:
    if "\0" in python:
        raise ValueError("it holds a NUL byte")
    if not python:
        raise UsageError(f"Received --python ''. {_EXPECTED}")
    path = Path(python).expanduser()
    if not path.exists() and path.name == python:
        path = Path(shutil.which(python, path=environment.get("PATH", "")) or path)
    if not path.exists():
        raise UsageError(f"Received --python {python}, which does not exist. {_EXPECTED}")
    if path.is_dir():
        inside = _in_directory(path)
        if inside is None:
            raise UsageError(
                f"Received --python {python}, a directory with no Python in it. {_EXPECTED}"
            )
        path = inside
    if not os.access(path, os.X_OK):
        raise UsageError(f"Received --python {python}, which may not be executed. {_EXPECTED}")
    return path.absolute()


def _in_directory(home: Path) -> Path | None:
    names = ("bin/python", "Scripts/python.exe", "python.exe")
    # Path.exists raises where $VIRTUAL_ENV is too long to be a path.
    return next((home / name for name in names if os.path.exists(home / name)), None)  # noqa: PTH110


def _parse(path: Path, outcome: Outcome, limit_seconds: float) -> _Answer:
    """The agent's line, wherever it stands in the output."""
    for line in reversed(outcome.stdout.splitlines()):
        if line.startswith(MARK):
            try:
                return msgspec.json.decode(line.removeprefix(MARK), type=_Answer)
            except (msgspec.DecodeError, UnicodeDecodeError):
                break
    if outcome.timed_out:
        raise UsageError(
            f"Received no answer in {limit_seconds:g} s from {path}. "
            f"{_EXPECTED}; if it is one, see what its start-up files do: {path} -X importtime -c 1"
        )
    if outcome.exit_code:
        last = _quote(outcome.stderr, -1)
        ending = _ending(outcome.exit_code)
        raise UsageError(f"Received {ending} from {path}, with {last}. {_EXPECTED}")
    raise UsageError(f"Received {_quote(outcome.stdout, 0)} from {path}. {_EXPECTED}")


def _ending(exit_code: int) -> str:
    return f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"


def _quote(output: bytes, line: int) -> str:
    lines = [item for item in output.decode("utf-8", "replace").splitlines() if item.strip()]
    return repr(lines[line].strip()[:_LONGEST_QUOTE]) if lines else "no output"
