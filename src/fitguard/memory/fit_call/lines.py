"""Where a script calls `fit`, by its text."""

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

from fitguard.memory.fit_call.finding import FitCall, read_source


def other_lines(path: Path, call: FitCall) -> list[int]:
    """Where else in the script the same method of the same name is called: `model.fit` twice."""
    found = list(_find_calls(path, call.method))
    own = {text for first, last, text in found if first <= call.line <= last}
    return sorted(
        first for first, last, text in found if text in own and not first <= call.line <= last
    )


def later_lines(path: Path, seen: Collection[int]) -> list[int]:
    """Where the script calls `fit` below all lines that were seen."""
    return sorted({first for first, _, _ in _find_calls(path, "fit") if first > max(seen)})


def _find_calls(path: Path, method: str) -> Iterator[tuple[int, int, str]]:
    """First line, last line and what is called: `model.fit`."""
    for node in ast.walk(ast.parse(read_source(Path(path)))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == method
        ):
            yield node.lineno, node.end_lineno or node.lineno, ast.unparse(node.func)
