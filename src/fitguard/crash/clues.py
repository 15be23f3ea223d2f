"""What a log tells of the machine it was written on, in the doctor's keys."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from fitguard.schema.crash import Signal


class Clue(NamedTuple):
    """A value, and the line that told it."""

    value: str
    signal: Signal


def clues(signals: Iterable[Signal]) -> dict[str, Clue]:
    """By key; of several lines the first counts, as the later ones may be of other programs.

    What people say comes last, and not at all where they name several versions: they compare.
    """
    found: dict[str, Clue] = {}
    said: dict[str, dict[str, Signal]] = {}
    for signal in signals:
        if signal.role == "clue":
            for key, value in _collect_facts(signal.values):
                if signal.name.endswith("-told"):
                    said.setdefault(key, {}).setdefault(value, signal)
                else:
                    found.setdefault(key, Clue(value, signal))
    for key, values in said.items():
        if len(values) == 1:
            ((value, signal),) = values.items()
            found.setdefault(key, Clue(value, signal))
    return found


def _collect_facts(values: dict[str, str]) -> Iterator[tuple[str, str]]:
    for group, value in values.items():
        if group.startswith("fact_"):
            yield _fact(group.removeprefix("fact_"), value)
    if number := values.get("cudnn_number"):
        yield "cudnn", _cudnn(int(number))
    for group, read in _CUDA.items():
        if version := values.get(group):
            yield "cuda", read(version)
    if digits := values.get("python_digits"):
        yield "python", f"{digits[0]}.{digits[1:]}"
    if major := values.get("capability_major"):
        yield "compute-capability", f"{major}.{values['capability_minor']}"


def _fact(group: str, value: str) -> tuple[str, str]:
    """`fact_tf`; what follows, as in `fact_tf_installed`, tells groups of one pattern apart."""
    if group.startswith("os_"):
        return "os", group.split("_")[1]
    key = group if group == "compute_capability" else group.split("_")[0]
    return key.replace("_", "-"), value


def _of_soname(version: str) -> str:
    """All of CUDA 11 have `libcudart.so.11.0`; from 12 on the name holds the major alone."""
    return "11" if version == "11.0" else version


def _of_dll(digits: str) -> str:
    """`cudart64_101` is of 10.1, `cudart64_110` of any 11, `cudart64_12` of any 12."""
    short = len(digits) == 2 and digits < "20"
    return digits if short else _of_soname(f"{digits[:-1]}.{digits[-1]}")


_CUDA: dict[str, Callable[[str], str]] = {
    "cuda_soname": _of_soname,
    "cuda_digits": _of_dll,
    "cuda_runtime": str,
}


def _cudnn(number: int) -> str:
    """`8204` and `90300` as 8.2.4 and 9.3.0: from 9 on the number has another form."""
    base = 10_000 if number >= 90_000 else 1_000
    return f"{number // base}.{number % base // 100}.{number % 100}"


def where(clue: Clue) -> str:
    """The place of a clue, for the eye."""
    return f"{clue.signal.source}, line {clue.signal.line}"
