"""Asking a stranger's object without being hurt by the answer."""

from collections.abc import Callable
from typing import Any, TypeVar

Answer = TypeVar("Answer")
Default = TypeVar("Default")


def ask(question: Callable[[], Answer], otherwise: Default) -> Answer | Default:
    """The answer, or `otherwise` where the question raises.

    Layers are the user's code: a property of theirs may raise anything. A fact that cannot be
    had is then unknown, and the other facts stand.
    """
    try:
        return question()
    except Exception:
        return otherwise


def trait(thing: Any, name: str, otherwise: Any = None) -> Any:
    """An attribute, or `otherwise` where there is none or its property raises."""
    return ask(lambda: getattr(thing, name), otherwise)


def name_of(thing: Any) -> str:
    """The name of a layer; empty where it has none."""
    name = trait(thing, "name", "")
    return name if isinstance(name, str) else ""
