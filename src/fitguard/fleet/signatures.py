"""What a function takes that is only named: read in its file, without running any of it."""

import ast
import difflib
import importlib
import importlib.util
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from fitguard.schema.exit_codes import UsageError


class _Default(str):
    """As it stands in the file."""

    __slots__ = ()
    __repr__ = str.__str__


Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_signature(reference: str, folder: str, *, is_python_here: bool) -> Signature | None:
    """None where only running code would tell: of what is decorated, made, or passed on.

    Args:
        reference: `package.module:train`.
        folder: Where the training starts; it may be on other machines only.
        is_python_here: Whether this interpreter trains: what is installed here is there, too.

    Raises:
        UsageError: where there is no such module or function.
    """
    module, _, name = reference.partition(":")
    if not Path(folder).is_dir():
        return None
    spec = _find_module(module, folder, installed=is_python_here)
    if spec is None:
        if not is_python_here:
            return None
        raise UsageError(
            f"Received function: {reference}, but there is no module {module} in {folder}, and "
            "none is installed. Expected one that can be imported there"
        )
    if not (spec.origin or "").endswith(".py"):
        return None
    return _read(Path(str(spec.origin)), reference, name.split("."))


def _find_module(name: str, folder: str, *, installed: bool) -> ModuleSpec | None:
    importlib.invalidate_caches()
    first, *inner = name.split(".")
    spec = PathFinder.find_spec(first, [folder])
    if spec is None and installed:
        try:
            spec = importlib.util.find_spec(first)
        except ValueError:  # as of `__main__`
            return None
    for part in inner:
        if spec is None or spec.submodule_search_locations is None:
            return None
        # By its last name alone: with the whole one, what it is in must have been imported.
        spec = PathFinder.find_spec(part, list(spec.submodule_search_locations))
    return spec


def _read(file: Path, reference: str, name: list[str]) -> Signature | None:
    try:
        tree: ast.AST = ast.parse(file.read_bytes(), str(file))
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(f"Received function: {reference}, but {file}: {error}") from error
    for part in name:
        found = _find_definition(tree, part)
        if found is None:
            if _may_be_made(tree, part):
                return None
            defined = [one.name for one in ast.iter_child_nodes(tree) if isinstance(one, Function)]
            close = difflib.get_close_matches(part, defined, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise UsageError(
                f"Received function: {reference}, but there is no {part} in {file}.{hint}"
            )
        tree = found
    if isinstance(tree, ast.AsyncFunctionDef):
        raise UsageError(
            f"Received function: {reference}, which is async. Expected one that trains when it is "
            "called"
        )
    if not isinstance(tree, ast.FunctionDef) or tree.decorator_list or len(name) > 1:
        return None
    return Signature(list(_list_parameters(tree.args)))


def _find_definition(tree: ast.AST, name: str) -> ast.AST | None:
    """The last one counts, as when the file runs."""
    found = None
    for one in ast.iter_child_nodes(tree):
        if isinstance(one, Function | ast.ClassDef) and one.name == name:
            found = one
    return found


def _may_be_made(tree: ast.AST, name: str) -> bool:
    """Whether the name may come about in another way: it is assigned or imported."""
    for one in ast.walk(tree):
        if isinstance(one, Function | ast.ClassDef) and one.name in (name, "__getattr__"):
            return True
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store):
            return True
        if isinstance(one, ast.alias) and name in (one.asname, one.name, one.name.split(".")[0]):
            return True
        if isinstance(one, ast.alias) and one.name == "*":
            return True
    return False


def _list_parameters(given: ast.arguments) -> Iterator[Parameter]:
    plain = [
        *((one, Parameter.POSITIONAL_ONLY) for one in given.posonlyargs),
        *((one, Parameter.POSITIONAL_OR_KEYWORD) for one in given.args),
    ]
    required = len(plain) - len(given.defaults)
    defaults = [*[None] * required, *given.defaults]
    for (one, kind), default in zip(plain, defaults, strict=True):
        yield Parameter(one.arg, kind, default=_show(default))
    if given.vararg:
        yield Parameter(given.vararg.arg, Parameter.VAR_POSITIONAL)
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield Parameter(one.arg, Parameter.KEYWORD_ONLY, default=_show(default))
    if given.kwarg:
        yield Parameter(given.kwarg.arg, Parameter.VAR_KEYWORD)


def _show(default: ast.expr | None) -> Any:
    return Parameter.empty if default is None else _Default(ast.unparse(default))
