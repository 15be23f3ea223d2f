"""What the code of the user's data objects says about random numbers."""

import types
from typing import Any

from fitguard.state.code import codes

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
            if name in named and not _called_with_argument(code, name):
                return _ENTROPY[name]
    return ""


def _called_with_argument(code: types.CodeType, name: str) -> bool:
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
