"""The GPUs are probed before a training starts again that may have died of them."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping

import msgspec

from fitguard.clean_start import words_to_run
from fitguard.environment.machine import MachineView, view_machine
from fitguard.facts.child_process import Program
from fitguard.monitor.journal import now
from fitguard.probes.fault_request import AT_ONCE, Request, join_lines
from fitguard.schema.journal import Orders, Probed
from fitguard.schema.probe import ProbeReport
from fitguard.supervise.desk import Desk
from fitguard.supervise.pausing import Asked, Pause
from fitguard.supervise.sick_gpus import find_failures
from fitguard.words import count, duration, one_line

_MODULE = "fitguard.probes.after_fault"
_NO_ANSWER = "The probes gave no answer."


def probe_before_restart(desk: Desk, orders: Orders, cause: str) -> ProbeReport | Asked:
    """Try the GPUs of a training that may have died of them, and tell what comes of it."""
    environment = {**desk.environment, **orders.environment}
    machine = view_machine(environment)
    desk.say(_describe_plan(machine, cause))
    report = probe_again(desk, environment, machine)
    if not isinstance(report, str):
        event = build_event(report, orders.attempt)
        desk.say(event.text)
        desk.record.add(event)
    return report


def probe_again(
    desk: Desk, environment: Mapping[str, str], machine: MachineView
) -> ProbeReport | Asked:
    """What the quick probes find; or what somebody wants of the run meanwhile.

    Args:
        environment: Of the training.
    """
    rounds = -(-max(len(machine.gpus), 1) // AT_ONCE)
    limit_seconds = desk.options.probe_seconds * rounds
    request = Request(python=desk.command.python, environment=dict(environment))
    pause, began = Pause(desk), time.monotonic()
    try:
        program = Program([sys.executable, *words_to_run(_MODULE)], os.environ, stdin=True)
    except OSError as error:
        return ProbeReport(notes=(f"The probes could not be started: {error.strerror}.",))
    stdin = program.process.stdin
    assert stdin is not None
    with contextlib.suppress(OSError):  # it may have died already
        stdin.write(msgspec.json.encode(request))
        stdin.close()
    outcome = program.follow(limit_seconds, lambda: pause(0.0) is not None)
    if asked := pause(0.0):
        return asked
    problem = f"No answer after {duration(limit_seconds)}." if outcome.timed_out else ""
    seconds = time.monotonic() - began
    report = join_lines(outcome.stdout, problem=problem, seconds=seconds)
    if not report.results and not report.notes:
        return msgspec.structs.replace(report, notes=(_NO_ANSWER,))
    return report


def _describe_plan(machine: MachineView, cause: str) -> str:
    """What happens now, before it does."""
    where = _list([f"GPU {gpu.index}" for gpu in machine.gpus]) or "the processor"
    return f"probes {where} before the training starts again, because of {cause}."


def build_event(report: ProbeReport, attempt: int) -> Probed:
    """For the journal, and for the user."""
    failed = tuple(find_failures(report))
    return Probed(
        time=now(),
        attempt=attempt,
        text=" ".join(_describe(report)),
        failed=failed,
        seconds=report.seconds,
    )


def _describe(report: ProbeReport) -> Iterator[str]:
    failures = find_failures(report)
    for label, result in failures.items():
        yield f"{label} fails the probe {result.name}: {one_line(result.detail)}"
    known = [device.label for device in report.devices if device.label not in failures]
    tried = {result.device for result in report.results if result.status == "pass"}
    undecided = {result.device for result in report.failures}
    sound = [label for label in known if label in tried and label not in undecided]
    if sound:
        verb = "computes" if len(sound) == 1 else "compute"
        passed = sum(r.status == "pass" and r.device in sound for r in report.results)
        took = duration(report.seconds)
        yield f"{_list(sound)} {verb} correctly ({count(passed, 'probe')} in {took})."
    for label in known:
        if label not in sound:
            yield f"{label} could not be probed: {_explain_open(report, label)}"
    yield from report.notes


def _explain_open(report: ProbeReport, label: str) -> str:
    told = [result for result in report.results if result.device == label]
    told.sort(key=lambda result: not result.failed)
    return one_line(told[0].detail) if told else _NO_ANSWER


def _list(labels: list[str]) -> str:
    if len(labels) < 2:
        return "".join(labels)
    return f"{', '.join(labels[:-1])} and {labels[-1]}"
