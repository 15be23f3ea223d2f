"""Runs probes, one after another: which, where, and what comes of them."""

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from fitguard.facts.interpreter import locate
from fitguard.probes.child import Ending, ProbeChild
from fitguard.probes.devices import ALL, Device, join, list_devices
from fitguard.probes.judging import is_wrong_result, judge
from fitguard.probes.rates import note_unknown_cards
from fitguard.probes.registry import Probe, select_probes
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.probe import STOPPED, TIME_UP, Level, ProbeReport, ProbeResult

_NO_GPU = (
    "No GPU is seen here, so everything was computed on the CPU. This says nothing about a GPU."
)
_NO_PROGRAM = (errno.ENOEXEC, errno.ENOENT, errno.EACCES)
_CORES_OF_AN_IMPORT = 3
_MOST_AHEAD = 4
Tell = Callable[[str, float, float], None]
"""Is told what runs now, which share of all is done, and how many seconds are left."""


class _Step(msgspec.Struct, frozen=True):
    """One probe on one device."""

    probe: Probe
    device: Device


def run_probes(
    *,
    level: Level = "quick",
    device: str = ALL,
    only: Sequence[str] = (),
    minutes: float | None = None,
    python: str | None = None,
    environment: Mapping[str, str] | None = None,
    tell: Tell = lambda *_: None,
    devices: Sequence[Device] | None = None,
    probes: Sequence[Probe] | None = None,
    ahead: int | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> ProbeReport:
    """Run the probes of a level, or the named ones.

    Args:
        device: `all`, or numbers of GPUs as nvidia-smi gives them.
        minutes: When no further probe is begun.
        python: The interpreter that trains; fitguard need not be installed there.
        devices: In place of those of this machine.
        probes: In place of those of the level.
        ahead: How many processes import TensorFlow while one probe runs; by default as many as the
            cores allow.
        stop: Asked again and again whether to leave out the rest.

    Raises:
        UsageError: for probes, devices or an interpreter that do not exist.
    """
    began = time.monotonic()
    environment = dict(os.environ if environment is None else environment)
    probes = select_probes(level, tuple(only)) if probes is None else probes
    path, _ = locate(python, environment)
    found = tuple(devices) if devices is not None else list_devices(device, environment)
    deadline = began + 60 * minutes if minutes is not None else None
    clock = _Clock(began, deadline, tell, stop)
    session = _Session(
        str(path), environment, level, clock, _choose_ahead() if ahead is None else ahead
    )
    results = tuple(session.run(_arrange(probes, found)))
    on_cpu = not found[0].is_gpu and any(result.status == "pass" for result in results)
    closed = tuple(device.closed for device in found if device.closed)
    return ProbeReport(
        level=level,
        python=str(path),
        tensorflow=session.tensorflow,
        devices=tuple(one.describe() for one in found),
        results=results,
        notes=(
            *closed,
            *note_unknown_cards(found),
            *note_left_out(probes, found),
            *((_NO_GPU,) if on_cpu else ()),
        ),
        seconds=round(time.monotonic() - began, 1),
    )


def _choose_ahead() -> int:
    """An import takes a core or two for seconds, and waits for the disk."""
    return min(max((os.cpu_count() or 1) // _CORES_OF_AN_IMPORT, 1), _MOST_AHEAD)


def _arrange(probes: Sequence[Probe], devices: Sequence[Device]) -> list[_Step]:
    """Device by device, then what takes all of them. Whether TensorFlow imports is asked once."""
    steps = [
        _Step(probe, device)
        for device in devices
        for probe in probes
        if not probe.several and (probe.gate != 1 or device is devices[0])
    ]
    together = join(devices)
    if together is not None:
        steps += [_Step(probe, together) for probe in probes if probe.several]
    return steps


def note_left_out(probes: Sequence[Probe], devices: Sequence[Device]) -> tuple[str, ...]:
    """That probes of several GPUs were not tried, where there is one."""
    names = [probe.name for probe in probes if probe.several]
    if not names or join(devices) is not None:
        return ()
    return (f"{' and '.join(names)} need several GPUs without MIG, and were not tried.",)


class _Clock(msgspec.Struct, frozen=True):
    """Tells how long it will still take."""

    began: float
    deadline: float | None
    tell: Tell
    stop: Callable[[], bool]

    def call_off(self) -> str:
        """Why nothing more is tried; empty where there is time."""
        if self.stop():
            return STOPPED
        is_up = self.deadline is not None and time.monotonic() >= self.deadline
        return TIME_UP if is_up else ""

    def show(self, what: str, done: Sequence[_Step], left: Sequence[_Step], share: float) -> None:
        """Of what is left, as long as it is said to take, at the pace of what is done."""
        was_said = sum(step.probe.seconds for step in done) + share * left[0].probe.seconds
        to_come = sum(step.probe.seconds for step in left) - share * left[0].probe.seconds
        taken = time.monotonic() - self.began
        pace = taken / was_said if done else 1.0
        seconds = to_come * pace
        if self.deadline is not None:
            seconds = min(seconds, max(0.0, self.deadline - time.monotonic()))
        self.tell(what, was_said / max(was_said + to_come, 1e-9), seconds)


class _Session:
    """All probes of one call. While one computes, the next ones import TensorFlow.

    Args:
        ahead: How many get ready meanwhile.
    """

    def __init__(
        self,
        python: str,
        environment: Mapping[str, str],
        level: Level,
        clock: _Clock,
        ahead: int,
    ) -> None:
        self._python = python
        self._environment = environment
        self._level = level
        self._clock = clock
        self._ahead = ahead
        self._closed: dict[str, str] = {}
        self.tensorflow = ""

    def run(self, steps: Sequence[_Step]) -> Iterator[ProbeResult]:
        with contextlib.ExitStack() as stack:
            ready: dict[int, ProbeChild] = {}
            for index, step in enumerate(steps):
                reason = self._explain_skip(step)
                if reason:
                    yield _skip(step, reason)
                    continue
                for number, coming in enumerate(steps[index : index + 1 + self._ahead], index):
                    if number not in ready and not self._explain_skip(coming):
                        ready[number] = stack.enter_context(self._start(coming))
                yield self._finish(step, ready[index], steps[:index], steps[index:])

    def _start(self, step: _Step) -> ProbeChild:
        try:
            return ProbeChild(
                step.probe, step.device, self._python, self._environment, level=self._level
            )
        except OSError as error:
            if error.errno not in _NO_PROGRAM:
                raise
            raise UsageError(
                f"Received --python {self._python}, which cannot be started: {error.strerror}. "
                "Expected a Python interpreter"
            ) from error

    def _finish(
        self, step: _Step, child: ProbeChild, done: Sequence[_Step], left: Sequence[_Step]
    ) -> ProbeResult:
        what = f"{step.probe.name} on {step.device.label}"
        self._clock.show(what, done, left, 0.0)
        with child:
            ending = child.run(
                lambda share, _: self._clock.show(what, done, left, share), self._clock.call_off
            )
        self.tensorflow = ending.tensorflow or self.tensorflow
        result = judge(step.probe, step.device, ending, self._repeat(step, ending))
        if step.probe.gate and result.status != "pass":
            self._close(step, result)
        return result

    def _repeat(self, step: _Step, ending: Ending) -> Ending | None:
        if not is_wrong_result(ending):
            return None
        with self._start(step) as child:
            repeated = child.run(call_off=self._clock.call_off)
        return None if repeated.called_off else repeated

    def _close(self, step: _Step, result: ProbeResult) -> None:
        """Where a gate fails on a GPU, the others have to be tried all the same."""
        why = result.detail if result.status == "skip" else f"{step.probe.name} did not pass."
        place = "" if step.probe.gate == 1 else step.device.label
        self._closed[place] = why

    def _explain_skip(self, step: _Step) -> str:
        if reason := self._clock.call_off():
            return reason
        if step.device.closed:
            return step.device.closed
        labels = ("", step.device.label, *(f"GPU {gpu.index}" for gpu in step.device.gpus))
        return next((self._closed[label] for label in labels if label in self._closed), "")


def _skip(step: _Step, reason: str) -> ProbeResult:
    return ProbeResult(name=step.probe.name, device=step.device.label, status="skip", detail=reason)
