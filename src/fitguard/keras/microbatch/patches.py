"""Replaces functions of TensorFlow and Keras while a micro-batch is traced, and only then."""

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]
Patch = tuple[Any, str, Wrap]
"""Owner, name, and what makes the new function out of the old one."""

_lock = threading.Lock()
_uses: dict[tuple[Any, str], int] = {}
_originals: dict[tuple[Any, str], Any] = {}


@contextlib.contextmanager
def installed(patches: list[Patch]) -> Iterator[None]:
    """Replace meanwhile; nested and parallel uses share one replacement.

    Each new function must ask whether its own thread traces a micro-batch: other threads may train
    other models meanwhile.
    """
    with _lock:
        for patch in patches:
            _install(*patch)
    try:
        yield
    finally:
        with _lock:
            for owner, name, _ in patches:
                _remove(owner, name)


def _install(owner: Any, name: str, wrap: Wrap) -> None:
    key = owner, name
    _uses[key] = _uses.get(key, 0) + 1
    if _uses[key] == 1:
        original = _originals[key] = vars(owner)[name]
        setattr(owner, name, functools.wraps(original)(wrap(original)))


def _remove(owner: Any, name: str) -> None:
    key = owner, name
    _uses[key] -= 1
    if _uses[key] == 0:
        setattr(owner, name, _originals.pop(key))
        del _uses[key]
