"""Tells whether two objects are the same variable."""

from typing import Any


def identity(variable: Any) -> int:
    """The same for a variable and for what wraps it: AutoCastVariable, or a mirrored one."""
    return id(on_replicas(variable)[0].handle)


def identities(variable: Any) -> set[int]:
    """Of what holds its value: under a strategy, one for each replica."""
    return {id(one.handle) for one in on_replicas(variable)}


def on_replicas(variable: Any) -> tuple[Any, ...]:
    """What holds its value on each replica; the variable itself where there is no strategy."""
    return tuple(getattr(variable, "values", (variable,)))
