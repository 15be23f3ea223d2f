"""What the code of the user's data objects says about random numbers."""

import types
from collections.abc import Collection
from typing import Any

from fitguard.state.code import codes
from fitguard.state.graph import Graph, TooMuch
from fitguard.state.kinds import RandomSources

_ENTROPY = {
    "default_rng": "numpy.random.default_rng",
    "SystemRandom": "random.SystemRandom",
    "urandom": "os.urandom",
    "token_bytes": "secrets",
    "uuid4": "uuid.uuid4",
}
"""Names of functions that give something else in each process, if they are called plainly."""


def draws_without_seed(x: Any) -> str:
    """Which source without a seed is used where a batch is made; empty if none shows.

    Only the code of a generator or function, or of `__getitem__`, is looked at; one that a library
    has made, or that calls other functions, cannot be told.
    """
    read = (
        x
        if hasattr(x, "gi_code") or hasattr(x, "__code__")
        else type(x).__dict__.get("__getitem__")
    )
    code = getattr(read, "gi_code", None) or getattr(read, "__code__", None)
    if code is not None:
        named = {name for inner in codes(code) for name in inner.co_names}
        for name in _ENTROPY:
            if name in named and not _is_called_with_argument(code, name):
                return _ENTROPY[name]
    return ""


def why_drawn_by_both(x: Any, kept: Collection[int]) -> list[str]:
    """Why a Python generator may give other batches when it is read again from its start.

    Args:
        kept: What model and callbacks can reach, by id.
    """
    frame = getattr(x, "gi_frame", None)
    if frame is None:
        return []
    names = {name for code in codes(x.gi_code) for name in code.co_names}
    held = {name: frame.f_globals[name] for name in names & frame.f_globals.keys()}
    try:
        nodes = Graph({**held, **frame.f_locals}).nodes.values()
    except TooMuch:
        return []
    return [
        f"The Python generator of the data draws from {node.label}, and so does the model or a "
        "callback. After a restart the generator is read again from its start and draws other "
        "numbers, so it may give other batches. Give it a random generator of its own."
        for node in nodes
        if isinstance(node.kind, RandomSources) and id(node.thing) in kept
    ]


def _is_called_with_argument(code: types.CodeType, name: str) -> bool:
    """Whether a seeded random generator was made by it: seen as a plain name with a constant."""
    import ast
    import inspect
    import textwrap

    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError):
        return True
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call for call in calls if _name(call.func) == name]
    return bool(named) and all(call.args or call.keywords for call in named)


def _name(function: Any) -> str:
    return str(getattr(function, "attr", getattr(function, "id", "")))
