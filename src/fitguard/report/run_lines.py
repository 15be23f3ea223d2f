"""The runs of a folder: one row each, the newest last."""

from fitguard.report.run_words import STATES, command, duration, moment, value
from fitguard.report.sections import Section, filled
from fitguard.report.words import count, short
from fitguard.schema.run_list import RunLine, RunList

LONGEST_COMMAND = 60


def title(runs: RunList) -> str:
    """`3 runs in fitguard-runs`, or that there is none, and how to begin one."""
    if runs.runs:
        return f"{count(len(runs.runs), 'run')} in {runs.folder}"
    return f"No runs in {runs.folder}. `fitguard run train.py` begins one."


def run_table(runs: RunList, longest_command: int = LONGEST_COMMAND) -> Section:
    """What tells least comes second: a narrow console gives that column up first."""
    headers = ("run", "started", "took", "loss", "steps", "attempts", "state", "last failure",
               "command")  # fmt: skip
    return filled(Section(title(runs), headers, [_row(run, longest_command) for run in runs.runs]))


def _row(run: RunLine, longest_command: int) -> tuple[str, ...]:
    return (
        run.id,
        moment(run.started)[:-9],
        duration(run.seconds),
        "" if run.loss is None else value(run.loss),
        f"{run.steps:,}",
        f"{run.attempts:,}",
        STATES[run.state].lower(),
        run.cause,
        short(command(run.command), longest_command),
    )
