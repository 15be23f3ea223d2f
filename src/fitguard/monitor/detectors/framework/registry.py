"""How a detector is declared, found and run.

A detector is a function of a flight record and the settings. It returns an alert, several, or
None. The file's docstring says in one line what is wrong, the function's docstring is the page that
`fitguard explain CODE` shows.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import msgspec

from fitguard.checks.framework.declaring import import_all, read_texts, require_free
from fitguard.monitor.detectors.framework.settings import SETTINGS, Settings
from fitguard.monitor.detectors.framework.thinning import thin_record
from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.finding import SEVERITIES, Finding

_PACKAGE = "fitguard.monitor.detectors"


class Alert(Finding, frozen=True, kw_only=True):
    """A finding on a training that runs. `cause` is set by the detector's registration.

    Args:
        subject: What it is about where there are several: `GPU 1`.
        cause: That a crash would have; empty where none comes.
        numbers: What the evidence says, by name; units as in names of fields.
        act: Whether it is time to do something about it: memory is about to end.
    """

    subject: str = ""
    cause: str = ""
    numbers: dict[str, float] = msgspec.field(default_factory=dict)
    act: bool = False

    @property
    def text(self) -> str:
        """What was measured, in sentences."""
        return " ".join(one.text for one in self.evidence)


Verdict = Alert | Iterable[Alert] | None
DetectorFunction = Callable[[FlightRecord, Settings], Verdict]


@dataclass(frozen=True)
class Detector:
    """A declared detector.

    Args:
        cause: That a crash would have which it sees coming; empty for none.
        summary: One line: what is wrong when it finds something.
        page: Markdown: what it means, how it is judged, what to do, when it is wrong.
    """

    code: str
    slug: str
    cause: str
    function: DetectorFunction
    summary: str
    page: str


_declared: dict[str, Detector] = {}


def detector(
    code: str, slug: str, *, cause: str = ""
) -> Callable[[DetectorFunction], DetectorFunction]:
    """Declare a detector; a code or a slug that is taken fails at import time."""

    def declare(function: DetectorFunction) -> DetectorFunction:
        require_free(code, slug, _declared.values(), "4-5")
        _declared[code] = Detector(
            code=code,
            slug=slug,
            cause=cause,
            function=function,
            **read_texts(function)._asdict(),
        )
        return function

    return declare


@cache
def all_detectors() -> dict[str, Detector]:
    """Every detector, by code."""
    import_all(_PACKAGE)
    return dict(sorted(_declared.items()))


def detect(record: FlightRecord, settings: Settings = SETTINGS) -> list[Alert]:
    """What is wrong now with a training, the gravest first.

    Args:
        record: Of one attempt, up to now.
    """
    thinned = thin_record(record, settings.bucket_seconds)
    found = [
        msgspec.structs.replace(alert, code=one.code, slug=one.slug, cause=alert.cause or one.cause)
        for one in all_detectors().values()
        for alert in _list(one.function(thinned, settings))
    ]
    return sorted(found, key=lambda alert: (SEVERITIES.index(alert.severity), alert.code))


def _list(verdict: Verdict) -> list[Alert]:
    if verdict is None:
        return []
    return [verdict] if isinstance(verdict, Alert) else list(verdict)
