"""The page of a folder of runs: one row each, the newest first."""

import re
from urllib.parse import quote

from fitguard.report.blocks import Items, Page, Section, Span, Table, Verdict, Words, present
from fitguard.report.rows.run_words import command, moment, name_state, value
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.run_list import RunLine, RunList
from fitguard.words import count, duration, short

LONGEST_COMMAND = 60
_HIDDEN = re.compile(r"<(?:user|host|secret)>")
HEADERS = (
    *("run", "started", "took", "loss", "steps", "attempts", "state", "last failure"),
    "command",
)


def build_page(runs: RunList) -> Page:
    """A table, or that there is none. What says least comes second, as narrow consoles drop it."""
    rows = tuple(_describe(run, runs.folder) for run in reversed(runs.runs))
    title = (
        f"{count(len(runs.runs), 'run')} in {runs.folder}"
        if rows
        else f"No runs in {runs.folder}. `fitguard run train.py` starts one."
    )
    return Page(
        "fitguard runs",
        present(
            drop_empty_columns(Table(HEADERS, rows)),
            Section("Could not be read", present(Items(runs.unreadable))),
        ),
        Verdict(title, "info"),
    )


def _describe(run: RunLine, folder: str) -> tuple[Words, ...]:
    return (
        Span(run.id, link=_link(folder, run.id)),
        moment(run.started)[:-9],
        duration(run.seconds),
        "" if run.loss is None else value(run.loss),
        f"{run.steps:,}",
        f"{run.attempts:,}",
        name_state(run.state, run.command).lower(),
        run.ended if run.cause == "unknown" else run.cause,
        short(command(run.command), LONGEST_COMMAND),
    )


def _link(folder: str, run: str) -> str:
    """To the page that `fitguard report` writes; none where the folder's name was taken out."""
    if folder.startswith(("~", "//")) or _HIDDEN.search(folder):
        return ""
    return quote(f"{folder}/{run}/report.html", errors="replace")
