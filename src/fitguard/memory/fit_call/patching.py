"""Replaces methods of classes, also of modules that are not loaded yet."""

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Makes the new method out of the old one."""
Methods = Mapping[str, Mapping[tuple[str, str], Wrap]]
"""By the name of the module, then by class and method."""


@contextlib.contextmanager
def patched(methods: Methods) -> Iterator[None]:
    """Replace methods meanwhile.

    A module that is not loaded is patched when the script loads it: loading it here would fix what
    the script may still want to set, such as `KERAS_BACKEND`.
    """
    with contextlib.ExitStack() as stack:

        def patch(module: Any) -> None:
            for (class_name, method), wrap in methods[module.__name__].items():
                _replace(getattr(module, class_name, None), method, wrap, stack)

        for name in methods:
            if name in sys.modules:
                patch(sys.modules[name])
        watcher = _Watcher(methods, patch)
        sys.meta_path.insert(0, watcher)
        stack.callback(sys.meta_path.remove, watcher)
        yield


def _replace(cls: Any, method: str, wrap: Wrap, stack: contextlib.ExitStack) -> None:
    if cls is None or method not in vars(cls):
        return
    original = vars(cls)[method]
    setattr(cls, method, wrap(original))
    stack.callback(setattr, cls, method, original)


class _Watcher:
    """A finder that finds what the others find, and patches it once it is loaded."""

    def __init__(self, names: Mapping[str, Any], then: Callable[[ModuleType], None]) -> None:
        self._names = names
        self._then = then
        self._asking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        if name not in self._names or self._asking:
            return None
        self._asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking = False
        loader: Any = spec.loader if spec is not None else None
        if loader is not None:
            load = loader.exec_module

            def load_and_patch(module: ModuleType) -> None:
                load(module)
                self._then(module)

            loader.exec_module = load_and_patch
        return spec
