"""The source of a function or a class, wherever it was defined: a file or a cell of a notebook.

`inspect.getsource` does not find a class of a notebook and cannot part two lambdas of one line, so
the definition is looked up in the syntax tree of the cell.
"""

import ast
import linecache
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import CodeType, FunctionType
from typing import Any

_Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_CELLS = ("<ipython-input", "ipykernel_")


@dataclass(frozen=True)
class Definition:
    """A piece of source.

    Args:
        source: Whole lines, with their indentation; an expression for a lambda.
        name: What it defines; empty for a lambda.
        indentation: Of its first line.
        bare: The source without decorators.
    """

    source: str
    name: str = ""
    indentation: int = 0
    bare: str = ""


def definition_of(value: Any, names: Mapping[str, Any]) -> Definition | None:
    """How a function or class was defined; None where there is no source that gives it again.

    Args:
        names: The global names that it lives among: they tell whether a decorator stands around.
    """
    if isinstance(value, type):
        return _class(value)
    inner = undecorated(value)
    if inner is not value and isinstance(inner, FunctionType):
        found = _function(inner.__code__)
        if found is not None and found.source != found.bare and names.get(found.name) is value:
            return found
    if not isinstance(value, FunctionType):
        return None
    found = _function(value.__code__)
    if found is None or names.get(found.name) is value or hasattr(value, "__wrapped__"):
        return found
    return replace(found, source=found.bare) if found.bare else found


def undecorated(value: Any) -> Any:
    """The function inside of `tf.function`, `functools.wraps` and the like."""
    seen = set()
    while id(value) not in seen:
        seen.add(id(value))
        inner = getattr(value, "__wrapped__", None) or getattr(value, "python_function", None)
        value = inner if callable(inner) and not isinstance(value, type) else value
    return value


def _function(code: CodeType) -> Definition | None:
    lines, tree = _parsed(code.co_filename)
    if tree is None:
        return None
    if code.co_name == "<lambda>":
        return _lambda(code, lines, tree)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name == code.co_name
            and _first_line(node) == code.co_firstlineno
        ):
            return _definition(node, lines)
    return None


def _lambda(code: CodeType, lines: list[str], tree: ast.Module) -> Definition | None:
    spots = {place[:3:2] for place in code.co_positions() if None not in place}
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
            body = node.body
            if any((body.lineno, body.col_offset) == spot for spot in spots):
                text = ast.get_source_segment("".join(lines), node) or ""
                return Definition(text)
    return None


def _class(cls: type) -> Definition | None:
    for file in _files(cls):
        lines, tree = _parsed(file)
        found = list(_classes(tree, cls.__qualname__)) if tree is not None else []
        methods = {code.co_firstlineno for code in _methods(cls) if code.co_filename == file}
        for node in reversed(found):
            if all(node.lineno <= line <= (node.end_lineno or 0) for line in methods):
                return _definition(node, lines)
    return None


def _files(cls: type) -> Iterator[str]:
    """Files in which a class may stand: those of its methods, else the newest cells."""
    own = list(dict.fromkeys(code.co_filename for code in _methods(cls)))
    yield from own
    if not own:
        yield from (name for name in reversed(linecache.cache) if any(c in name for c in _CELLS))


def _methods(cls: type) -> list[CodeType]:
    inside = [getattr(value, "__func__", None) or value for value in vars(cls).values()]
    properties = [value.fget for value in inside if isinstance(value, property)]
    functions = [undecorated(value) for value in [*inside, *properties]]
    return [
        function.__code__
        for function in functions
        if isinstance(function, FunctionType)
        and function.__qualname__.startswith(f"{cls.__qualname__}.")
        # `dataclass` and others make methods out of text.
        and not function.__code__.co_filename.startswith("<string")
    ]


def _classes(tree: ast.Module, qualified_name: str) -> Iterator[ast.ClassDef]:
    name = qualified_name.split(".")[-1]
    yield from (
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == name
    )


def _definition(node: _Defined, lines: list[str]) -> Definition:
    first = _first_line(node)
    indentation = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    source, bare = ("".join(lines[begin - 1 : node.end_lineno]) for begin in (first, node.lineno))
    if not source.endswith("\n"):
        source, bare = f"{source}\n", f"{bare}\n"
    return Definition(source, node.name, indentation, bare)


def _first_line(node: _Defined) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _parsed(file: str) -> tuple[list[str], ast.Module | None]:
    lines = linecache.getlines(file)
    try:
        return lines, ast.parse("".join(lines)) if lines else None
    except SyntaxError:
        return lines, None
