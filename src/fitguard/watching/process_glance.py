"""One look at a process that nobody guards: what can be measured of it from outside."""

import os
import pwd
import tempfile
import time
from pathlib import Path

from fitguard.facts.processes import Process, find_alive, find_process
from fitguard.monitor.detectors.framework.registry import detect
from fitguard.monitor.flight_record import read_flight_records
from fitguard.monitor.journal import now
from fitguard.monitor.sampling.sampler import Sampler
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.run import RunAlert
from fitguard.schema.watch import Watch
from fitguard.watching.kept import Kept

UNGUARDED = (
    "fitguard does not guard this process: steps, loss, output and what TensorFlow's allocator "
    "holds cannot be seen from outside. `fitguard run train.py` shows them."
)
_FIRST_SECONDS = 3.0
_DETECT_SECONDS = 10.0
_PACE_SECONDS = 5.0
_OF_ALERT = {*RunAlert.__struct_fields__} - {"time", "attempt", "place"}
_ROOT = 0


class ProcessGlance:
    """Measures a process and its descendants.

    Args:
        pid: Of a process of yours.

    Raises:
        UsageError: where there is none, or it is another user's.
    """

    def __init__(self, pid: int) -> None:
        process = find_process(pid)
        if process is None or not find_alive([process]):
            raise UsageError(
                f"Received {pid}, but no process has this number. Expected that of a process that "
                "runs: `ps -C python` and `nvidia-smi` list them"
            )
        _require_own(pid)
        self._process: Process = process
        self._command = _read_command(pid)
        self._started = now() - _read_age(process)
        self._missing: list[str] = []
        self._folder = tempfile.TemporaryDirectory(prefix="fitguard-watch-")
        self._record = Path(self._folder.name) / "parent.record"
        self._sampler = Sampler(pid, self._record)
        self._alerts = Kept(self._detect, _DETECT_SECONDS)

    def look(self) -> Watch:
        """What is known now."""
        if self._sampler.ident is None:
            self._sampler.start()
            _wait_for_first(self._sampler)
        alive = bool(find_alive([self._process]))
        self._missing += self._sampler.take_missing()
        values = {name: one for name, one in self._sampler.latest.items() if one is not None}
        values.pop("attempt", None)
        if not alive:
            self._sampler.stop()
        time_now = now()
        return Watch(
            time=time_now,
            command=self._command,
            state="running" if alive else "ended",
            started=self._started,
            seconds=time_now - self._started,
            pid=self._process.pid,
            measured=time_now if values else None,
            values=values,
            alerts=self._alerts.get(),
            missing=(UNGUARDED, *(f"{sentence}." for sentence in self._missing)),
        )

    def close(self) -> None:
        """No more looks; what was measured goes."""
        if self._sampler.ident is not None:
            self._sampler.stop()
        self._folder.cleanup()

    def _detect(self) -> tuple[RunAlert, ...]:
        record = read_flight_records([self._record], pace=_PACE_SECONDS)
        return tuple(
            RunAlert(time=now(), attempt=0, **{name: getattr(alert, name) for name in _OF_ALERT})
            for alert in detect(record)
        )


def _require_own(pid: int) -> None:
    owner = Path(f"/proc/{pid}").stat().st_uid
    if os.geteuid() not in (owner, _ROOT):
        try:
            name = pwd.getpwuid(owner).pw_name
        except KeyError:
            name = f"user {owner}"
        raise UsageError(
            f"Received {pid}, which is a process of {name}. Expected one of yours: the kernel "
            "does not show you enough of others"
        )


def _read_command(pid: int) -> tuple[str, ...]:
    content = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    return tuple(content.rstrip("\0").split("\0"))


def _read_age(process: Process) -> float:
    """Seconds since it was started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - process.started / os.sysconf("SC_CLK_TCK")


def _wait_for_first(sampler: Sampler) -> None:
    """The first look should not be empty; a process that ends meanwhile has no sample."""
    deadline = time.monotonic() + _FIRST_SECONDS
    while not sampler.taken and time.monotonic() < deadline:
        time.sleep(0.02)
