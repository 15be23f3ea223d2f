"""Which names of the notebook a cell uses, and which it gives a value."""

import ast
from dataclasses import dataclass

from fitguard.notebook.names_used import names_used
from fitguard.schema.exit_codes import UsageError

_OF_IPYTHON = "get_ipython"


@dataclass(frozen=True)
class CellNames:
    """Names of a cell.

    Args:
        used: Read, by the cell itself or by functions that it defines.
        assigned: Given a value.
        changed: What they hold is changed: `frame["a"] = 1`, `thing.size = 2`.
    """

    used: tuple[str, ...]
    assigned: tuple[str, ...]
    changed: tuple[str, ...]


def cell_names(source: str) -> CellNames:
    """The names of a cell, as IPython has rewritten it.

    Raises:
        UsageError: for a cell that is no Python, and for magics inside of it.
    """
    try:
        names = names_used(source)
    except SyntaxError as error:
        raise UsageError(
            f"Received a cell that is no Python: {error.msg}, line {error.lineno}."
        ) from error
    used = tuple(dict.fromkeys((*names.at_once, *names.later, *_find_augmented_names(source))))
    if _OF_IPYTHON in used:
        raise UsageError(
            "Received a cell with a magic or a shell command (%…, !…) under %%guard. Expected "
            "plain Python: the cell runs in a process that has no IPython. Put the magic into a "
            "cell before it."
        )
    assigned = tuple(dict.fromkeys((*names.assigned, *names.rebound)))
    changed = tuple(name for name in _find_changed_names(source) if name not in assigned)
    return CellNames(used, assigned, changed)


def _find_augmented_names(source: str) -> list[str]:
    """Names as in `count += 1`: a table of symbols knows them only as assigned."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.AugAssign)]
    return [node.target.id for node in nodes if isinstance(node.target, ast.Name)]


def _find_changed_names(source: str) -> list[str]:
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            root: ast.expr = node
            while isinstance(root, ast.Subscript | ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name):
                found[root.id] = None
    return list(found)
