"""Which lines of the kernel log may tell of an attempt: those of its time, of no other program."""

import re
from collections.abc import Iterable

from fitguard.causes.derived.xid_blame import blame

_STAMP = re.compile(r"\[\s*(\d+\.\d+)\]")
_EARLIER_SECONDS = 2.0
# Of a crash the kernel names the thread, of a kill the process.
_CRASH = re.compile(r"\[(\d+)\]:? (?:segfault|general protection|trap )")
_KILL = re.compile(r"(?:(?:[Kk]ill(?:ed)?|reaped) process |oom-kill:.*\bpid=)(\d+)")
_KILL_BEGINS = "invoked oom-killer"
_XID = re.compile(r"\bXid\b.*?: (\d+), pid='?(\d+)")


def own_lines(lines: Iterable[str], since_seconds: float, numbers: frozenset[int]) -> list[str]:
    """The lines that are young enough, without those that tell of other programs.

    Args:
        lines: As dmesg prints them, oldest first.
        since_seconds: When the attempt began, by the clock of the log.
        numbers: Of its processes and threads; empty where nobody knows them, and time alone counts.
    """
    recent = _since(lines, since_seconds - _EARLIER_SECONDS)
    if not numbers:
        return recent
    kills = [int(found[1]) for line in recent if (found := _KILL.search(line))]
    killed = bool(numbers.intersection(kills))
    return [
        line
        for line in recent
        if not _of_another(line, numbers) and (killed or _KILL_BEGINS not in line)
    ]


def _since(lines: Iterable[str], seconds: float) -> list[str]:
    """The lines that are that young; those without a time follow the one before."""
    recent: list[str] = []
    young = False
    for line in lines:
        if stamp := _STAMP.search(line):
            young = float(stamp[1]) >= seconds
        if young:
            recent.append(line)
    return recent


def _of_another(line: str, numbers: frozenset[int]) -> bool:
    """Whether it names a process that is none of these; a GPU that fails, fails for all."""
    if found := _CRASH.search(line) or _KILL.search(line):
        return int(found[1]) not in numbers
    if xid := _XID.search(line):
        return int(xid[2]) not in numbers and blame(int(xid[1])) in ("program", "fallout")
    return False
