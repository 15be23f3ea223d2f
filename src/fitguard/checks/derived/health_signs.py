"""Signs that a GPU is not well: what NVML counts, and what the kernel log says."""

from collections.abc import Iterable, Iterator

import msgspec

from fitguard.knowledge import Knowledge
from fitguard.knowledge.xids import XidMeaning
from fitguard.schema.finding import Confidence, Evidence, Severity
from fitguard.schema.hardware import Gpu, Xid

# A solo Xid 45 is what a killed program leaves; 154 only announces the action of another one.
_TELL_NOTHING_ALONE = {45, 154}
# Contained: the GPU lives on and only the program died, but the memory did fail.
_MEMORY_FAILED = {94}
_GRAVE_ACTIONS = {
    "RESET_GPU",
    "RESTART_BM",
    "RESTART_VM",
    "CONTACT_SUPPORT",
    "CHECK_MECHANICALS",
    "WORKFLOW_XID_48",
}
_RESET = "Stop all programs on it and reset it, or restart the machine."
_DO = {
    "RESET_GPU": _RESET,
    "RESTART_BM": "Restart the machine; if it comes back, check power, seating and cooling.",
    "RESTART_VM": "Restart the virtual machine.",
    "CHECK_MECHANICALS": "Check the power cables and the seating of the card.",
    "WORKFLOW_XID_48": f"{_RESET} If it comes back, have the card replaced.",
    "RESTART_APP": "Start the program again.",
    "CONTACT_SUPPORT": "Contact the vendor of the machine or the card.",
    "UPDATE_SWFW": "Update the driver and the firmware.",
}


class Sign(msgspec.Struct, frozen=True, kw_only=True):
    """One sign: what it means, what shows it, what to do."""

    severity: Severity
    meaning: str
    evidence: Evidence
    remedy: str
    confidence: Confidence = "high"


def has_health_answers(gpu: Gpu) -> bool:
    """Whether the driver said anything of this GPU's health."""
    answers = (gpu.problem, gpu.ecc_uncorrected, gpu.retired_pages, gpu.remapped_rows_failed)
    return gpu.origin == "NVML" or any(answer is not None for answer in answers)


def collect_counter_signs(gpu: Gpu) -> Iterator[Sign]:
    """What NVML counts on a GPU, the gravest first."""

    def sign(severity: Severity, meaning: str, remedy: str) -> Sign:
        evidence = Evidence(f"GPU {gpu.index}: {meaning}", gpu.origin)
        return Sign(severity=severity, meaning=meaning, evidence=evidence, remedy=remedy)

    if gpu.problem:
        yield sign("error", f"is lost: {gpu.problem}", _DO["RESTART_BM"])
    if gpu.remapped_rows_failed:
        yield sign("error", "could not replace failed memory rows", _DO["CONTACT_SUPPORT"])
    if gpu.ecc_uncorrected:
        count = f"{gpu.ecc_uncorrected} uncorrected memory errors (ECC)"
        yield sign("error", f"had {count} since the driver was loaded", _RESET)
    if gpu.retirement_pending:
        yield sign("error", "has failed memory pages that wait to be retired", _RESET)
    if gpu.recovery_action not in (None, "none"):
        severity: Severity = "warning" if str(gpu.recovery_action).startswith("drain") else "error"
        yield sign(severity, f"asks for a recovery: {gpu.recovery_action}", _RESET)
    if gpu.remapped_rows_pending:
        yield sign("warning", "has memory rows that wait to be replaced", _RESET)
    if _format_past_errors(gpu):
        yield sign(
            "info",
            f"had memory errors in the past: {_format_past_errors(gpu)}",
            "Keep an eye on it.",
        )


def _format_past_errors(gpu: Gpu) -> str:
    """Errors of the past that the GPU has dealt with."""
    past = []
    if gpu.ecc_uncorrected_lifetime and not gpu.ecc_uncorrected:
        past.append(f"{gpu.ecc_uncorrected_lifetime} uncorrected in its life")
    if gpu.retired_pages and not gpu.retirement_pending:
        past.append(f"{gpu.retired_pages} pages retired")
    return ", ".join(past)


def collect_log_signs(xids: Iterable[Xid], knowledge: Knowledge) -> Iterator[Sign]:
    """What the kernel log says of a GPU, one sign for each number, the newest line quoted."""
    by_number: dict[int, list[Xid]] = {}
    for xid in xids:
        by_number.setdefault(xid.number, []).append(xid)
    for number, lines in by_number.items():
        meaning = knowledge.xids.find(number)
        severity = _severity(number, meaning)
        if severity is None:
            continue
        name = meaning.name if meaning else "not in the catalog as fitguard knows it"
        whose = "a program's fault: " if _by_program(meaning) else ""
        times = f" ({len(lines)} times)" if len(lines) > 1 else ""
        newest = lines[-1]
        yield Sign(
            severity=severity,
            meaning=f"logged {whose}Xid {number}, {name}{times}",
            evidence=Evidence(newest.text, newest.source, newest.line),
            remedy=_remedy(meaning),
            confidence="high" if severity != "warning" else "medium",
        )


def _severity(number: int, meaning: XidMeaning | None) -> Severity | None:
    if number in _TELL_NOTHING_ALONE:
        return None
    if number in _MEMORY_FAILED or meaning is None:
        return "warning"
    if meaning.action in _GRAVE_ACTIONS:
        # The catalogue gives this action by default to numbers that drivers no longer use.
        return "warning" if "Unused" in meaning.note else "error"
    if meaning.action == "IGNORE":
        return None
    return "info" if meaning.action == "RESTART_APP" else "warning"


def _by_program(meaning: XidMeaning | None) -> bool:
    return meaning is not None and meaning.action == "RESTART_APP" and "user-app" in meaning.causes


def _remedy(meaning: XidMeaning | None) -> str:
    if meaning is None or not meaning.action:
        return "Look it up in NVIDIA's Xid catalog."
    if _by_program(meaning):
        return "Most often the program did it, not the GPU: an index out of range, say."
    return _DO.get(meaning.action) or f"NVIDIA's advice: {meaning.action_text}."
