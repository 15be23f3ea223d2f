"""A run on a console: how it stands, its attempts, what was decided, what is not exact."""

from fitguard.report.run_rows import (
    action,
    attempt_table,
    fit_table,
    inexact,
    notes,
    run_rows,
    snapshot_rows,
    unguarded,
)
from fitguard.report.run_words import TONES, advice, moment, outcome, verdict
from fitguard.report.sections import Section, filled
from fitguard.report.text_page import Page
from fitguard.report.text_plan import INDENT, MARKS
from fitguard.report.text_table import print_table
from fitguard.report.words import count, joined, one_line, short
from fitguard.schema.run import Run

MOST_ATTEMPTS = 6
MOST_DECISIONS = 8
LONGEST_QUOTATION = 200
LESS_TELLING = {"began", "from step"}
"""Columns that only `--verbose` has."""


def print_run(run: Run, page: Page, *, verbose: bool) -> None:
    """The whole run; unless `verbose`, only its last attempts and decisions."""
    page.put(MARKS[TONES[run.state]], (verdict(run), "bold"), rest=INDENT)
    if going_on := advice(run):
        page.put(going_on, first=INDENT)
    page.blank()
    for name, text in run_rows(run):
        page.row(name, one_line(text), columns=9)
    if fits := fit_table(run).rows:
        page.blank()
        print_table(Section("Calls of fit", fit_table(run).headers, fits), page)
    _print_attempts(run, page, verbose=verbose)
    _print_why(run, page)
    _print_decisions(run, page, verbose=verbose)
    _print_list("What is not guarded", unguarded(run), page)
    _print_list("What is not exact", [why for _, why in inexact(run)], page)
    _print_list("Notes", notes(run), page)
    if rows := snapshot_rows(run):
        page.blank()
        told = joined(f"{name.lower()} {text}" for name, text in rows)
        page.put((f"Snapshots: {told}", "dim"))


def _print_attempts(run: Run, page: Page, *, verbose: bool) -> None:
    if not run.attempts:
        return
    shown = run.attempts if verbose else run.attempts[-MOST_ATTEMPTS:]
    made = filled(attempt_table(run, shown))
    if not verbose:
        places = [n for n, header in enumerate(made.headers) if header not in LESS_TELLING]
        rows = [tuple(row[place] for place in places) for row in made.rows]
        made = Section(made.title, tuple(made.headers[place] for place in places), rows)
    page.blank()
    print_table(made, page)
    _print_left_out(len(run.attempts) - len(shown), "earlier attempt", page)


def _print_why(run: Run, page: Page) -> None:
    """What the last failure was, with the lines that prove it."""
    failed = [attempt for attempt in run.attempts if attempt.cause or attempt.evidence]
    if not failed:
        return
    last = failed[-1]
    page.blank()
    page.heading(f"Attempt {last.number}: {joined([outcome(last), last.cause])}")
    if last.why:
        page.put(one_line(last.why), first=INDENT)
    for line in last.evidence:
        page.put((short(line, LONGEST_QUOTATION), "dim"), first=f"{INDENT}│ ")


def _print_decisions(run: Run, page: Page, *, verbose: bool) -> None:
    if not run.decisions:
        return
    shown = run.decisions if verbose else run.decisions[-MOST_DECISIONS:]
    page.blank()
    page.heading("Decisions")
    for decision in shown:
        changes = (" (changes the results)", "yellow")
        page.put(
            (f"{moment(decision.time)[11:19]} ", "dim"),
            (action(decision.action), "bold"),
            f": {one_line(decision.text)}",
            *([changes] if decision.changes_results else []),
            first=f"{INDENT}• ",
        )
    _print_left_out(len(run.decisions) - len(shown), "earlier decision", page)


def _print_left_out(number: int, noun: str, page: Page) -> None:
    if number:
        page.put((f"… {count(number, noun)} (--verbose lists them)", "dim"), first=INDENT)


def _print_list(title: str, sentences: list[str], page: Page) -> None:
    if not sentences:
        return
    page.blank()
    page.heading(title)
    for sentence in sentences:
        page.put(one_line(sentence), first=f"{INDENT}• ")
