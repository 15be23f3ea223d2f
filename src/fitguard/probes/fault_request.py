"""What a guarded run asks of the process that probes its GPUs, and what that tells.

Apart from `after_fault.py`, so that the process that asks stays small.
"""

import msgspec

from fitguard.schema.probe import ProbedDevice, ProbeReport, ProbeResult

AT_ONCE = 4
"""GPUs; each has two processes with TensorFlow, which take memory of the host."""
_FIRST = ("import-tensorflow", "list-devices")
"""Where one of these does not end, that may be the disk, or a driver that just starts."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What to probe.

    Args:
        python: The interpreter that trains.
        environment: Its variables: they say which GPUs it sees.
    """

    python: str
    environment: dict[str, str]


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What runs on a device now, or what came of it.

    Args:
        device: Its label.
        running: The name of a probe.
    """

    device: str
    running: str = ""
    report: ProbeReport | None = None


def join_lines(written: bytes, *, problem: str, seconds: float) -> ProbeReport:
    """What was told, as one report.

    Args:
        problem: Why the process was stopped; empty where it ended itself. What ran then has hung.
    """
    running: dict[str, str] = {}
    reports: dict[str, ProbeReport] = {}
    for line in written.splitlines():
        try:
            told = msgspec.json.decode(line, type=Line)
        except msgspec.MsgspecError:
            continue
        if told.report is not None:
            reports[told.device] = told.report
        elif told.running:
            running[told.device] = told.running
    hung = {
        label: name
        for label, name in running.items()
        if problem and label not in reports and name not in _FIRST
    }
    results = [result for report in reports.values() for result in report.results]
    results += [
        ProbeResult(name=name, device=label, status="timeout", detail=problem)
        for label, name in hung.items()
    ]
    devices = [device for report in reports.values() for device in report.devices]
    devices += [ProbedDevice(label=label) for label in hung]
    return ProbeReport(
        devices=tuple(devices),
        results=tuple(results),
        notes=(problem,) if problem and not hung else (),
        seconds=round(seconds, 1),
    )
