"""The probes, read out of the catalog."""

import importlib
import inspect
import pkgutil
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from fitguard.probes import target
from fitguard.probes.target import catalog
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.probe import Level

MAIN = Path(target.__file__).with_name("main.py")

LEVELS: tuple[Level, ...] = ("quick", "medium", "long")
_GIB = 2**30
_LAST = 99


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """What its file says of it; see `target/catalog`.

    Args:
        level: The shortest level that it belongs to.
        seconds: What it takes on a GPU, roughly.
        gate: Its place among those without which nothing else is tried; 0 for the others.
        several: Whether it takes all devices at once.
        memory_bytes: Of the host that its process may take.
        options: What it is told besides.
        summary: The first line of its page.
    """

    name: str
    level: Level
    seconds: float
    limit_seconds: float
    gate: int = 0
    several: bool = False
    memory_bytes: int = 12 * _GIB
    environment: dict[str, str] = {}
    options: dict[str, Any] = {}
    summary: str
    page: str = ""


@cache
def all_probes() -> dict[str, Probe]:
    """By name, in the order in which they are run."""
    names = [module.name for module in pkgutil.iter_modules(catalog.__path__)]
    read = [_read(importlib.import_module(f"{catalog.__name__}.{name}")) for name in names]
    read.sort(key=lambda one: (one.gate or _LAST, LEVELS.index(one.level), one.seconds, one.name))
    return {probe.name: probe for probe in read}


def select_probes(level: Level, only: tuple[str, ...] = ()) -> tuple[Probe, ...]:
    """Those of a level, or the named ones with what they stand on.

    Raises:
        UsageError: for a name that no probe bears.
    """
    known = all_probes()
    unknown = [name for name in only if name not in known]
    if unknown:
        raise UsageError(
            f"Received --only {' '.join(unknown)}. Expected names of probes: {', '.join(known)}"
        )
    if only:
        return tuple(probe for probe in known.values() if probe.gate or probe.name in only)
    most = LEVELS.index(level)
    return tuple(probe for probe in known.values() if LEVELS.index(probe.level) <= most)


def gates() -> tuple[Probe, ...]:
    """Those without which nothing else is tried."""
    return tuple(probe for probe in all_probes().values() if probe.gate)


def _read(module: ModuleType) -> Probe:
    text = inspect.getdoc(module) or ""
    summary, _, page = text.partition("\n")
    optional = {
        "gate": "GATE",
        "several": "SEVERAL",
        "memory_bytes": "MEMORY_BYTES",
        "environment": "ENVIRONMENT",
    }
    return Probe(
        name=module.NAME,
        level=module.LEVEL,
        seconds=module.SECONDS,
        limit_seconds=module.LIMIT_SECONDS,
        summary=summary,
        page=page.strip(),
        **{
            field: getattr(module, name)
            for field, name in optional.items()
            if hasattr(module, name)
        },
    )
