"""The training process, from its start to its exit code.

It stays in our process group, so that the terminal behaves as always: Ctrl-C reaches it, and it may
read from the keyboard.

`PYTHONUNBUFFERED` is not set: plain Python buffers stdout in the same way where it is no terminal,
and scripts and their own children would see the variable. What explains a crash (tracebacks,
TensorFlow's log) goes to stderr, which is not held back.
"""

import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fitguard.supervise.channels import Channel

_KIBIBYTE = 1024


@dataclass(frozen=True)
class ExitStatus:
    """How the process ended.

    Args:
        exit_code: None where a signal ended it, or nobody knows.
        signal: `SIGSEGV`.
        peak_bytes: Its largest resident size.
    """

    exit_code: int | None = None
    signal: str | None = None
    peak_bytes: int = 0

    @property
    def shell_code(self) -> int:
        """What a shell would tell: 139 for SIGSEGV."""
        if self.signal is not None:
            return 128 + _number_signal(self.signal)
        return 1 if self.exit_code is None else self.exit_code


class Child:
    """A process that was started here, and only by this thread is waited for.

    The kernel ends it when the *thread* that started it ends: call `start` from one that stays.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._exit_status: ExitStatus | None = None

    @classmethod
    def start(
        cls,
        argv: Sequence[str],
        environment: Mapping[str, str],
        channels: Sequence[Channel],
        shared: tuple[int, int] | None = None,
    ) -> "Child":
        """Start it; the ends of the channels that it writes to are closed here.

        Args:
            shared: Number of a file that it gets, and the number that it gets it under.

        Raises:
            OSError: where it cannot be started.
        """
        moves = [
            (os.POSIX_SPAWN_DUP2, channel.theirs, number)
            for channel in channels
            for number in channel.feeds
        ]
        if shared is not None:
            moves.append((os.POSIX_SPAWN_DUP2, *shared))
        try:
            pid = os.posix_spawn(
                argv[0],
                list(argv),
                dict(environment),
                file_actions=moves,
                # Ours are blocked while we wait for them; Python ignores these two for itself.
                setsigmask=(),
                setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
            )
        finally:
            for channel in channels:
                os.close(channel.theirs)
        return cls(pid)

    def poll(self) -> ExitStatus | None:
        """How it ended; None while it runs."""
        if self._exit_status is None:
            try:
                pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else in this process waited for it
                self._exit_status = ExitStatus()
            else:
                peak_bytes = usage.ru_maxrss * _KIBIBYTE
                self._exit_status = _read_status(status, peak_bytes) if pid else None
        return self._exit_status

    def send(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(OSError):
                os.kill(self.pid, number)

    def ignores(self, number: int) -> bool:
        """Whether a signal would do nothing to it."""
        ignored = read_status(self.pid, "SigIgn")
        return bool(ignored) and bool(int(ignored, 16) >> (number - 1) & 1)

    @property
    def state(self) -> str:
        """As the kernel tells it: R, S, D (waits for a device), T (stopped)."""
        return read_state(self.pid)


def read_state(pid: int) -> str:
    """The state of a process; empty where there is none."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return line.rpartition(")")[2].split()[0]


def read_status(pid: int, name: str) -> str:
    """One line of what the kernel tells of a process; empty where there is none."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return line.partition(":")[2].strip()
    return ""


def _read_status(status: int, peak_bytes: int) -> ExitStatus:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return ExitStatus(exit_code=code, peak_bytes=peak_bytes)
    return ExitStatus(signal=_name_signal(-code), peak_bytes=peak_bytes)


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def _number_signal(name: str) -> int:
    try:
        return int(signal.Signals[name])
    except KeyError:
        return int(name.removeprefix("SIG"))
