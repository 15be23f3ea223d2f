"""TensorFlow and h5py open files where Python's audit events do not see it: their own doors.

h5py.File                     all that Keras writes as .h5 and .weights.h5
tf.io.gfile.GFile             and its base, through which TensorFlow's own Python writes
tf.io.gfile.makedirs, mkdir
"""

import contextlib
import functools
import os
import sys
from collections.abc import Callable
from typing import Any, Protocol

from fitguard.keras.world.territory import normal
from fitguard.keras.world.watching import How, call_unheard, is_heard

_H5PY: dict[str, How] = {
    "w": "write",
    "r+": "write",
    "a": "update",
    "x": "exclusive",
    "w-": "exclusive",
}
"""Never `append`: cut to an old length, it would be no HDF5."""


class _World(Protocol):
    def touch(self, path: object, how: How, by: str = "") -> None: ...
    def record_folder(self, path: object, by: str = "") -> None: ...
    def was_made(self, path: object) -> bool: ...
    def note_checkpoint_folder(self, folder: str) -> None: ...


class CWriters:
    """Stands at these doors once the script has loaded the libraries."""

    def __init__(self, world: _World) -> None:
        self._world = world
        self._undo = contextlib.ExitStack()
        self._doors: dict[str, Callable[[Any], bool]] = {
            "h5py": self._watch_h5py,
            "tensorflow": self._watch_gfile,
        }

    def look(self) -> None:
        """Whether a library is there now."""
        for name in [name for name in self._doors if name in sys.modules]:
            if self._doors[name](sys.modules[name]):
                del self._doors[name]

    def close(self) -> None:
        """Give the libraries their own functions back."""
        self._undo.close()

    def _watch_h5py(self, module: Any) -> bool:
        cls = getattr(module, "File", None)
        if cls is None:
            return False

        def opens(_: Any, name: Any, mode: str = "r", *__: Any, **___: Any) -> None:
            how = _H5PY.get(mode)
            if how is not None:
                self._world.touch(name, how)

        self._before(cls, "__init__", opens)
        return True

    def _watch_gfile(self, module: Any) -> bool:
        gfile: Any = getattr(getattr(module, "io", None), "gfile", None)
        if not hasattr(gfile, "GFile") or not hasattr(gfile, "makedirs"):
            return False

        def opens(_: Any, name: Any, mode: str = "r", *__: Any, **___: Any) -> None:
            path = normal(name)
            if path is not None and str(mode)[:1] in ("w", "a"):
                self._world.touch(path, "append" if mode[0] == "a" else "write")
                self._world.note_checkpoint_folder(os.path.dirname(path))

        # Its base: TensorFlow's own code goes by that one.
        *classes, _ = (cls for cls in gfile.GFile.__mro__ if "__init__" in vars(cls))
        self._before(classes[-1], "__init__", opens)
        for name in ("makedirs", "mkdir"):
            self._replace(gfile, name, self._making)
        return True

    def _making(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def make(path: Any, *args: Any, **more: Any) -> Any:
            first = _first_missing(normal(path))
            made = original(path, *args, **more)
            if is_heard() and (first is not None or self._world.was_made(path)):
                self._world.record_folder(first or path)
            return made

        return make

    def _before(self, owner: Any, name: str, tell: Callable[..., None]) -> None:
        def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(original)
            def tell_and_call(*args: Any, **kwargs: Any) -> Any:
                if is_heard():
                    with contextlib.suppress(Exception):
                        call_unheard(functools.partial(tell, **kwargs), *args)
                return original(*args, **kwargs)

            return tell_and_call

        self._replace(owner, name, wrap)

    def _replace(
        self, owner: Any, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
    ) -> None:
        original = getattr(owner, name)
        setattr(owner, name, wrap(original))
        self._undo.callback(setattr, owner, name, original)


def _first_missing(path: str | None) -> str | None:
    """The highest folder that will have to be made."""
    missing = None
    while path and not os.path.lexists(path):
        missing, path = path, os.path.dirname(path)
    return missing
