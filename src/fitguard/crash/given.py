"""What `explain` was given: logs, the kernel log, facts of the machine."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from fitguard.crash.clues import Clue, where
from fitguard.crash.log_folder import is_folder, list_logs
from fitguard.crash.reader import Log, Reading, read
from fitguard.crash.signals import Recogniser
from fitguard.environment.doctor import read_facts
from fitguard.environment.loose import suppose_loosely
from fitguard.facts.kernel_log import RawLog, read_lines
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Finding

_GPU = {"gpu", "compute-capability"}
AUTO = "auto"
"""In place of a kernel log or of facts: those of this machine."""


class GivenLog(NamedTuple):
    """A log, and what is known of the process that wrote it.

    Args:
        name: How evidence names it; by default its path, or "log".
        exit_code: How that process ended, as `signal`.
    """

    log: Log
    name: str | None = None
    exit_code: int | None = None
    signal: str | None = None


def collect_logs(log: Log | Iterable[Log | GivenLog] | Mapping[str, Log]) -> list[GivenLog]:
    """One log is a list of one; a folder is the logs in it.

    Raises:
        UnreadableInput: if there are no logs in a folder.
    """
    if isinstance(log, Mapping):
        return [GivenLog(item, name) for name, item in log.items()]
    if isinstance(log, str | bytes | Path) or hasattr(log, "read"):
        log = [cast("Log", log)]
    given: list[GivenLog] = []
    for item in log:
        if isinstance(item, GivenLog):
            given.append(item)
        elif is_folder(item):
            given += [GivenLog(file) for file in list_logs(Path(cast("str | Path", item)))]
        else:
            given.append(GivenLog(item))
    return given


def read_log(log: Log, recogniser: Recogniser, name: str | None = None) -> Reading:
    """The lines that matter.

    Raises:
        UnreadableInput: if the file cannot be read.
    """
    try:
        return read(log, recogniser.engine, name=name)
    except OSError as error:
        source = str(log) if isinstance(log, str | Path) else name or "log"
        raise UnreadableInput(f"{source}: {error.strerror or error}") from error


def running_kernel_log(
    notes: list[str], read_lines: Callable[[], RawLog] = read_lines
) -> bytes | None:
    """The log of this machine's kernel; that it may not be read is worth a note."""
    log = read_lines()
    if log.problem is None:
        return "\n".join(log.lines).encode()
    notes.append(
        f"The kernel log of this machine cannot be read ({log.problem}). "
        "`sudo dmesg > kernel.log` saves it for --kernel-log kernel.log"
    )
    return None


def combine_facts(
    facts: Facts | str | Path | None,
    what_if: Mapping[str, str] | None,
    told: Mapping[str, Clue] | None = None,
) -> tuple[Facts, list[str]]:
    """The facts, and notes on what of `what_if` could not be read.

    Args:
        facts: Count where `what_if` says nothing of them.
        what_if: Counts before all others.
        told: What the log itself tells; it fills what is left open.
    """
    said = {_key(name): value for name, value in (what_if or {}).items()}
    supposed, notes = suppose_loosely(said)
    # Of a GPU that the user names, the log does not know better.
    closed = said.keys() | (_GPU if said.keys() & _GPU else set())
    clues = {key: clue for key, clue in (told or {}).items() if key not in closed}
    with_clues, _ = suppose_loosely(
        {key: clue.value for key, clue in clues.items()} | said,
        origins={key: where(clue) for key, clue in clues.items()},
    )
    # What the user says of a thing may be more exact with what the log says of the same thing.
    sure = {name: getattr(with_clues, name) for name in _select_known(supposed)}
    known = {**_select_known(with_clues), **_select_known(_facts(facts)), **sure}
    return Facts(**known), notes


def _key(name: str) -> str:
    return name.strip().lower().replace("_", "-")


def _select_known(facts: Facts) -> dict[str, Any]:
    """The fields in which something is known."""
    unknown = msgspec.structs.asdict(Facts())
    fields = msgspec.structs.asdict(facts)
    return {name: value for name, value in fields.items() if value != unknown[name]}


def _facts(facts: Facts | str | Path | None) -> Facts:
    if isinstance(facts, Facts):
        return facts
    if facts == AUTO:
        from fitguard.facts.gather import gather

        return gather()
    return read_facts(Path(facts)) if facts else Facts()


def findings(facts: Facts) -> tuple[Finding, ...]:
    """What the doctor says; of nothing, nothing, and its checks need not be loaded."""
    if facts == Facts():
        return ()
    from fitguard.checks.framework.runner import judge_machine

    return judge_machine(facts).findings
