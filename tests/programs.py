"""Programs that tests start: as a shell does it in the foreground, whatever started the tests.

A background job of a shell has SIGINT and SIGQUIT ignored, one of `nohup` SIGHUP; pytest would pass
that on. And no program outlives its test: `conftest.py` ends what is still there.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

LONGEST_SECONDS = 300.0
"""More than anything takes that a test waits for, on a machine that has much else to do. What would
hang, hangs for longer."""
_LOOK_SECONDS = 0.02
_SIGNALS = (
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGHUP,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCHLD,
)
# Of /proc/PID/stat, counted from behind the name, which may hold anything.
_STATE, _SESSION = 0, 3
_DEAD = ("Z", "X")

_started: list[subprocess.Popen[Any]] = []
_Value = TypeVar("_Value")


@contextlib.contextmanager
def foreground_signals(ignored: Collection[int] = ()) -> Iterator[None]:
    """What is started meanwhile ignores these signals and no others."""
    before = {
        number: signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
        for number in _SIGNALS
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def start(
    command: Sequence[str], *, ignored: Collection[int] = (), **options: Any
) -> subprocess.Popen[Any]:
    """Start a program in a session of its own."""
    with foreground_signals(ignored):
        process = subprocess.Popen(command, start_new_session=True, **options)
    _started.append(process)
    return process


def end_all() -> None:
    """End what is left of the sessions that were started here."""
    while _started:
        process = _started.pop()
        for pid in left_of(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def left_of(session: int) -> list[int]:
    """The processes of a session that are alive."""
    found = []
    for folder in Path("/proc").iterdir():
        fields = _fields(folder) if folder.name.isdecimal() else None
        if fields and fields[_STATE] not in _DEAD and int(fields[_SESSION]) == session:
            found.append(int(folder.name))
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs; a dead one that nobody has reaped does not."""
    fields = _fields(Path("/proc") / str(pid))
    return fields is not None and fields[_STATE] not in _DEAD


def _fields(folder: Path) -> list[str] | None:
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def wait_for(condition: Callable[[], _Value], seconds: float = LONGEST_SECONDS) -> _Value:
    """Wait until a condition holds, and give what it gave."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(_LOOK_SECONDS)
    return value


def make_python(tmp_path: Path, body: str) -> str:
    """A Python whose `import tensorflow` does what the body says."""
    package = tmp_path / "tensorflow"
    package.mkdir()
    (package / "__init__.py").write_text(body)
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return str(script)
