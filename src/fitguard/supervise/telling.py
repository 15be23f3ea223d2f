"""What the user is told at the end of a run."""

from collections.abc import Mapping

from fitguard.schema.diagnosis import FoundCause
from fitguard.schema.run import Run
from fitguard.schema.run_command import describe_resume, is_soak
from fitguard.supervise.postmortem import Postmortem
from fitguard.words import count, duration


def describe_start(
    run: str, started_in: str | None, place: str, environment: Mapping[str, str]
) -> str:
    """One line: which run goes on, or begins.

    Args:
        started_in: The folder where a run that goes on was started; None for a new one.
        place: The folder where it goes on.
    """
    if started_in is None:
        return f"a new run, {run}."
    moved = f", which was started in {started_in}" if started_in != place else ""
    restarts = environment.get("SLURM_RESTART_COUNT", "")
    job = environment.get("SLURM_JOB_ID", "")
    slurm = f" This is restart {restarts} of the Slurm job {job}." if restarts.isdigit() else ""
    return f"continues the run {run}{moved}.{slurm}"


def describe_run(
    run: Run, *, kept: bool = True, has_set_aside: bool = False, resume: str = ""
) -> str:
    """One line: what happened, and where to read more.

    Args:
        kept: Whether the folder of the run is still there.
        has_set_aside: It holds snapshots of another version of the script.
        resume: What to type to go on, where that is another than usual.
    """
    resume = resume or describe_resume(run.id, run.command)
    attempts, soak = len(run.attempts), is_soak(run.command)
    how = {
        "finished": "finished",
        "interrupted": "stopped as asked" if soak else "interrupted",
        "preempted": "stopped as asked",
    }.get(run.state, "stopped")
    lost = sum(attempt.steps_lost for attempt in run.attempts)
    parts = [f"{how} after {duration(run.seconds)}"]
    if run.state == "finished" and not run.fits and kept:
        parts.append("nothing was guarded")
    if attempts > 1:
        parts.append(f"{attempts} attempts")
    if lost and run.state == "finished":
        parts.append(f"{count(lost, 'step')} repeated")
    if run.state != "finished" and (run.snapshots.count or soak) and kept:
        # Without a change, a run that was given up would be given up again.
        fixed = " once that is fixed" if how == "stopped" else ""
        parts.append(f"to continue{fixed}: {resume}")
    if run.state == "finished" and has_set_aside:
        parts.append(
            f"snapshots of another version of the script are kept, and to go on with them: {resume}"
        )
    parts.append(f"fitguard report {run.id}" if kept else f"{run.folder} is gone: no report")
    return "; ".join(parts)


def describe_diagnosis(postmortem: Postmortem, *, explained: bool = False) -> list[str]:
    """Why it ended, the proof, and what to do, in a few lines.

    Args:
        explained: Whether it was told what would help: what the log alone suggests is less.
    """
    event, found = postmortem.event, postmortem.found
    if not event.cause or event.cause == "unknown":
        return []
    sure = f" ({event.confidence} confidence)" if event.confidence else ""
    lines = [f"cause: {event.cause}{sure}. {event.why}"]
    lines += [f"proof: {line.strip()}" for line in event.evidence[:1]]
    return lines + (_describe_fix(found) if found and not explained else [])


def _describe_fix(found: FoundCause) -> list[str]:
    lines = [f"to do: {found.fix.text}"] if found.fix.text else []
    return [*lines, *(f"       {command}" for command in found.fix.commands[:3])]
