"""How values are said in words: sizes, yes and no, lists, the labels of fields."""

import math
import re
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from fitguard.schema.finding import Evidence
from fitguard.schema.model import Shape

DOT = " · "
LEAST_BYTES = 2**20
"""Nobody runs out of memory for less: not worth a remark."""
_MOST_BYTES = 2**80
"""No machine has more: a file that says so is wrong, and its number is not worth its digits."""
UNITS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
SUFFIXES = {"_celsius": " °C", "_watts": " W", "seconds": " s"}
# Colors and cursor movements; titles and links, with what they hold; all others.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]?"
)
SPELLING = {
    "cuda": "CUDA",
    "cudnn": "cuDNN",
    "cublas": "cuBLAS",
    "ecc": "ECC",
    "gpu": "GPU",
    "gpus": "GPUs",
    "keras": "Keras",
    "libc": "C library",
    "mig": "MIG",
    "numpy": "NumPy",
    "nvml": "NVML",
    "pci": "PCI",
    "pcie": "PCIe",
    "os": "OS",
    "pid": "process id",
    "python": "Python",
    "ram": "RAM",
    "shm": "shared memory",
    "tensorflow": "TensorFlow",
    "uuid": "UUID",
    "wsl": "WSL",
    "xla": "XLA",
}


def cut_middle(text: str, most: int) -> str:
    """Its beginning and its end: errors of a graph say only there what they are about."""
    if len(text) <= most:
        return text
    end = 2 * most // 3
    return f"{text[: most - end - 3]} … {text[-end:]}"


def size(number_bytes: int) -> str:
    """`143771 * 2**20` → 140.4 GiB."""
    if abs(number_bytes) > _MOST_BYTES:
        return f"{'less than -' if number_bytes < 0 else 'more than '}{size(_MOST_BYTES)}"
    for unit, factor in UNITS:
        if abs(number_bytes) >= factor:
            return f"{number_bytes / factor:.1f} {unit}"
    return f"{number_bytes} bytes"


def unit_of(number_bytes: int) -> tuple[str, int]:
    """The unit in which a size of this order is told."""
    return next(((unit, factor) for unit, factor in UNITS if number_bytes >= factor), ("bytes", 1))


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`2, "error"` → 2 errors; `60000, "sample"` → 60,000 samples."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def number(value: float) -> str:
    """`60000.0` → 60,000; `0.1 + 0.2` → 0.3."""
    whole = value == value // 1 and abs(value) < 1e15
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return f"{Decimal(value):.1e}"
    return f"{int(value):,}" if whole else f"{value:.6g}"


def numbers(values: Sequence[int]) -> str:
    """`[1, 2, 3, 7]` → 1 to 3, 7."""
    parts: list[list[int]] = []
    for value in values:
        if parts and value == parts[-1][-1] + 1:
            parts[-1].append(value)
        else:
            parts.append([value])
    ends = [(f"{part[0]:,}", f"{part[-1]:,}") for part in parts]
    return ", ".join(first if first == last else f"{first} to {last}" for first, last in ends)


def percent(part: int, whole: int) -> str:
    """`31, 100` → 31 %; never 0 % of something, nor 100 % of what is not all."""
    share = 100 * part / whole if whole else 0.0
    if 0 < share < 0.1:
        return "less than 0.1 %"
    if 99.5 <= share < 100:
        return "over 99 %"
    return f"{share:.1f} %" if 0 < share < 10 else f"{share:.0f} %"


def duration(seconds: float) -> str:
    """`0.4 s`, `41 s`, `3 min 20 s`, `3 h 20 min`, `2 d 4 h`."""
    if not 0 <= seconds < math.inf:
        return "?"
    if seconds < 0.05:
        return "0 s"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for unit, long, lesser, short in (("d", 86400, "h", 3600), ("h", 3600, "min", 60),
                                      ("min", 60, "s", 1)):  # fmt: skip
        if whole >= long:
            rest = whole % long // short
            return f"{whole // long:,} {unit}" + (f" {rest} {lesser}" if rest else "")
    return f"{whole} s"


def shape(axes: Shape) -> str:
    """`(28, 28)`, `(None,)`, `()`, as Python writes them."""
    return f"({', '.join(map(str, axes))}{',' if len(axes) == 1 else ''})"


def join(parts: Iterable[str | None]) -> str:
    """The parts that are there, with a dot between them."""
    return DOT.join(part for part in parts if part)


def label(field: str) -> str:
    """`power_limit_watts` → power limit; `ecc_enabled` → ECC enabled."""
    for suffix in ("_bytes", "_celsius", "_watts"):
        field = field.removesuffix(suffix)
    return " ".join(SPELLING.get(word, word) for word in field.split("_"))


def title(text: str) -> str:
    """With a capital letter, but cuDNN stays as it is spelled."""
    return text if text.startswith("cu") else text[:1].upper() + text[1:]


def say(field: str, value: Any) -> str:
    """A plain value of a fact in words; empty where there is nothing to say."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and field.endswith("_bytes"):
        return size(value)
    if isinstance(value, int | float):
        unit = next((unit for suffix, unit in SUFFIXES.items() if field.endswith(suffix)), "")
        return f"{value:g}{unit}" if isinstance(value, float) else f"{value}{unit}"
    if isinstance(value, tuple | list):
        parts = [str(part) for part in value]
        return ("\n" if any(" " in part for part in parts) else ", ").join(parts)
    return str(value)


def without_escapes(text: str) -> str:
    """What a terminal would show of it: neither colors nor cursor movements."""
    return _ESCAPE.sub("", text)


def say_error(error: BaseException) -> str:
    """As Python would end a traceback with it: `KeyError: 'id 300'`."""
    try:
        text = without_escapes(str(error)).strip()
    except Exception:  # a class of the user's
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(text: str) -> str:
    """Line breaks and tabs as spaces, for titles and cells."""
    return " ".join(text.split())


def short(text: str, most: int) -> str:
    """One line of at most so many characters."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def span(releases: tuple[str, ...]) -> str:
    """Few releases one by one, many as first … last."""
    if len(releases) <= 4:
        return ", ".join(releases)
    return f"{releases[0]} … {releases[-1]} ({len(releases)} releases)"


def locate(evidence: Evidence) -> str:
    """Where it was found, with the line: `train.log:17`."""
    return evidence.source if evidence.line is None else f"{evidence.source}:{evidence.line}"
