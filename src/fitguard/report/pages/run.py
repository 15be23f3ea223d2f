"""The page of a run: how it stands, its attempts and why they failed, metrics, memory, notes."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from fitguard.report.blocks import (
    Block,
    Drawing,
    Finding,
    Folded,
    Items,
    Page,
    Pairs,
    Paragraph,
    Quotation,
    Section,
    Span,
    Verdict,
    Words,
    present,
)
from fitguard.report.charts.measured import draw_gpus, draw_steps
from fitguard.report.charts.memory import draw_memory
from fitguard.report.charts.metrics import draw_metrics
from fitguard.report.charts.timeline import draw_timeline
from fitguard.report.rows.run_rows import (
    action,
    attempt_table,
    collect_unguarded,
    epoch_table,
    fit_table,
    inexact,
    notes,
    run_rows,
    snapshot_rows,
)
from fitguard.report.rows.run_words import (
    advice,
    choose_tone,
    find_named_cause,
    moment,
    outcome,
    verdict,
)
from fitguard.schema.finding import SEVERITIES, Evidence
from fitguard.schema.run import Attempt, Run, RunAlert, RunDecision, RunProfile
from fitguard.words import join, numbers

MOST_DECISIONS = 8


def build_page(run: Run) -> Page:
    """What is not guarded or not exact comes before the pictures."""
    return Page(
        "fitguard run",
        present(
            Pairs(tuple(run_rows(run))),
            None if run.attempts else Paragraph("Nothing was started yet."),
            Section(
                "What is not guarded", present(Items(tuple(collect_unguarded(run)))), tone="error"
            ),
            _build_inexact(run),
            _picture(draw_timeline(run)),
            Section("Attempts", present(attempt_table(run))),
            *build_failures(run),
            build_alerts(run.alerts),
            Section(
                "Profiles", present(Items(tuple(_describe_profile(one) for one in run.profiles)))
            ),
            *map(_picture, draw_metrics(run)),
            Folded("Epochs", present(epoch_table(run)), console=False),
            _picture(draw_memory(run)),
            *map(_picture, draw_steps(run)),
            Folded("GPUs", present(*map(_picture, draw_gpus(run))), console=False),
            build_decisions(run.decisions),
            Section("Notes", present(Items(tuple(notes(run))))),
            Section("Calls of fit", present(fit_table(run))),
            Section("Snapshots", present(Pairs(tuple(snapshot_rows(run))))),
            Folded("The end of the output", present(Quotation("\n".join(run.output), is_end=True))),
        ),
        Verdict(verdict(run), choose_tone(run), next=advice(run)),
    )


def _picture(drawn: Drawing | None) -> Section | None:
    return Section(drawn.title, (drawn,)) if drawn else None


def _build_inexact(run: Run) -> Section:
    several = len(run.fits) > 1
    reasons: tuple[Words, ...] = tuple(
        (Span(f"{fit}: ", "strong"), why) if several else why for fit, why in inexact(run)
    )
    meaning = Paragraph("After a restart, the result may differ from that of an undisturbed run:")
    return Section("What is not exact", (meaning, Items(reasons)) if reasons else (), "warning")


def build_failures(run: Run) -> Iterator[Block]:
    """One for each reason, the newest first; a console shows the newest alone."""
    groups: dict[tuple[str, str, str], list[Attempt]] = {}
    for attempt in run.attempts:
        if attempt.cause or attempt.evidence:
            groups.setdefault((outcome(attempt), attempt.cause, attempt.why), []).append(attempt)
    newest_first = [_build_failure(attempts) for attempts in reversed(groups.values())]
    yield from newest_first[:1]
    yield Folded("Earlier failures", tuple(newest_first[1:]))


def _build_failure(attempts: Sequence[Attempt]) -> Section:
    last = attempts[-1]
    which = "Attempt" if len(attempts) == 1 else "Attempts"
    doubt = "" if last.confidence in (None, "high") else f" ({last.confidence} confidence)"
    lines = dict.fromkeys(line for attempt in attempts for line in attempt.evidence)
    title = f"{which} {numbers([one.number for one in attempts])}"
    return Section(
        f"{title}: {join([outcome(last), find_named_cause(last)])}",
        present(Paragraph(f"{last.why}{doubt}"), Quotation("\n".join(lines))),
        tone="error",
    )


def _describe_profile(profile: RunProfile) -> Words:
    """The page lies beside the folder of traces; a live page has no such place."""
    if not profile.folder:
        return (Span(f"{profile.text}."),)
    name = profile.folder.rpartition("/")[2]
    link = f"profiles/{quote(name, safe='', errors='replace')}"
    return (Span(f"{profile.text}. Trace: "), Span(profile.folder, link=link))


def build_alerts(alerts: Sequence[RunAlert]) -> Section:
    """What detectors found, the gravest first; what several attempts had in common once."""
    groups: dict[tuple[str, str], list[RunAlert]] = {}
    for alert in alerts:
        groups.setdefault((alert.code, alert.subject), []).append(alert)
    gravest_first = sorted(groups.values(), key=lambda one: SEVERITIES.index(one[-1].severity))
    return Section("Alerts", tuple(map(_build_alert, gravest_first)), boxed=False)


def _build_alert(alerts: Sequence[RunAlert]) -> Finding:
    last = alerts[-1]
    which = numbers(sorted({alert.attempt for alert in alerts}))
    doubt = () if last.confidence == "high" else (f"{last.confidence} confidence",)
    return Finding(
        code=last.code,
        slug=last.slug,
        tone=last.severity,
        title=last.title,
        confidence=last.confidence,
        remarks=(f"attempt {which}", moment(last.time), *doubt),
        evidence=(Evidence(last.text, "flight record"),),
        fix=last.fix,
    )


def build_decisions(decisions: Sequence[RunDecision]) -> Section:
    """What was decided, the newest last."""
    items = Items(
        tuple(map(_describe, decisions)),
        most=MOST_DECISIONS,
        noun="earlier decision",
        newest_last=True,
    )
    return Section("Decisions", present(items))


def _describe(decision: RunDecision) -> Words:
    changes = Span(" (changes the results)", tone="warning")
    return (
        Span(f"{moment(decision.time)[:-6]} ", "faint"),
        Span(action(decision.action), "strong"),
        f": {decision.text}",
        *([changes] if decision.changes_results else []),
    )
