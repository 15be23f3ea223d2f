"""How a probe ended, into a result with a cause."""

import re

import msgspec

from fitguard.crash.explaining import Request, explain_in_child
from fitguard.probes.child import Ending
from fitguard.probes.devices import Device
from fitguard.probes.rates import judge_rates
from fitguard.probes.registry import Probe
from fitguard.schema.probe import ProbeResult, Status
from fitguard.words import one_line

_SHOWN_LINES = 40
_NO_TENSORFLOW = re.compile("No module named '?tensorflow'?[.]?$")
_INSTALL = "This Python has no TensorFlow. Install it there, or name another Python with --python."

WRONG_RESULT = "wrong-result"
AGAIN = "the same wrong result when it was repeated"
EARLY = "before TensorFlow was imported"
CHANGING = "another result when it was repeated"


def judge(
    probe: Probe, device: Device, ending: Ending, repeated: Ending | None = None
) -> ProbeResult:
    """What came of a probe.

    Args:
        repeated: How it ended when it was run again, after a wrong result: a fault of the hardware
            seldom gives the same wrong number twice, and one of the software does.
    """
    status, detail = _find_status(ending)
    remark = "" if repeated is None else _compare(ending, repeated)
    result = ProbeResult(
        name=probe.name,
        device=device.label,
        status=status,
        seconds=ending.seconds,
        detail=f"{detail} It gave {remark}." if remark else detail,
        rates=judge_rates(ending.rates, device, ending.measured),
    )
    if not result.failed:
        return result
    line = _describe_for_log(probe, device, ending, detail, remark)
    log = ending.log + line.encode("utf-8", "replace") + b"\n"
    answer = explain_in_child(
        Request(
            output=log,
            exit_code=None if ending.stopped or ending.told else ending.exit_code or None,
            signal=ending.signal,
            since_seconds=ending.since_seconds,
            numbers=ending.numbers,
            own_gpus=_list_own_gpus(device),
        )
    )
    xids = "".join(f" The kernel logged Xid {xid.number}." for xid in answer.xids[:3])
    shown = log.decode("utf-8", "replace").splitlines()[-_SHOWN_LINES:]
    return msgspec.structs.replace(
        result, detail=result.detail + xids, diagnosis=answer.diagnosis, log=tuple(shown)
    )


def is_wrong_result(ending: Ending) -> bool:
    """Whether something was computed, and it was wrong."""
    return ending.told.get("kind") == WRONG_RESULT


def _find_status(ending: Ending) -> tuple[Status, str]:
    if ending.called_off:
        return "skip", ending.called_off
    if ending.told:
        status: Status = ending.told["status"]
        detail = _end_sentence(str(ending.told.get("detail", "")))
        missing = not ending.tensorflow and _NO_TENSORFLOW.search(detail)
        return status, f"{detail} {_INSTALL}" if missing else detail
    if ending.stopped:
        status = "timeout" if ending.timed_out else "fail"
        return status, _end_sentence(f"It was stopped: {ending.stopped}")
    if ending.signal:
        how = f"was ended by {ending.signal}"
    else:
        how = f"ended with exit code {ending.exit_code}"
    if not ending.tensorflow:
        return "crash", f"Its process {how} {EARLY}."
    return "crash", f"Its process {how}."


def _compare(first: Ending, second: Ending) -> str:
    same = is_wrong_result(second) and first.told.get("detail") == second.told.get("detail")
    return AGAIN if same else CHANGING


def _describe_for_log(
    probe: Probe, device: Device, ending: Ending, detail: str, remark: str
) -> str:
    """A line for `explain`, which knows it by its signature."""
    where = f"fitguard probe {probe.name} on {device.label}"
    if remark:
        return f"{where}: wrong result, {remark}: {detail}"
    if not ending.told and not ending.tensorflow and not ending.signal and not ending.stopped:
        return f"{where}: it ended by itself {EARLY}"
    if ending.timed_out:
        return f"{where}: {ending.stopped}"
    if ending.stopped:
        return f"{where}: stopped, because {ending.stopped}"
    return f"{where}: {detail}"


def _list_own_gpus(device: Device) -> tuple[str, ...]:
    """The addresses of those that nobody else used when probing began."""
    return tuple(
        gpu.pci_address for gpu in device.gpus if gpu.pci_address and gpu.processes in ((), None)
    )


def _end_sentence(text: str) -> str:
    text = one_line(text).rstrip(": ")
    text = text[:1].upper() + text[1:]
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."
