"""The answer of `fitguard explain` to a guarded run that did not die, or that nobody saw die."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from fitguard.monitor.run_folder import RunFolder
from fitguard.report.rows.run_words import (
    find_named_cause,
    is_told_soak,
    name_state,
    outcome,
    verdict,
)
from fitguard.schema.diagnosis import Diagnosis, FoundCause
from fitguard.schema.finding import Evidence, Fix
from fitguard.schema.run import Run
from fitguard.schema.run_command import describe_resume, is_soak
from fitguard.words import numbers

_WHY = {
    "finished": "The run got to its end, so nothing has to be mended.",
    "running": "The run is still going on.",
}
_WHY_TOLD = "The soak went on until it was told to stop. It found no wrong bit."
_WHY_TOLD_EARLY = "The soak was told to stop before it had computed anything."


def describe_alive(path: Path, *, trust_folder: bool = False) -> Diagnosis | None:
    """That the run finished or still runs, and what ended its earlier attempts; None if it died.

    A soak is over when it was told to stop; what it found is told however it ended.

    Args:
        path: The folder of the run.
    """
    from fitguard.supervise.past_runs import read_run

    run = read_run(path, trust_folder=trust_folder)
    if is_soak(run.command):
        from fitguard.supervise.soak_report import diagnose_wrong_bits

        wrong = diagnose_wrong_bits(run, RunFolder(path))
        if wrong is not None:
            return wrong
    why = _WHY.get(run.state, "")
    if is_told_soak(run.state, run.command):
        why = _WHY_TOLD if run.exit_code == 0 else _WHY_TOLD_EARLY
    if not why:
        return None
    found = FoundCause(
        cause="none",
        summary=f"{verdict(run)}.",
        confidence="high",
        evidence=tuple(_prove(run)),
        why=why,
        fix=Fix(
            "`fitguard report` shows each attempt, and what was done about it.",
            commands=(f"fitguard report {path}",),
        ),
    )
    return Diagnosis(primary="none", causes=(found,))


def describe_cut_off(run: str, path: Path, command: Sequence[str]) -> Diagnosis:
    """That nobody saw how the run ended, where its output does not tell, either."""
    what = "soak" if is_soak(command) else "training"
    from_where = ": it goes on with its counts" if is_soak(command) else " from its last snapshot"
    found = FoundCause(
        cause="unknown",
        summary="The run was cut off, and nobody saw how.",
        confidence="high",
        evidence=(Evidence("an attempt that began, and no end of it", f"the journal of {run}"),),
        why=(
            f"The process that guarded it was killed, or the machine went down. The {what} ends "
            "with it. Its output names no other cause."
        ),
        fix=Fix(
            f"Continue it{from_where}. With --kernel-log auto, the kernel log may tell "
            "who was killed, and why.",
            commands=(
                describe_resume(run, command),
                f"fitguard explain {path} --kernel-log auto",
            ),
        ),
    )
    return Diagnosis(primary="unknown", causes=(found,))


def _prove(run: Run) -> Iterator[Evidence]:
    """How the earlier attempts ended, those that ended alike together."""
    source = f"the journal of {run.id}"
    ends: dict[str, list[int]] = {}
    for one in run.attempts[:-1]:
        cause = f" ({find_named_cause(one)})" if find_named_cause(one) else ""
        ends.setdefault(f"{outcome(one, run)}{cause}", []).append(one.number)
    for how, which in ends.items():
        noun = "attempt" if len(which) == 1 else "attempts"
        yield Evidence(f"{noun} {numbers(which)}: {how}", source)
    if not ends:
        yield Evidence(name_state(run.state, run.command).lower(), source)
