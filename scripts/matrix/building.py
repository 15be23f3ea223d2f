"""Builds the environment of a pair, once: it is kept until its recipe changes."""

import fcntl
import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pairs import TREE, Pair

RECIPE = "recipe.json"


class NotInstalled(Exception):
    """pip could not install a pair; the text is its reason."""


def build(pair: Pair, python: Path) -> None:
    """Make the environment of a pair, where there is none of this recipe.

    The recipe is written last, so an environment whose building was interrupted has none.
    """
    pair.folder.parent.mkdir(parents=True, exist_ok=True)
    recipe = json.dumps(_recipe(pair), indent=1)
    written = pair.folder / RECIPE
    with _lock(pair):
        # Its Python is a link to the one that it was made with, which may be gone.
        is_whole = written.is_file() and pair.interpreter.exists()
        if is_whole and written.read_text("utf-8") == recipe:
            return
        shutil.rmtree(pair.folder, ignore_errors=True)
        _install(pair, python)
        written.write_text(recipe, "utf-8")


def _recipe(pair: Pair) -> dict[str, object]:
    project = tomllib.loads((TREE / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "python": pair.python,
        "requirements": pair.requirements,
        "tf_keras": pair.tf_keras,
        "fitguard": project["dependencies"],
    }


def _install(pair: Pair, python: Path) -> None:
    """Everything in one resolution, so that conflicts with fitguard's own dependencies show.

    tf_keras alone is apart: it asks for the package tensorflow, and tensorflow-cpu is the same
    module under another name.
    """
    log = pair.folder.with_suffix(pair.folder.suffix + ".log")
    log.unlink(missing_ok=True)
    _run([python, "-m", "venv", pair.folder], log)
    pip = [pair.interpreter, "-m", "pip", "install", "--disable-pip-version-check"]
    _run([*pip, *pair.requirements, "--editable", TREE], log)
    if pair.tf_keras:
        _run([*pip, "--no-deps", f"tf-keras=={pair.tf_keras}"], log)
    if not pair.is_nightly and _is_installed(pair, "keras_nightly"):
        # A candidate of TensorFlow asks for it, and both packages lie in the folder keras.
        _run([pair.interpreter, "-m", "pip", "uninstall", "--yes", "keras-nightly"], log)
        _run([*pip, "--no-deps", "--force-reinstall", f"keras=={pair.keras}"], log)


def _is_installed(pair: Pair, package: str) -> bool:
    return any(pair.folder.glob(f"lib/python*/site-packages/{package}-*.dist-info"))


def _run(command: list[str | Path], log: Path) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    with log.open("a", encoding="utf-8") as file:
        file.write(done.stdout)
    if done.returncode != 0:
        raise NotInstalled(read_reason(done.stdout))


def read_reason(output: str) -> str:
    """Why pip failed: what conflicts, where it lists that, else its first error."""
    lines = [line.strip() for line in output.splitlines()]
    causes = [line for line in lines if re.search(r" depends on | requires a different ", line)]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return "; ".join(causes) or next(iter(errors), lines[-1] if lines else "pip said nothing")


@contextmanager
def _lock(pair: Pair) -> Iterator[None]:
    """Two runs at once, of two worktrees, build each environment once."""
    with (pair.folder.parent / f"{pair.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
