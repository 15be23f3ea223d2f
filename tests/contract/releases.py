"""Keras releases as their wheels hold them: `scripts/fetch_keras_releases.sh` brings them."""

import ast
import functools
import re
import sys
import zipfile
from pathlib import Path

FOLDER = Path(sys.prefix) / "keras-releases"
_NAME = re.compile(r"(?P<package>keras|tf_keras)-(?P<version>[0-9.]+)-")


def wheels() -> dict[str, Path]:
    """By `keras 3.8.0`."""
    found = {}
    for file in sorted(FOLDER.glob("*.whl")):
        if match := _NAME.match(file.name):
            found[f"{match['package']} {match['version']}"] = file
    return found


class Release:
    """The sources of one."""

    def __init__(self, package: str, wheel: Path) -> None:
        self._package = package
        self._files = zipfile.ZipFile(wheel)

    def parameters(self, module: str, name: str) -> str | None:
        """Of a function or method, as a hook writes them; None where it is not there."""
        tree = self._tree(module)
        owner, _, function = name.rpartition(".")
        body = tree.body if tree is not None else []
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name == owner:
                body = node.body
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.name == function:
                return _written(node.args)
        return None

    @functools.cache  # noqa: B019
    def _tree(self, module: str) -> ast.Module | None:
        path = f"{self._package}/{module.replace('.', '/')}"
        for file in (f"{path}.py", f"{path}/__init__.py"):
            if file in self._files.namelist():
                return ast.parse(self._files.read(file))
        return None


def _written(given: ast.arguments) -> str:
    names = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    names += [f"*{given.vararg.arg}"] if given.vararg else []
    names += [argument.arg for argument in given.kwonlyargs]
    names += [f"**{given.kwarg.arg}"] if given.kwarg else []
    return ", ".join(names)
