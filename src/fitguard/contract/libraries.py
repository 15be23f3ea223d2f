"""Which Keras is here: one description of a library for all rooms.

Keras 3 is the package `keras`. Keras 2 is `keras` up to 2.15, and `tf_keras` after that: the same
code under two names.
"""

import functools
import importlib
import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = ("keras", "tf_keras")
_TRAINERS = ("Model", "Trainer", "TensorFlowTrainer", "BaseTrainer")
_VERSION = re.compile(r"""^__version__\s*=\s*["']([^"']+)["']""", re.MULTILINE)
_VERSION_FILES = ("src/version.py", "src/__init__.py", "__init__.py")


@dataclass(frozen=True)
class Library:
    """A Keras.

    Args:
        package: `keras` or `tf_keras`: what the script imports.
        version: Of its code; empty where it does not tell.
    """

    package: str
    version: str = ""

    @classmethod
    def parse(cls, text: str) -> "Library":
        """The library that `str` of it gave."""
        return cls(*text.split(maxsplit=1)) if text else cls("keras")

    @property
    def generation(self) -> int:
        """2 or 3."""
        old = self.package == "tf_keras" or self.version.startswith(("1.", "2."))
        return 2 if old else 3

    def module(self, path: str = "") -> Any:
        """A module of it: `module("callbacks")` is `keras.callbacks`."""
        return importlib.import_module(f"{self.package}.{path}".rstrip("."))

    def __str__(self) -> str:
        return f"{self.package} {self.version}".strip()


def package_of(thing: Any) -> str:
    """The package that a class or function is defined in."""
    return str(getattr(thing, "__module__", "")).partition(".")[0]


def is_of_keras(thing: Any) -> bool:
    """Whether Keras itself defines a class or function, and not the user."""
    return package_of(thing) in PACKAGES


def is_a(thing: Any, *names: str) -> bool:
    """Whether a class of Keras with one of these names is among the bases of an object's class."""
    cls: type = type(thing)
    return _is_a(cls, names)


@functools.lru_cache(maxsize=4096)  # asked several times for each batch
def _is_a(cls: type, names: tuple[str, ...]) -> bool:
    return any(base.__name__ in names and is_of_keras(base) for base in cls.__mro__)


def library_of(thing: Any, base: str = "") -> Library | None:
    """The Keras that an object, or a class, descends from; None where from none.

    Args:
        base: Only by a class of this name: `Model`.
    """
    cls = thing if isinstance(thing, type) else type(thing)
    for parent in cls.__mro__:
        if is_of_keras(parent) and base in ("", parent.__name__):
            return find_installed_library(package_of(parent))
    return None


def has_own_step(model: Any, name: str) -> bool:
    """Whether the user wrote `train_step`, `test_step` or `compute_loss` of the model."""
    definer = next(cls for cls in type(model).__mro__ if name in vars(cls))
    return not (is_of_keras(definer) and definer.__name__ in _TRAINERS)


def find_loaded_libraries() -> list[Library]:
    """Those that this process has imported."""
    return [find_installed_library(package) for package in PACKAGES if package in sys.modules]


def find_loaded_modules(generation: int, path: str) -> list[Any]:
    """A module of each Keras of this generation, where it is loaded: `src.backend`."""
    libraries = [library for library in find_loaded_libraries() if library.generation == generation]
    modules = [sys.modules.get(f"{library.package}.{path}") for library in libraries]
    return [module for module in modules if module is not None]


@functools.cache
def find_installed_library(package: str) -> Library:
    """As its own files say, whatever the metadata of packages say; nothing is imported for it."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        spec = None
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for name in _VERSION_FILES:
            file = Path(folder) / name
            found = _VERSION.search(file.read_text("utf-8")) if file.is_file() else None
            if found:
                return Library(package, found[1])
    return Library(package)
