"""A run, and a list of runs, in Markdown."""

from collections.abc import Sequence

from fitguard.report.markdown_blocks import details, escaped, fenced, table
from fitguard.report.run_lines import run_table, title
from fitguard.report.run_rows import (
    action,
    attempt_table,
    epoch_table,
    fit_table,
    inexact,
    notes,
    run_rows,
    snapshot_rows,
    unguarded,
)
from fitguard.report.run_words import advice, moment, outcome, verdict
from fitguard.report.sections import Section, filled
from fitguard.report.words import joined
from fitguard.schema.run import Run
from fitguard.schema.run_list import RunList

MOST_ATTEMPTS = 12


def run_blocks(run: Run) -> list[str]:
    """How it stands, attempts, why the last one failed, decisions; the rest folded."""
    shown, earlier = run.attempts[-MOST_ATTEMPTS:], run.attempts[:-MOST_ATTEMPTS]
    several = len(run.fits) > 1
    epochs = table(epoch_table(run.losses, several_fits=several))
    before = table(filled(attempt_table(run, earlier)))
    return [
        f"## fitguard run: {escaped(verdict(run))}",
        escaped(advice(run)),
        table(Section("", (), run_rows(run))),
        "### Attempts" if run.attempts else "",
        table(filled(attempt_table(run, shown))),
        *_failure(run),
        *_listed("Decisions", [_decision(run, place) for place in range(len(run.decisions))]),
        *_listed("What is not guarded", [escaped(why) for why in unguarded(run)]),
        *_listed("What is not exact", [escaped(f"{fit}: {why}") for fit, why in inexact(run)]),
        *_listed("Notes", [escaped(note) for note in notes(run)]),
        "### Calls of fit" if run.fits else "",
        table(fit_table(run)),
        "### Snapshots" if snapshot_rows(run) else "",
        table(Section("", (), snapshot_rows(run))),
        *details("Earlier attempts", [before] if earlier else []),
        *details("Epochs", [epochs] if epochs else []),
    ]


def runs_blocks(runs: RunList) -> list[str]:
    """A table, or that there is none."""
    unread = [escaped(why) for why in runs.unreadable]
    return [
        f"## fitguard runs: {escaped(title(runs))}",
        table(run_table(runs)),
        *_listed("Could not be read", unread),
    ]


def _failure(run: Run) -> list[str]:
    """The last one, with the lines that prove its cause."""
    failed = [attempt for attempt in run.attempts if attempt.cause or attempt.evidence]
    if not failed:
        return []
    last = failed[-1]
    head = escaped(joined([f"Attempt {last.number}: {outcome(last)}", last.cause]))
    quoted = fenced("\n".join(last.evidence), "text") if last.evidence else ""
    return [f"**{head}**", escaped(last.why), quoted]


def _decision(run: Run, place: int) -> str:
    decision = run.decisions[place]
    changed = " **(changes the results)**" if decision.changes_results else ""
    when = moment(decision.time)[:-6]
    return f"{when}: {escaped(f'{action(decision.action)}: {decision.text}')}{changed}"


def _listed(title: str, sentences: Sequence[str]) -> list[str]:
    return [f"### {title}", "\n".join(f"- {sentence}" for sentence in sentences)] * bool(sentences)
