"""Flags of ours beside those of the user, in `XLA_FLAGS`.

XLA reads them from left to right, and the last one of a name counts. It stops at what is no flag,
and a quotation mark without its partner takes in all that follows. So ours come first: then all
that the user wrote means what it means without us. A flag that XLA does not know ends the process.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from fitguard.facts.elf import holds_texts

VARIABLE = "XLA_FLAGS"
DUMP = "xla_gpu_dump_autotune_results_to"
LOAD = "xla_gpu_load_autotune_results_from"


def add_flags(own: str, wanted: Mapping[str, Path]) -> str | None:
    """The flags of the user with these; None where the user's cannot be added to.

    Args:
        own: What stands in the variable. It may be the name of a file that holds the flags.
    """
    is_file = bool(own.strip()) and not own.lstrip().startswith("-")
    if is_file or any(name in own for name in (DUMP, LOAD)):
        return None
    return " ".join([*(f"--{name}={_quote(path)}" for name, path in wanted.items()), own]).strip()


def _quote(path: Path) -> str:
    """As XLA reads it, in double quotes."""
    escaped = str(path).replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'


def are_known(libraries: Iterable[Path]) -> bool:
    """Whether this TensorFlow has both flags, by the names in its libraries.

    That of a flag is a constant of its own. A message's field of the same name is none.
    """
    names = (LOAD.encode(), DUMP.encode())
    return any(holds_texts(library, names) for library in libraries)
