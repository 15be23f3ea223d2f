"""Tells whether two objects are the same variable."""

from typing import Any


def identity(variable: Any) -> int:
    """The same for a variable and for what wraps it: AutoCastVariable, or a mirrored one."""
    first, *_ = getattr(variable, "values", (variable,))
    return id(first.handle)
