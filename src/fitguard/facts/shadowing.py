"""Files in the current folder that a script there would import in place of a package."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fitguard.schema.software import Package

MODULES = ("tensorflow", "keras")


def find(packages: Sequence[Package], environment: Mapping[str, str]) -> tuple[str, ...]:
    """`./tensorflow.py` and its like: `python train.py` looks beside train.py first.

    Args:
        packages: Those of the interpreter. What one of them owns shadows nothing.
    """
    if environment.get("PYTHONSAFEPATH"):
        return ()
    try:
        folder = Path.cwd()
        found = [(module, _find_module(folder, module)) for module in MODULES]
    except OSError:
        return ()
    return tuple(
        str(path) for module, path in found if path and not _is_installed(path, module, packages)
    )


def _find_module(folder: Path, module: str) -> Path | None:
    """A folder without __init__.py is not among them: an installed package goes before it."""
    if (folder / module / "__init__.py").is_file():
        return folder / module
    file = folder / f"{module}.py"
    return file if file.is_file() else None


def _is_installed(path: Path, module: str, packages: Sequence[Package]) -> bool:
    """Whether it is part of an install: the folder is a site directory, or that of the source."""
    return any(
        package.location == str(path.parent) or package.installer == "editable"
        for package in packages
        if package.name.startswith((module, "tf-"))
    )
