"""A diagnosis in its parts: the verdict, the causes behind it, what is harmless."""

from fitguard.report.words import count
from fitguard.schema.diagnosis import Diagnosis, FoundCause

UNDECIDED = "Nothing here decides"
CHANGES_RESULTS = "This fix changes the results of training."


def primary(diagnosis: Diagnosis) -> FoundCause | None:
    """The cause that the evidence decides for."""
    return diagnosis.causes[0] if diagnosis.primary and diagnosis.causes else None


def others(diagnosis: Diagnosis) -> tuple[FoundCause, ...]:
    """The causes that are less likely, or merely possible where nothing decides."""
    return diagnosis.causes[1:] if primary(diagnosis) else diagnosis.causes


def others_title(diagnosis: Diagnosis) -> str:
    """What the others are."""
    return "Less likely" if primary(diagnosis) else "Possible causes"


def questions_title(diagnosis: Diagnosis) -> str:
    """What the questions are for."""
    if primary(diagnosis):
        return "If the run died all the same, these facts would tell"
    return "These facts would decide, the most telling first"


def told(found: FoundCause) -> str:
    """`gpu-oom: The GPU has too little memory.`"""
    return f"{found.cause}: {found.summary}" if found.summary else found.cause


def tone(diagnosis: Diagnosis) -> str:
    """error, fine or warning, as the pages colour it."""
    if diagnosis.primary in (None, "unknown"):
        return "warning"
    return "fine" if diagnosis.primary == "none" else "error"


def sureness(found: FoundCause) -> str:
    """`high confidence`."""
    return f"{found.confidence} confidence"


def harmless_lines(diagnosis: Diagnosis) -> str:
    """`6 lines`, of all kinds of noise."""
    return count(sum(noise.count for noise in diagnosis.noise), "line")


def lines_read(diagnosis: Diagnosis) -> str:
    """`1,204 lines read`."""
    return f"{count(diagnosis.lines, 'line')} read"
