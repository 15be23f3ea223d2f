"""The page of all runs of a folder: what came of them, where they were, and each of them."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from fitguard.report.blocks import (
    Block,
    Folded,
    Items,
    Page,
    Pairs,
    Paragraph,
    Section,
    Span,
    Table,
    Verdict,
    Words,
    present,
)
from fitguard.report.charts.placements import draw_placements
from fitguard.report.pages.run import build_failures
from fitguard.report.rows.run_rows import attempt_table, collect_unguarded, inexact, notes
from fitguard.report.rows.run_words import (
    advice,
    choose_tone,
    crashes,
    find_named_cause,
    is_crash,
    name_state,
    outcome,
    steps_kept,
    steps_twice,
    took,
    verdict,
)
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.run import Run, RunState
from fitguard.schema.runs_report import RunsReport
from fitguard.words import count, duration, join, percent, size

_ORDER: tuple[RunState, ...] = (
    *("stopped", "lost", "interrupted", "preempted"),
    *("running", "finished"),
)
_HEADERS = (
    *("run", "state", "cause", "took", "attempts", "survived", "steps", "lost"),
    *("may take", "used", "cards"),
)
_LOSS_HEADERS = ("ended", "cause", "attempts", "runs", "steps lost", "took")
MOST_RUNS = 300
"""So many are described one by one: those that need you first."""
MOST_ATTEMPTS = 50
MOST_LINES = 20


def build_page(report: RunsReport) -> Page:
    """Those that did not finish come first."""
    runs = sorted(report.runs, key=lambda run: _ORDER.index(run.state))
    drawn = draw_placements(report.runs)
    return Page(
        "fitguard report",
        present(
            Pairs(tuple(_sum_up(report))),
            _build_reasons(runs),
            Section(
                "Runs",
                present(drop_empty_columns(Table(_HEADERS, tuple(map(_describe_run, runs))))),
            ),
            Section(drawn.title, (drawn,)) if drawn else None,
            Section("What ended attempts", present(_build_losses(runs))),
            Section("Could not be read", present(Items(report.unreadable, most=MOST_LINES))),
            *(_build_run(run, report.folder) for run in runs[:MOST_RUNS]),
            _say_left_out(runs, report.folder),
        ),
        _build_verdict(report),
    )


def _build_verdict(report: RunsReport) -> Verdict:
    states = Counter(run.state for run in report.runs)
    aside = join(
        f"{states[state]:,} {name_state(state, ()).lower()}" for state in _ORDER if states[state]
    )
    if not report.runs:
        return Verdict(f"No runs in {report.folder}", "warning" if report.unreadable else "info")
    if states["stopped"]:
        return Verdict(f"{count(states['stopped'], 'run')} did not finish", "error", aside)
    left = states["lost"] + states["interrupted"] + states["preempted"]
    if left:
        return Verdict(f"{count(left, 'run')} to go on with", "warning", aside)
    if states["running"]:
        return Verdict(f"{count(states['running'], 'run')} at work", "info", aside)
    return Verdict(f"All finished: {count(len(report.runs), 'run')}", "fine")


def _sum_up(report: RunsReport) -> Iterator[tuple[str, Words]]:
    yield "folder", report.folder
    runs = report.runs
    if not runs:
        return
    begun = min(run.started for run in runs)
    yield "took", duration(max(run.started + run.seconds for run in runs) - begun)
    yield (
        "attempts",
        join(
            [
                f"{sum(len(run.attempts) for run in runs):,}",
                duration(sum(took(one, run) for run in runs for one in run.attempts)),
            ]
        ),
    )
    survived, kept = sum(len(crashes(run)) for run in runs), sum(map(steps_kept, runs))
    if survived:
        yield "survived", count(survived, "crash", "crashes")
    if twice := sum(map(steps_twice, runs)):
        yield "done twice", f"{twice:,} of {count(kept, 'step')} ({percent(twice, max(kept, 1))})"


def _build_reasons(runs: Sequence[Run]) -> Section:
    """Why each of those that did not finish has ended, in the words of its own report."""
    reasons = tuple(_explain(run) for run in runs if run.state not in ("running", "finished"))
    return Section(
        "What did not finish", present(Items(reasons, most=MOST_LINES, noun="more run")), "warning"
    )


def _explain(run: Run) -> Words:
    decided = run.decisions[-1].text if run.state == "stopped" and run.decisions else ""
    last = run.attempts[-1] if run.attempts else None
    why = decided or (last.why if last else "") or f"{verdict(run)}."
    return (Span(run.id, "strong"), f": {why} {advice(run)}".rstrip())


def _describe_run(run: Run) -> tuple[Words, ...]:
    failed = [one for one in run.attempts if find_named_cause(one)]
    lost = sum(one.steps_lost for one in run.attempts)
    cards = dict.fromkeys(one.card.partition(" ")[0] for one in run.attempts if one.card)
    return (
        run.id,
        Span(name_state(run.state, run.command).lower(), tone=choose_tone(run)),
        find_named_cause(failed[-1]) if failed else "",
        duration(run.seconds),
        f"{len(run.attempts):,}",
        f"{len(crashes(run)):,}" if crashes(run) else "",
        f"{steps_kept(run):,}",
        f"{lost:,}" if lost else "",
        "" if run.memory_limit_bytes is None else size(run.memory_limit_bytes),
        size(run.peak_allocator_bytes) if run.peak_allocator_bytes else "",
        ", ".join(cards),
    )


def _build_losses(runs: Sequence[Run]) -> Table:
    """How attempts failed, the most frequent first, and what that cost."""
    groups: dict[tuple[str, str], list[tuple[Run, int]]] = {}
    for run in runs:
        for place, one in enumerate(run.attempts):
            if is_crash(one):
                groups.setdefault((outcome(one, run), find_named_cause(one)), []).append(
                    (run, place)
                )
    rows = []
    for (ended, cause), found in sorted(groups.items(), key=lambda group: -len(group[1])):
        attempts = [run.attempts[place] for run, place in found]
        rows.append(
            (
                ended,
                cause,
                f"{len(found):,}",
                f"{len({run.id for run, _ in found}):,}",
                f"{sum(one.steps_lost for one in attempts):,}",
                duration(sum(took(run.attempts[place], run) for run, place in found)),
            )
        )
    return drop_empty_columns(Table(_LOSS_HEADERS, tuple(rows), most=MOST_LINES))


def _build_run(run: Run, folder: str) -> Block:
    """Its attempts and what ended them, as its own report says it."""
    newest = msgspec.structs.replace(run, attempts=run.attempts[-MOST_ATTEMPTS:])
    left_out = len(run.attempts) - len(newest.attempts)
    more = f"More: `fitguard report {shlex.quote(f'{folder}/{run.id}')}`"
    return Folded(
        f"{run.id}: {verdict(run)}",
        present(
            Paragraph(f"The newest {MOST_ATTEMPTS} attempts; {left_out:,} came before.")
            if left_out
            else None,
            attempt_table(newest),
            *build_failures(newest),
            Items((*collect_unguarded(run), *(why for _, why in inexact(run)), *notes(run))),
            Paragraph(more),
        ),
    )


def _say_left_out(runs: Sequence[Run], folder: str) -> Paragraph | None:
    if len(runs) <= MOST_RUNS:
        return None
    rest = count(len(runs) - MOST_RUNS, "more run")
    return Paragraph(f"{rest}: `fitguard report {shlex.quote(folder)}/ID` shows one.")
