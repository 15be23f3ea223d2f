"""Puts functions of fitguard in the place of hooks, also of modules that are not loaded yet."""

import contextlib
import functools
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from fitguard.contract.catalog import HOOKS
from fitguard.contract.hooks import Hook, Role
from fitguard.contract.libraries import PACKAGES, Library
from fitguard.contract.verifying import hooks_of, inspect_hook, library_named, place_of

Wrap = Callable[[Callable[..., Any], Library], Callable[..., Any]]
"""Makes the new function out of the old one, and the library that it is of."""
Wraps = Mapping[Role, Wrap]
Loaded = Callable[[Library], None]
"""Told when the script has loaded a Keras."""


class Patches:
    """What is in place.

    Attributes:
        called: The hooks that a library has called so far.
    """

    def __init__(self, wraps: Wraps) -> None:
        self.called: set[Hook] = set()
        self._wraps = wraps
        self._undo = contextlib.ExitStack()
        self._done: set[tuple[str, str]] = set()

    def find_uncalled(self, library: Library) -> list[Hook]:
        """Hooks in place that should have been called when the first step of a `fit` is done."""
        return [
            hook
            for hook in hooks_of(library)
            if hook.in_first_step and hook.role in self._wraps and hook not in self.called
        ]

    def put(self, package: str, module: ModuleType) -> None:
        """Patch a module that is loaded; what is not as expected is left as it is."""
        library = library_named(package)
        for hook in hooks_of(library):
            if module.__name__ == f"{package}.{hook.module}" and hook.role in self._wraps:
                fault = inspect_hook(hook, library)
                if fault is None or fault.usable:
                    self._replace(hook, module, library)

    def watch(self, watcher: "_Watcher") -> None:
        """Look at what is loaded from now on."""
        sys.meta_path.insert(0, watcher)
        self._undo.callback(lambda: sys.meta_path.remove(watcher))

    def remove(self) -> None:
        """Give the libraries their own functions back."""
        self._undo.close()

    def _replace(self, hook: Hook, module: ModuleType, library: Library) -> None:
        place = place_of(hook, module)
        if place is None or (module.__name__, hook.name) in self._done:
            return
        self._done.add((module.__name__, hook.name))
        own = vars(place.owner).get(place.name)
        noted = self._noting(hook, place.present)
        setattr(place.owner, place.name, self._wraps[hook.role](noted, library))
        if own is None:
            self._undo.callback(delattr, place.owner, place.name)
        else:
            self._undo.callback(setattr, place.owner, place.name, own)

    def _noting(self, hook: Hook, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def note_and_call(*args: Any, **kwargs: Any) -> Any:
            self.called.add(hook)
            return original(*args, **kwargs)

        return note_and_call


@contextlib.contextmanager
def patching(wraps: Wraps, loaded: Loaded = lambda _: None) -> Iterator[Patches]:
    """Put functions into place meanwhile."""
    patches = put_patches(wraps, loaded)
    try:
        yield patches
    finally:
        patches.remove()


def put_patches(wraps: Wraps, loaded: Loaded = lambda _: None) -> Patches:
    """Put functions into place until they are removed, or until the process ends.

    A module that is not loaded is patched when the script loads it: loading it here would fix what
    the script may still want to set, such as `KERAS_BACKEND`.
    """
    patches = Patches(wraps)

    def on_loaded(module: ModuleType) -> None:
        package = module.__name__.partition(".")[0]
        if module.__name__ in PACKAGES:
            loaded(library_named(package))
        else:
            patches.put(package, module)

    names = _modules(wraps) | set(PACKAGES)
    for name in sorted(names & sys.modules.keys()):
        on_loaded(sys.modules[name])
    patches.watch(_Watcher(names, on_loaded))
    return patches


def _modules(wraps: Wraps) -> set[str]:
    return {name for hook in HOOKS if hook.role in wraps for name in hook.modules}


class _Watcher:
    """A finder that finds what the others find, and tells once it is loaded."""

    def __init__(self, names: set[str], then: Callable[[ModuleType], None]) -> None:
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

            def load_and_tell(module: ModuleType) -> None:
                load(module)
                self._then(module)

            loader.exec_module = load_and_tell
        return spec
