"""What `failed call to cuInit: …` says, in the names of CUDA's errors."""

import re

from fitguard.schema.crash import Signal, Story

# Releases that do not know an error by name print its number.
_NUMBERS = {
    -1: "NO_LIBRARY",
    34: "STUB_LIBRARY",
    46: "DEVICE_UNAVAILABLE",
    100: "NO_DEVICE",
    101: "INVALID_DEVICE",
    303: "NO_LIBRARY",
    304: "OPERATING_SYSTEM",
    800: "NOT_PERMITTED",
    802: "SYSTEM_NOT_READY",
    803: "SYSTEM_DRIVER_MISMATCH",
    804: "COMPAT_NOT_SUPPORTED_ON_DEVICE",
    999: "UNKNOWN",
}


def refusals(story: Story) -> tuple[tuple[Signal, str], ...]:
    """Each line of a failed cuInit with the name of its error; `NO_LIBRARY` where the driver's
    library itself was not there, "" where the line names none."""
    started = [(signal, _name(signal)) for signal in story.all("cuinit-failed")]
    counted = [(signal, "NO_DEVICE") for signal in story.all("no-cuda-device")]
    return (*started, *counted)


def _name(signal: Signal) -> str:
    error = signal.values.get("error", "")
    if number := re.search(r"\((-?\d+)\)", error):
        return _NUMBERS.get(int(number[1]), "UNKNOWN")
    if error.startswith("UNKNOWN"):
        return "UNKNOWN"
    return error.removeprefix("CUDA_ERROR_")
