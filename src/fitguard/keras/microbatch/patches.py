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
_uses = 0
_undo = contextlib.ExitStack()


@contextlib.contextmanager
def installed(patches: list[Patch]) -> Iterator[None]:
    """Replace meanwhile; nested and parallel uses share one replacement.

    Each new function must ask whether its own thread traces a micro-batch: other threads may train
    other models meanwhile.
    """
    global _uses
    with _lock:
        if _uses == 0:
            for owner, name, wrap in patches:
                original = vars(owner)[name]
                setattr(owner, name, functools.wraps(original)(wrap(original)))
                _undo.callback(setattr, owner, name, original)
        _uses += 1
    try:
        yield
    finally:
        with _lock:
            _uses -= 1
            if _uses == 0:
                _undo.close()
