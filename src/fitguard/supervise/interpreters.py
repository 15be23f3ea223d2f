"""The Python that trains: whether fitguard and TensorFlow are in it, and what to do if not."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from fitguard.schema.exit_codes import UsageError

_IMPORT_SECONDS = 60.0
_PROBE = """\
import sys
if sys.version_info < (3, 11):
    sys.exit("Python " + sys.version.split()[0])
if not sys.flags.safe_path:
    del sys.path[0]  # the current folder
import fitguard
"""


def find_python(name: str, expected: str = "Expected a Python interpreter") -> str:
    """The interpreter that a user names, by a path or as a program.

    Raises:
        UsageError: where there is none; `expected` ends the sentence.
    """
    python = shutil.which(name)
    if python is None:
        raise UsageError(f"Received {name or repr(name)}, which is no program here. {expected}")
    return python


def require_fitguard(python: str) -> None:
    """Make sure that an interpreter has fitguard: it works beside TensorFlow.

    Raises:
        UsageError: where it does not, with the command that installs it.
    """
    # Links are not followed: the interpreter of a virtual environment is often one to another.
    if os.path.abspath(python) == os.path.abspath(sys.executable):  # noqa: PTH100
        return
    try:
        done = subprocess.run(
            [python, "-c", _PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_IMPORT_SECONDS,
            check=False,
        )
        error = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        worked = done.returncode == 0
    except (OSError, subprocess.TimeoutExpired) as problem:
        worked, error = False, str(problem)
    if error.startswith("Python ") and not worked:
        raise UsageError(
            f"Received {python}, which is {error}. fitguard needs Python 3.11 or newer beside "
            f"TensorFlow. `fitguard doctor --python {python}` and `fitguard explain` work with any "
            "Python; `fitguard resolve` finds versions that go together on this machine"
        )
    if not worked:
        raise UsageError(
            f"Received {python}, which cannot import fitguard ({error}). Install it there: "
            f"{python} -m pip install fitguard"
        )


def require_tensorflow_here(command: str, environment: Mapping[str, str]) -> None:
    """Make sure that TensorFlow is beside this fitguard.

    Raises:
        UsageError: where it is not: fitguard was installed apart from it, say with pipx.
    """
    if importlib.util.find_spec("tensorflow") is not None:
        return
    raise UsageError(
        f"TensorFlow is not installed beside this fitguard ({sys.executable}). Name the Python "
        f"that trains: fitguard {command} --python {_guess_python(environment)} …"
    )


def _guess_python(environment: Mapping[str, str]) -> str:
    active = environment.get("VIRTUAL_ENV") or environment.get("CONDA_PREFIX")
    if active and (python := Path(active, "bin", "python")).exists():
        return str(python)
    found = shutil.which("python") or shutil.which("python3")
    return found if found and found != sys.executable else "PATH"
