"""Commands in the shell of the platform at hand: a POSIX shell, or Windows' cmd.

Facts may come from a file that anyone wrote: what goes from them into a command is quoted here, so
that the shell never runs a part of it.
"""

import re
import shlex
from collections.abc import Iterable

from fitguard.schema.facts import Facts

# In cmd and PowerShell these keep a meaning within double quotes, or end them.
_NOT_FOR_WINDOWS = re.compile(r'["%$`!\x00-\x1f\x7f]')
# Below this a process hardly matters where memory is short.
_MUCH_MEMORY_KIB = 500_000


def is_windows(facts: Facts) -> bool:
    """Whether commands are for Windows itself; WSL has a POSIX shell."""
    return facts.platform is not None and facts.platform.system == "windows"


def path(facts: Facts, name: str) -> str | None:
    """A path for the shell; None where the shell of Windows has no way to write it."""
    if not is_windows(facts):
        # A leading `~` stays bare, so that the shell expands it.
        return "~" + shlex.quote(name[1:]) if name.startswith("~/") else shlex.quote(name)
    if _NOT_FOR_WINDOWS.search(name):
        return None
    return name if re.fullmatch(r"[\w.:\\/-]+", name) else f'"{name}"'


def posix_only(facts: Facts, *commands: str) -> tuple[str, ...]:
    """Commands that have no counterpart on Windows: none of them there."""
    return () if is_windows(facts) else commands


def set_variable(facts: Facts, name: str, value: str) -> str:
    """Set an environment variable, for what is started from the same shell."""
    return f"set {name}={value}" if is_windows(facts) else f"export {name}={value}"


def unset_variable(facts: Facts, name: str) -> str:
    """Take an environment variable away."""
    return f"set {name}=" if is_windows(facts) else f"unset {name}"


def list_processes(facts: Facts, pids: Iterable[int] = ()) -> tuple[str, ...]:
    """Show these processes, or those with the most memory."""
    numbers = [str(pid) for pid in pids]
    if is_windows(facts):
        named = tuple(f'tasklist /FI "PID eq {number}"' for number in numbers)
        return named or (f'tasklist /FI "MEMUSAGE gt {_MUCH_MEMORY_KIB}"',)
    if numbers:
        return (f"ps -o pid,user,etime,args -p {','.join(numbers)}",)
    return ("ps -eo pid,rss,args --sort=-rss | head -n 10",)


def disk_use(facts: Facts) -> tuple[str, ...]:
    """Show how full the disk of the current folder is, and what fills it."""
    if is_windows(facts):
        return ("dir",)
    return ("df -h .", "du -xh --max-depth=1 . | sort -h | tail -n 10")
