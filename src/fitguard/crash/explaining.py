"""Why an attempt died: asked of `explain`, in a process of its own.

The tables, the log and the matching take more memory than this parent should ever hold, and a log
is hostile input: what goes wrong there costs the diagnosis, not the run.

    python clean_start.py fitguard.crash.explaining < request > answer
"""

import subprocess
import sys
from collections.abc import Iterable

import msgspec

from fitguard.clean_start import words_to_run
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.hardware import Xid

LIMIT_SECONDS = 60.0


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of an attempt.

    Args:
        output: The end of what it wrote.
        since_seconds: When it began, by `time.monotonic`, which the kernel's log goes by.
        numbers: Of its processes and threads, as that log names them, with the time when each was
            last seen; empty where nobody knows.
        own_gpus: Addresses of GPUs that it had for itself; see `select_own_lines`.
        measured: What the flight record tells of its last minutes.
    """

    output: bytes
    exit_code: int | None = None
    signal: str | None = None
    since_seconds: float = 0.0
    numbers: dict[int, float] = {}
    own_gpus: tuple[str, ...] = ()
    measured: tuple[str, ...] = ()


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What it died of.

    Args:
        xids: Faults of GPUs that the kernel logged meanwhile.
    """

    diagnosis: Diagnosis = Diagnosis()
    xids: tuple[Xid, ...] = ()


def explain_in_child(request: Request, limit_seconds: float = LIMIT_SECONDS) -> Answer:
    """The answer; an empty one where none could be had in time."""
    try:
        done = subprocess.run(
            [sys.executable, *words_to_run(__name__)],
            input=msgspec.json.encode(request),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limit_seconds,
            check=True,
        )
        return msgspec.json.decode(done.stdout, type=Answer)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError):
        return Answer()


def answer(request: Request, kernel_lines: Iterable[str] = ()) -> Answer:
    """Done in the other process."""
    from fitguard.crash.explanation import explain
    from fitguard.crash.kernel_lines import select_own_lines
    from fitguard.facts.kernel_messages import parse

    recent = select_own_lines(
        kernel_lines, request.since_seconds, request.numbers, request.own_gpus
    )
    kernel = parse(recent, "kernel log")
    explanation = explain(
        request.output,
        exit_code=request.exit_code,
        signal=request.signal,
        kernel_log="\n".join(recent).encode() if recent else None,
        guarded=True,
        measured=request.measured,
    )
    diagnosis = msgspec.convert(msgspec.to_builtins(explanation), Diagnosis)
    return Answer(diagnosis=diagnosis, xids=kernel.xids)


def main() -> None:
    """Read a request, write the answer."""
    from fitguard.facts.kernel_log import read_lines

    request = msgspec.json.decode(sys.stdin.buffer.read(), type=Request)
    sys.stdout.buffer.write(msgspec.json.encode(answer(request, read_lines().lines)))


if __name__ == "__main__":
    main()
