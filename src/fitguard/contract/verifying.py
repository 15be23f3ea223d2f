"""Compares the hooks with the Keras and the TensorFlow that are here."""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fitguard.contract.catalog import HOOKS
from fitguard.contract.hooks import Hook, Role
from fitguard.contract.libraries import PACKAGES, Library, find_installed_library
from fitguard.schema.exit_codes import UsageError

_OPTIONAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_STARS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


@dataclass(frozen=True)
class Fault:
    """A hook that is not as expected.

    Args:
        library: Where it was looked for.
        why: Half a sentence: what is wrong.
        usable: Whether it can be put into place all the same.
    """

    hook: Hook
    library: Library
    why: str
    usable: bool = False

    @property
    def sentence(self) -> str:
        """What follows from it, and why."""
        if self.usable:
            return f"{self.why}; fitguard passes it on and knows nothing of it"
        return f"{self.hook.service}, because {self.why}"


@dataclass(frozen=True)
class Place:
    """Where a hook is: the class or module, and the name in it."""

    owner: Any
    name: str

    @property
    def present(self) -> Any:
        """What stands there now."""
        return getattr(self.owner, self.name)


def verify(library: Library) -> list[Fault]:
    """What of a Keras, and of TensorFlow, is not as expected; both must be loaded."""
    backend = _backend(library)
    if backend != "tensorflow":
        why = f"{library} computes with {backend}, and fitguard guards TensorFlow"
        return [Fault(hook, library, why) for hook in hooks_of(library) if hook.role is Role.FIT]
    return [
        found
        for one in (library, tensorflow_here())
        for hook in hooks_of(one)
        if (found := inspect_hook(hook, one)) is not None
    ]


def require(library: Library, *roles: Role) -> None:
    """Refuse to go on where one of these hooks is not as expected.

    Raises:
        UsageError: The sentence says which, and what is lost.
    """
    for hook in hooks_of(library):
        fault = inspect_hook(hook, library) if hook.role in roles else None
        if fault is not None and not fault.usable:
            raise UsageError(f"Received {library}: {fault.sentence}.")


def hooks_of(library: Library) -> Iterator[Hook]:
    """Those that a library should have."""
    return (hook for hook in HOOKS if hook.is_expected_in(library.package, library.version))


def inspect_hook(hook: Hook, library: Library) -> Fault | None:
    """What is wrong with a hook; None where it is as expected."""
    module_name = f"{library.package}.{hook.module}"
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # whatever a module of another version does when it is loaded
        missing = isinstance(error, ModuleNotFoundError)
        why = "has no module" if missing else f"cannot load ({type(error).__name__}: {error})"
        return Fault(hook, library, f"{library} {why} {module_name}")
    place = place_of(hook, module)
    if place is None:
        return Fault(hook, library, f"{library} has no {hook.name} in {module_name}")
    return _compare(hook, library, place)


def place_of(hook: Hook, module: Any) -> Place | None:
    """Where a hook is in its module; None where it is not."""
    owner, _, name = hook.name.rpartition(".")
    holder = getattr(module, owner, None) if owner else module
    return Place(holder, name) if callable(getattr(holder, name, None)) else None


def tensorflow_here() -> Library:
    """TensorFlow, as a library among others."""
    return Library("tensorflow", str(getattr(sys.modules.get("tensorflow"), "__version__", "")))


def library_named(package: str) -> Library:
    """A Keras, or TensorFlow."""
    return find_installed_library(package) if package in PACKAGES else tensorflow_here()


def _compare(hook: Hook, library: Library, place: Place) -> Fault | None:
    try:
        parameters = inspect.signature(place.present).parameters.values()
    except (TypeError, ValueError):
        why = f"{hook.name} of {library} does not tell what it takes, expected ({hook.parameters})"
        return Fault(hook, library, why)
    found = [_STARS.get(one.kind, "") + one.name for one in parameters]
    expected = hook.parameters.split(", ")
    if found == expected:
        return None
    more = [one for one in parameters if _STARS.get(one.kind, "") + one.name not in expected]
    if [name for name in found if name in expected] == expected and all(map(_optional, more)):
        names = ", ".join(one.name for one in more)
        return Fault(hook, library, f"{hook.name} of {library} also takes {names}", usable=True)
    why = f"{hook.name} of {library} takes ({', '.join(found)}), expected ({hook.parameters})"
    return Fault(hook, library, why)


def _optional(parameter: inspect.Parameter) -> bool:
    return parameter.kind in _OPTIONAL or parameter.default is not inspect.Parameter.empty


def _backend(library: Library) -> str:
    """What a Keras computes with; where it cannot be asked, its hooks decide."""
    if library.generation == 2:
        return "tensorflow"
    try:
        return str(library.module("config").backend())
    except (ImportError, AttributeError):
        return "tensorflow"
