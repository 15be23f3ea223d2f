"""What can be reached and cannot be kept, where the result may depend on it: known by its kind."""

import queue
import random
import socket
import sys
import threading
import types
from typing import Any

from fitguard.contract.libraries import is_a, package_of
from fitguard.state.code import names_in
from fitguard.state.objects import DATA
from fitguard.state.users import is_users

_READ_ONCE = (queue.Queue, queue.SimpleQueue, socket.socket)
_BY_NAME = {
    "sqlite3": ("Connection", "Cursor"),
    "subprocess": ("Popen",),
    "multiprocessing.queues": ("Queue", "SimpleQueue", "JoinableQueue"),
    "multiprocessing.pool": ("Pool",),
    "_hashlib": ("HASH",),
    "_contextvars": ("ContextVar",),
}
_TABLES = ("MutableHashTable", "DenseHashTable")
_ENTROPY = {"urandom": "os.urandom", "token_bytes": "secrets", "SystemRandom": "SystemRandom"}
"""Functions that give something else in each process."""


def why_unkept(thing: Any) -> str:
    """Why an object cannot be kept; empty where that is no loss."""
    cls: type = type(thing)
    if isinstance(thing, types.GeneratorType):
        return "a Python generator, which cannot tell where it stands"
    if isinstance(thing, random.SystemRandom):
        return "a SystemRandom, which has no seed"
    if isinstance(thing, threading.Thread):
        return "a thread, which runs beside the training" if thing.is_alive() else ""
    if any(base.__name__ in _TABLES and package_of(base) == "tensorflow" for base in cls.__mro__):
        return f"a {cls.__name__}, whose entries are TensorFlow's own"
    if is_read_once(thing):
        return f"a {type(thing).__name__}, which can be read only once"
    for module, names in _BY_NAME.items():
        classes = (getattr(sys.modules.get(module), name, None) for name in names)
        if isinstance(thing, tuple(cls for cls in classes if isinstance(cls, type))):
            return f"a {type(thing).__name__} of {module}, whose state is not Python's"
    return ""


def is_read_once(thing: Any) -> bool:
    """Whether it is an iterator, or the like, that does not tell where it stands."""
    # The class is asked: an object may answer to any name, or raise what it likes.
    cls: type = type(thing)
    if isinstance(thing, type) or is_a(thing, *DATA):
        return False
    is_iterator = hasattr(cls, "__next__") and not hasattr(cls, "read")
    return isinstance(thing, _READ_ONCE) or (is_iterator and not is_users(cls))


def entropy_of(function: types.FunctionType) -> str:
    """A source without a seed that the code of a function draws from; empty where none shows."""
    return next((_ENTROPY[name] for name in sorted(names_in(function) & _ENTROPY.keys())), "")
