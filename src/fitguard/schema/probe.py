"""What probes found: small known computations, each tried in a process of its own."""

from typing import Literal

import msgspec

from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.document import Document

PROBE_SCHEMA: Literal["fitguard/probe/1"] = "fitguard/probe/1"

TIME_UP = "The time was up."
STOPPED = "It was stopped."
"""Why a probe was not tried, or not to its end, though it could have been."""

Level = Literal["quick", "medium", "long"]
Status = Literal["pass", "fail", "crash", "timeout", "skip"]
RateVerdict = Literal["fine", "slow", "unknown"]


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """How fast something went, beside what the card should give.

    Args:
        name: `matmul-float32`, `device-memory`, `host-to-device`.
        value: Measured, in `unit`.
        expected: Of this card, by its data sheet; None where no table has it.
        verdict: `slow` where it is far below.
        reasons: Why it may be slow, as NVML tells it; one sentence each.
        source: Of `expected`.
    """

    name: str
    value: float
    unit: str
    expected: float | None = None
    verdict: RateVerdict = "unknown"
    reasons: tuple[str, ...] = ()
    source: str = ""

    @property
    def ratio(self) -> float | None:
        """Of what the card should give."""
        return self.value / self.expected if self.expected else None


class ProbeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one probe on one device.

    Args:
        name: `matmul-float32`.
        device: `GPU 0`, `GPU 0, 1` or `CPU`.
        status: `fail`: it computed something wrong, or raised. `crash`: its process died.
        seconds: Without the start of Python and TensorFlow.
        detail: One or two sentences: what was computed, or what went wrong.
        diagnosis: Of what did not pass: the cause, and what to do.
        rates: What was measured on the way.
        log: The end of what its process wrote, where it did not pass.
    """

    name: str
    device: str
    status: Status
    seconds: float = 0.0
    detail: str = ""
    diagnosis: Diagnosis | None = None
    rates: tuple[Rate, ...] = ()
    log: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether something is wrong."""
        return self.status in ("fail", "crash", "timeout")


class ProbedDevice(msgspec.Struct, frozen=True, kw_only=True):
    """What was probed.

    Args:
        label: `GPU 0` or `CPU`.
        name: As NVML tells it: `NVIDIA H200`.
    """

    label: str
    name: str = ""
    uuid: str | None = None
    pci_address: str | None = None


class Reproduction(msgspec.Struct, frozen=True, kw_only=True):
    """A script of some ten lines that shows a failure, for a bug report."""

    probe: str
    script: str
    facts: tuple[str, ...] = ()


class ProbeReport(Document, frozen=True, kw_only=True):
    """All results.

    Args:
        python, tensorflow: Where it was tried; the version is empty where it was not found out.
        notes: What the user should know: that there is no GPU, what was left out, and why.
        like: The script whose layers were probed.
        reproductions: Of failures of `--like`.
    """

    schema: Literal["fitguard/probe/1"] = PROBE_SCHEMA
    level: Level = "quick"
    python: str = ""
    tensorflow: str = ""
    devices: tuple[ProbedDevice, ...] = ()
    results: tuple[ProbeResult, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    like: str = ""
    reproductions: tuple[Reproduction, ...] = ()

    @property
    def failures(self) -> tuple[ProbeResult, ...]:
        """The results that say that something is wrong."""
        return tuple(result for result in self.results if result.failed)

    @property
    def unreached(self) -> tuple[ProbeResult, ...]:
        """The results of probes for which there was no time."""
        return tuple(one for one in self.results if one.detail in (TIME_UP, STOPPED))

    @property
    def ok(self) -> bool:
        """Whether nothing failed, and something was tried."""
        return not self.failures and any(result.status == "pass" for result in self.results)
