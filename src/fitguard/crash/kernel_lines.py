"""Which lines of the kernel log tell of an attempt: they name a process of it, in its time.

A line on the machine itself (a GPU that fails, a bus, the heat) names no process: its time counts.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from fitguard.causes.derived.xid_blame import blame

_STAMP = re.compile(r"\[\s*(\d+\.\d+)\]")
_EARLIER_SECONDS = 2.0
# Processes are looked for every ten seconds; and the two clocks drift apart over weeks.
_LATER_SECONDS = 60.0
# python3[812]: segfault …   Killed process 812 (…   pid=812,   __vm_enough_memory: pid: 812,
# task python3:812 blocked …   soft lockup … [python3:812]
# Of a crash the kernel names the thread, of a kill the process.
_PROCESS = re.compile(
    r"\[(\d+)\]:? (?:segfault|general protection|trap |unhandled )"
    r"|(?:[Kk]ill(?:ed)?|reaped) process (\d+)|\bpid(?:=|: )'?(\d+)"
    r"|\btask \S+?:(\d+) blocked|soft lockup .*\[\S+?:(\d+)\]"
)
_KILL_BEGINS = "invoked oom-killer"
_XID = re.compile(r"\bXid\b(?: \((?:PCI:)?(?P<address>[0-9a-fA-F:.]+)\))?.*?: (?P<number>\d+),")


def select_own_lines(
    lines: Iterable[str],
    since_seconds: float,
    numbers: Mapping[int, float],
    own_gpus: Collection[str] = (),
) -> list[str]:
    """The lines that tell of an attempt, or of the machine in its time.

    Args:
        lines: As dmesg prints them, oldest first.
        since_seconds: When the attempt began, by the clock of the log.
        numbers: Of its processes and threads, with the time when each was last seen: the kernel
            gives them to others later. Empty where nobody knows them, as in a container: then no
            line that names a process can be told from those of other programs.
        own_gpus: Addresses of GPUs that no other program uses. Where the numbers are not known,
            faults of these count.
    """
    young = list(_select_since(lines, since_seconds - _EARLIER_SECONDS))
    ours = () if numbers else own_gpus
    counted = [_counts(line, seconds, numbers, ours) for line, seconds in young]
    kills = [line for (line, _), own in zip(young, counted, strict=True) if own and _kills(line)]
    return [
        line
        for (line, _), own in zip(young, counted, strict=True)
        if own and (kills or _KILL_BEGINS not in line)
    ]


def _select_since(lines: Iterable[str], seconds: float) -> Iterator[tuple[str, float]]:
    """The lines that are that young, with their times; one without follows the one before."""
    time = 0.0
    for line in lines:
        if stamp := _STAMP.search(line):
            time = float(stamp[1])
        if time >= seconds:
            yield line, time


def _counts(
    line: str, seconds: float, numbers: Mapping[int, float], own_gpus: Collection[str]
) -> bool:
    xid = _XID.search(line)
    if xid and blame(int(xid["number"])) not in ("program", "fallout"):
        return True  # whoever meets a sick GPU, it is sick for all
    if xid and xid["address"] and any(gpu.startswith(xid["address"].lower()) for gpu in own_gpus):
        return True
    named = [int(number) for found in _PROCESS.findall(line) for number in found if number]
    if not named:
        return xid is None
    return any(seconds <= numbers[one] + _LATER_SECONDS for one in named if one in numbers)


def _kills(line: str) -> bool:
    return "process " in line or "oom-kill:" in line
