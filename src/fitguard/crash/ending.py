"""How the process ended: what an exit code, a signal's name or a line in the log says."""

from collections.abc import Iterable

from fitguard.schema.crash import Ending, Signal
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.finding import Evidence

# Linux's numbers: logs come from there, wherever they are read.
SIGNALS = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS",
    8: "SIGFPE", 9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE",
    14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}  # fmt: skip

# What Windows calls these, in the words that signals have elsewhere.
WINDOWS = {
    0xC0000005: "SIGSEGV",
    0xC00000FD: "SIGSEGV",
    0xC000001D: "SIGILL",
    0xC0000374: "SIGABRT",
    0xC0000409: "SIGABRT",
    0x40000015: "SIGABRT",
    0xC000013A: "SIGINT",
}


def ending(
    exit_code: int | None,
    signal_name: str | None,
    signals: Iterable[Signal] = (),
    seen_by: str = "",
) -> Ending:
    """From what the user gave, else from the last line that tells of an end.

    Args:
        seen_by: Who saw it end, where the user did not say it.

    Raises:
        UsageError: for a signal that does not exist.
    """
    if signal_name is not None:
        given = parse_signal(signal_name)
        return Ending(exit_code, given, (Evidence(given, seen_by or "--signal"),))
    if exit_code is not None:
        caused_by = signal_of(exit_code)
        text = f"exit code {exit_code}" + (f" ({caused_by})" if caused_by else "")
        return Ending(exit_code, caused_by, (Evidence(text, seen_by or "--exit-code"),))
    told = [line for line in signals if "exit_code" in line.values or _of_line(line)]
    if not told:
        return Ending()
    code = _number(told[-1].values.get("exit_code"))
    name = _of_line(told[-1]) or (signal_of(code) if code is not None else None)
    return Ending(code, name, (told[-1].evidence,))


def _of_line(line: Signal) -> str | None:
    """The signal that a line tells of: by the name of a group, or in a group's text."""
    return line.ended_by or _find_signal_name(line.values.get("signal"))


def signal_of(exit_code: int) -> str | None:
    """`SIGKILL` for 137, -9 and 247; None for an exit that no signal caused."""
    if abs(exit_code) > 0xFFFF:
        return WINDOWS.get(exit_code & 0xFFFFFFFF)
    if exit_code < 0:
        return SIGNALS.get(-exit_code)
    if exit_code < 192:
        return SIGNALS.get(exit_code - 128)
    # `sys.exit(child.returncode)` of a child that a signal ended. 255 to 253 are rather -1 to -3,
    # which programs give for errors of their own.
    return SIGNALS.get(256 - exit_code) if exit_code < 253 else None


def parse_signal(text: str) -> str:
    """`SIGKILL` for kill, SIGKILL or 9.

    Raises:
        UsageError: for what names no signal.
    """
    found = _find_signal_name(text)
    if found is None:
        raise UsageError(f"Received the signal {text!r}. Expected a name or number: SIGKILL, 9")
    return found


def _find_signal_name(text: str | None) -> str | None:
    word = (text or "").strip().upper()
    if word.isdecimal():
        return SIGNALS.get(int(word[:9]))
    name = f"SIG{word.removeprefix('SIG')}"
    return name if name in SIGNALS.values() else None


def _number(text: str | None) -> int | None:
    try:
        return int(text or "", 0)
    except ValueError:
        return None
