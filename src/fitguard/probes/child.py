"""One probe in its process: limits of time and memory, progress, and what it told."""

import contextlib
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from fitguard.facts import host
from fitguard.facts.child_process import Outcome, Program
from fitguard.facts.processes import shares_kernel_numbers
from fitguard.monitor.sampling.sampler import Sampler
from fitguard.probes.devices import Device
from fitguard.probes.registry import MAIN, Probe
from fitguard.schema.probe import Level
from fitguard.words import size

FAULT = "FITGUARD_PROBE_FAULT"
"""For tests: see `target/faults.py`."""
START_LIMIT_SECONDS = 300.0
"""For Python and TensorFlow to start: on a cold disk that can take minutes."""
_SHARE_OF_FREE = 0.8
_LOG_LINES = 400
_LONGEST_LINE = 4000
_MOST_ANSWERS_BYTES = 16 * 2**20

Told = dict[str, Any]


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of a probe.

    Args:
        told: The last word of the probe itself, `status` and `detail`; empty where it died first.
        rates: What it measured, as it told them.
        tensorflow: Its version; empty where it was not imported.
        began: Whether the probe had begun when it ended.
        called_off: Why it was not let come to its end; empty where it was.
        stopped: Why its process was stopped; empty where it ended itself.
        timed_out: Whether that was for its time.
        since_seconds: When it was started, by `time.monotonic`.
        numbers: Of its processes and threads, as the kernel log names them.
        measured: What NVML and the host told of it last, by column.
    """

    told: Told
    rates: tuple[Told, ...]
    tensorflow: str
    began: bool
    seconds: float
    exit_code: int | None
    called_off: str
    stopped: str
    timed_out: bool
    log: bytes
    since_seconds: float
    numbers: dict[int, float]
    measured: dict[str, float | None]

    @property
    def signal(self) -> str | None:
        """What ended it, where a signal did, and not ours."""
        ours = self.stopped or self.called_off
        if ours or self.exit_code is None or self.exit_code >= 0:
            return None
        with contextlib.suppress(ValueError):
            return signal.Signals(-self.exit_code).name
        return f"SIG{-self.exit_code}"


class ProbeChild:
    """Starts at once and gets ready; `run` lets it begin.

    Use it as a context: what is left of it at the end is killed.

    Args:
        python: The interpreter that trains.
        options: What the probe is told besides.

    Raises:
        OSError: where it cannot be started.
    """

    def __init__(
        self,
        probe: Probe,
        device: Device,
        python: str,
        environment: Mapping[str, str],
        *,
        level: Level = "quick",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._probe = probe
        # It has no name, so nothing is left of it, however we end.
        self._answers = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        number = self._answers.fileno()
        told = {
            "probe": probe.name,
            "answers": f"/dev/fd/{number}",
            "device": "GPU" if device.is_gpu else "CPU",
            "logical_devices": device.count,
            "level": level,
            "fault": environment.get(FAULT, ""),
            **probe.options,
            **(options or {}),
        }
        variables = {**environment, **probe.environment, **device.environment}
        # The Python stack of a crash is often the only word left.
        variables["PYTHONFAULTHANDLER"] = "1"
        self._started = time.monotonic()
        self._began: float | None = None
        self._stopped = ""
        self._called_off = ""
        self._limit_bytes = _limit_memory(probe)
        self._position = 0
        self._lines: list[Told] = []
        try:
            self._program = Program(
                [python, str(MAIN), json.dumps(told)], variables, stdin=True, shared=(number,)
            )
        except OSError:
            self._answers.close()
            raise
        self._sampler = Sampler(self._program.process.pid)

    def __enter__(self) -> "ProbeChild":
        return self

    def __exit__(self, *_: object) -> None:
        if self._program.process.poll() is None:
            self._program.kill()
            with contextlib.suppress(OSError):
                self._program.process.wait()
        self._answers.close()

    def run(
        self,
        tell: Callable[[float, str], None] = lambda _, __: None,
        call_off: Callable[[], str] = str,
    ) -> Ending:
        """Let it begin, and stay with it to its end.

        Args:
            tell: Is told how far it is, 0 to 1, and with what.
            call_off: Gives a reason where it is to be stopped now.
        """
        self._sampler.start()
        stdin = self._program.process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError):  # it may have died already
            stdin.write(b"go\n")
            stdin.close()
        asked = time.monotonic()
        whole = START_LIMIT_SECONDS + self._probe.limit_seconds + 1
        outcome = self._program.follow(whole, lambda: self._must_stop(asked, tell, call_off))
        self._sampler.stop()
        self._read_answers()
        # Of the first gate, the import itself is what counts.
        began = self._started if self._probe.gate == 1 else self._began or asked
        return self._conclude(outcome, time.monotonic() - began)

    def _must_stop(
        self, asked: float, tell: Callable[[float, str], None], call_off: Callable[[], str]
    ) -> bool:
        for line in self._read_answers():
            if "began" in line:
                self._began = time.monotonic()
            if "progress" in line:
                tell(float(line["progress"]), str(line.get("text", "")))
        now = time.monotonic()
        if self._began is None and now - asked > START_LIMIT_SECONDS:
            self._stopped = f"TensorFlow was not imported after {START_LIMIT_SECONDS:.0f} s"
        elif self._began is not None and now - self._began > self._probe.limit_seconds:
            self._stopped = f"no answer after {self._probe.limit_seconds:g} s"
        used = self._sampler.latest.get("host_bytes") or 0
        if used > self._limit_bytes:
            self._stopped = (
                f"it took {size(int(used))} of the host's memory, and was given "
                f"{size(self._limit_bytes)}"
            )
        self._called_off = call_off()
        return bool(self._stopped or self._called_off)

    def _read_answers(self) -> list[Told]:
        """The lines that are new and whole."""
        content = os.pread(self._answers.fileno(), _MOST_ANSWERS_BYTES, self._position)
        whole = content[: content.rfind(b"\n") + 1]
        self._position += len(whole)
        lines = []
        for line in whole.splitlines():
            with contextlib.suppress(ValueError):
                decoded = json.loads(line)
                lines += [decoded] if isinstance(decoded, dict) else []
        self._lines += lines
        return lines

    def _conclude(self, outcome: Outcome, seconds: float) -> Ending:
        told = [line for line in self._lines if "status" in line]
        timed_out = bool(self._stopped) and "of the host's memory" not in self._stopped
        versions = [str(line["tensorflow"]) for line in self._lines if "tensorflow" in line]
        return Ending(
            told=told[-1] if told else {},
            rates=tuple(line["rate"] for line in self._lines if "rate" in line),
            tensorflow=versions[-1] if versions else "",
            began=any("began" in line for line in self._lines),
            seconds=round(seconds, 2),
            exit_code=outcome.exit_code,
            called_off="" if told or self._stopped else self._called_off,
            stopped="" if told else self._stopped,
            timed_out=timed_out and not told,
            log=_cut(outcome.stdout + outcome.stderr),
            since_seconds=self._started,
            numbers=dict(self._sampler.numbers) if shares_kernel_numbers() else {},
            measured=dict(self._sampler.latest),
        )


def _limit_memory(probe: Probe) -> int:
    """What its process may take of the host, so that the kernel never has to choose a victim."""
    found = host.read()
    free = [found.available_bytes] if found.available_bytes else []
    if found.cgroup_limit_bytes is not None:
        free.append(max(0, found.cgroup_limit_bytes - (found.cgroup_used_bytes or 0)))
    return min([probe.memory_bytes, *(int(one * _SHARE_OF_FREE) for one in free)])


def _cut(log: bytes) -> bytes:
    lines = log.splitlines()[-_LOG_LINES:]
    return b"\n".join(line[:_LONGEST_LINE] for line in lines) + (b"\n" if lines else b"")
