"""Finds a Python of a given minor version on this machine."""

import os
import shutil
import subprocess
from pathlib import Path


def find_python(minor: str) -> Path | None:
    """`python3.12` on PATH, or the newest 3.12 of pyenv; None where neither runs."""
    on_path = shutil.which(f"python{minor}")
    candidates = [Path(on_path)] if on_path else []
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates += sorted(root.glob(f"versions/{minor}.*/bin/python"), key=_patch, reverse=True)
    # A shim of pyenv lies on PATH even where its version is not chosen, and then only complains.
    return next((python for python in candidates if _runs(python, minor)), None)


def _patch(python: Path) -> int:
    patch = python.parent.parent.name.rpartition(".")[2]
    return int(patch) if patch.isdigit() else -1


def _runs(python: Path, minor: str) -> bool:
    script = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    return done.stdout.strip() == minor
