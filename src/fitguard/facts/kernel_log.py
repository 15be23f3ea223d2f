"""The kernel log: /dev/kmsg, else dmesg, else the journal; or a file that the user has.

That it may not be read is a fact. Containers and ordinary users often see nothing of it.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fitguard.facts import child_process
from fitguard.facts.child_process import Outcome
from fitguard.facts.kernel_messages import WORDS, parse
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.schema.hardware import KernelLog

Command = tuple[str, ...]

COMMAND_LIMIT_SECONDS = 1.0
DMESG = ("dmesg",)
# The newest lines only, and those first: a journal can hold months, and reading takes seconds.
JOURNAL = (
    *("journalctl", "--dmesg", "--boot", "--quiet", "--no-pager", "--reverse", "--lines=2000"),
    *("--output=short-monotonic", "--no-hostname"),
)
CRASHES = ("segfault", "traps:", "general protection", "oom-kill", "ut of memory", "Hardware Error")
# Every boot begins with the kernel's version. Where not even that is found, this journalctl cannot
# search (many builds cannot), or the beginning is gone, or nothing may be read: ask plainly.
JOURNAL_SEARCH = (*JOURNAL, f"--grep={'|'.join((*WORDS, *CRASHES, 'Linux version'))}")
JOURNALS: tuple[Command, ...] = (JOURNAL_SEARCH, JOURNAL)

RECORD_BYTES = 16384
# The kernel may log faster than this reads.
MOST_RECORDS = 200_000


class RawLog(NamedTuple):
    """Lines as dmesg prints them, oldest first, and who gave them; else why there are none."""

    lines: list[str]
    origin: str = ""
    problem: str | None = None


def read(root: Path = Path("/")) -> KernelLog:
    """What matters in the log of the running kernel."""
    log = read_lines(root)
    if log.problem is not None:
        return KernelLog(readable=False, problem=log.problem)
    return parse(log.lines, log.origin)


def read_lines(root: Path = Path("/")) -> RawLog:
    """The log of the running kernel, from the first source that gives any line."""
    kmsg = root / "dev/kmsg"
    commands: tuple[Command, ...] = (DMESG, *JOURNALS)
    try:
        lines = list(_records(kmsg))
        if lines:
            return RawLog(lines, "/dev/kmsg")
        problem = "/dev/kmsg: holds no lines"
    except FileNotFoundError:
        problem = "/dev/kmsg: not here"
    except OSError as error:
        # dmesg needs the same right; the journal has its own readers.
        problem, commands = f"/dev/kmsg: {error.strerror}", JOURNALS
    return _from_commands(commands, [problem])


def read_file(path: Path) -> KernelLog:
    """A log that was saved with dmesg, journalctl or syslog.

    Raises:
        UnreadableInput: if the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            return parse(lines, str(path), numbered=True)
    except OSError as error:
        raise UnreadableInput(
            f"Received {path} as a kernel log, which cannot be read: {error.strerror}. "
            "Expected a text file such as `dmesg > kernel.log` writes."
        ) from None


def _records(kmsg: Path) -> Iterator[str]:
    """Lines such as dmesg prints; a record is `priority,sequence,microseconds,flags;message`."""
    device = os.open(kmsg, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield from read_new_lines(device)
    finally:
        os.close(device)


def read_new_lines(device: int) -> Iterator[str]:
    """What /dev/kmsg, opened without waiting, has behind where it was read to."""
    for _ in range(MOST_RECORDS):
        try:
            record = os.read(device, RECORD_BYTES)
        except BlockingIOError:
            return
        except BrokenPipeError:
            # The kernel overwrote this record meanwhile; the next read gives the next one.
            continue
        if not record:
            return
        yield _line(record)


def _line(record: bytes) -> str:
    head, _, body = record.decode("utf-8", "replace").partition(";")
    microseconds = head.split(",")[2:3]
    message = body.partition("\n")[0]
    stamp = int(microseconds[0]) / 1e6 if microseconds and microseconds[0].isdecimal() else 0.0
    return f"[{stamp:12.6f}] {message}"


def _from_commands(commands: tuple[Command, ...], problems: list[str]) -> RawLog:
    environment = {**os.environ, "LC_ALL": "C"}
    for command in commands:
        try:
            outcome = child_process.run(command, environment, COMMAND_LIMIT_SECONDS)
        except OSError as error:
            problems.append(f"{command[0]}: {error.strerror}")
            continue
        lines = outcome.stdout.decode("utf-8", "replace").splitlines()
        if lines:
            return RawLog(_oldest_first(lines) if command in JOURNALS else lines, command[0])
        problems.append(f"{command[0]}: {_complaint(outcome)}")
    return RawLog([], problem="; ".join(dict.fromkeys(problems)))


def _oldest_first(lines: list[str]) -> list[str]:
    """Messages in the order of time; the indented lines of one stay behind its first."""
    messages: list[list[str]] = []
    for line in lines:
        if messages and line[:1].isspace():
            messages[-1].append(line)
        else:
            messages.append([line])
    return [line for message in reversed(messages) for line in message]


def _complaint(outcome: Outcome) -> str:
    if outcome.timed_out:
        return f"no answer within {COMMAND_LIMIT_SECONDS:g} s"
    lines = outcome.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else "no lines"
