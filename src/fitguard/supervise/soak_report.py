"""A soak that has ended, into results: one for each computation, one more where it died."""

import time
from collections.abc import Sequence

import msgspec

from fitguard.crash.explaining import Answer, Request, explain_in_child
from fitguard.monitor.heartbeat import BEGUN
from fitguard.monitor.regular_files import read_end, read_regular
from fitguard.monitor.run_folder import RunFolder
from fitguard.probes.devices import Device
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.probe import TIME_UP, ProbeReport, ProbeResult, Rate, Status
from fitguard.schema.run import Attempt, Run
from fitguard.supervise.soak_notes import WELL, describe_how, list_notes
from fitguard.supervise.soak_progress import Computation, SoakProgress, WrongBit, read_progress
from fitguard.supervise.surroundings import describe_surroundings
from fitguard.words import count, duration

SOAK = "soak"
_LOG_BYTES = 1 << 20
_SHOWN_LINES = 40
_REFERENCE, _SESSIONS = "reference", "sessions"
_AGAIN = {
    _REFERENCE: "the same wrong result when it was repeated",
    _SESSIONS: "another one than in an earlier session",
}
"""What is wrong only from now on was right before, or the references would have been wrong."""


def build_report(
    run: Run,
    folder: RunFolder,
    progress: SoakProgress | None,
    devices: Sequence[Device],
    python: str,
) -> ProbeReport:
    """What came of it.

    Args:
        devices: In the order in which TensorFlow numbers them.
    """
    results: list[ProbeResult] = []
    for one in progress.computations if progress is not None else ():
        results.append(_judge(one, progress, run, folder, _label(one.device, devices)))
    last = run.attempts[-1] if run.attempts else None
    if last is not None and last.outcome not in WELL:
        results.append(_judge_end(last, folder, devices[0].label))
    version = progress.identity.get("tensorflow", "") if progress is not None else ""
    return ProbeReport(
        level="long",
        python=python,
        tensorflow=str(version),
        devices=tuple(one.describe() for one in devices),
        results=tuple(results),
        notes=tuple(list_notes(run, progress, devices)),
        seconds=round(progress.seconds if progress is not None else run.seconds, 1),
    )


def _judge(
    one: Computation, progress: SoakProgress | None, run: Run, folder: RunFolder, label: str
) -> ProbeResult:
    wrong = progress.findings if progress is not None else ()
    found = [bit for bit in wrong if (bit.computation, bit.device) == (one.name, one.device)]
    if found:
        return _judge_wrong(one, found, run, folder, label)
    status: Status = "pass" if one.computations else "skip"
    done = f"{count(one.computations, 'computation')} of {one.size}, {_count_elements(one)}"
    stopped = "The soak stopped at the first wrong result." if wrong else TIME_UP
    detail = f"{done}: no bit was wrong." if one.computations else stopped
    if one.left_out and not one.computations:
        detail = f"{one.left_out.rstrip('.')}."
    return _build_result(one, label, status, detail)


def _judge_wrong(
    one: Computation, found: Sequence[WrongBit], run: Run, folder: RunFolder, label: str
) -> ProbeResult:
    first = found[0]
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(first.time))
    around = describe_surroundings(folder, first.time)
    after = duration(max(0.0, first.time - run.started))
    parts = [
        f"On {when}, {after} after the soak began: {first.text}.",
        *around,
    ]
    if first.kind != _SESSIONS:
        parts.append(f"Before that, {_count_elements(one)} of it were right.")
    if len(found) > 1:
        parts.append(f"After that, {count(len(found) - 1, 'more result was', 'more were')} wrong.")
    log = _read_log(folder) + _describe_wrong(first, label)
    answer = _explain_wrong(log, first, run)
    return msgspec.structs.replace(
        _build_result(one, label, "fail", " ".join(parts)),
        diagnosis=answer.diagnosis,
        log=_cut(log),
    )


def diagnose_wrong_bits(run: Run, folder: RunFolder) -> Diagnosis | None:
    """The cause of the first wrong bit that the soak found; None where it found none.

    Raises:
        UnreadableInput: where what it left cannot be read.
    """
    progress = read_progress(folder)
    if progress is None or not progress.findings:
        return None
    first = progress.findings[0]
    label = first.device.strip("/").replace(":", " ")
    return _explain_wrong(_read_log(folder) + _describe_wrong(first, label), first, run).diagnosis


def _describe_wrong(wrong: WrongBit, label: str) -> bytes:
    """The line by which its cause is known."""
    again = _AGAIN.get(wrong.kind, "another result when it was repeated")
    who = f"fitguard probe {wrong.computation} on {label}"
    return f"{who}: wrong result, {again}: {wrong.text}\n".encode()


def _explain_wrong(log: bytes, wrong: WrongBit, run: Run) -> Answer:
    attempt = next((a for a in run.attempts if a.number == wrong.attempt), None)
    return _explain(log, attempt)


def _judge_end(last: Attempt, folder: RunFolder, label: str) -> ProbeResult:
    """Its process died, which is a result."""
    begun = _read_begun(folder)
    moment = last.ended if last.ended is not None else time.time()
    during = f" while it computed {begun}" if begun else ""
    log, hung = _read_log(folder), last.outcome == "hung"
    if hung:
        quiet = f"no answer after {moment - last.started:.0f} s"
        log += f"fitguard probe {SOAK} on {label}: {quiet}\n".encode()
    answer = _explain(
        log,
        last,
        exit_code=None if hung else last.exit_code,
        signal=None if hung else last.signal,
    )
    raised = f" {last.evidence[0]}." if last.outcome == "exception" and last.evidence else ""
    xids = "".join(f" The kernel logged Xid {xid.number}." for xid in answer.xids[:3])
    around = "".join(f" {text}" for text in describe_surroundings(folder, moment))
    return ProbeResult(
        name=SOAK,
        device=label,
        status={"hung": "timeout", "exception": "fail"}.get(last.outcome, "crash"),  # type: ignore[arg-type]
        seconds=round(moment - last.started, 1),
        detail=f"Its process {describe_how(last)}{during}.{raised}{xids}{around}",
        diagnosis=answer.diagnosis,
        log=_cut(log),
    )


def _explain(
    log: bytes, attempt: Attempt | None, exit_code: int | None = None, signal: str | None = None
) -> Answer:
    now, clock = time.time(), time.monotonic()
    if attempt is None:
        return explain_in_child(Request(output=log))
    return explain_in_child(
        Request(
            output=log,
            exit_code=exit_code,
            signal=signal,
            since_seconds=max(0.0, clock - (now - attempt.started)),
            numbers={attempt.pid: clock} if attempt.pid else {},
        )
    )


def _build_result(one: Computation, label: str, status: Status, detail: str) -> ProbeResult:
    rate = one.elements / one.seconds if one.seconds > 0 else None
    rates = () if rate is None else (Rate(name=one.name, value=rate, unit="elements/s"),)
    return ProbeResult(
        name=one.name,
        device=label,
        status=status,
        seconds=round(one.seconds, 1),
        detail=detail,
        rates=rates,
    )


def _count_elements(one: Computation) -> str:
    return f"{one.elements:.3g} elements"


def _label(device: str, devices: Sequence[Device]) -> str:
    number = int(device.rpartition(":")[2])
    return devices[number].label if number < len(devices) else device


def _read_begun(folder: RunFolder) -> str:
    try:
        part = read_regular(folder.heartbeat)[BEGUN]
    except OSError:
        return ""
    return part.rstrip(b"\0").decode("utf-8", "replace")


def _read_log(folder: RunFolder) -> bytes:
    try:
        return read_end(folder.output, _LOG_BYTES)
    except OSError:
        return b""


def _cut(log: bytes) -> tuple[str, ...]:
    return tuple(log.decode("utf-8", "replace").splitlines()[-_SHOWN_LINES:])
