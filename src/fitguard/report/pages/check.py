"""The page of a check: one verdict, what to do next, then machine, data and memory of each fit."""

from collections.abc import Iterator

from fitguard.report.blocks import (
    Block,
    Code,
    Folded,
    Items,
    Page,
    Pairs,
    Paragraph,
    Row,
    Section,
    Span,
    Tone,
    Verdict,
    Words,
    present,
)
from fitguard.report.pages import data, doctor, plan
from fitguard.report.pages.findings import HasFindings, build_verdict
from fitguard.report.rows.plan_words import tone
from fitguard.schema.check import CheckedFit, CheckReport, NextStep
from fitguard.schema.plan import Plan
from fitguard.words import size

_TONES: dict[str, Tone] = {"ready": "fine", "warnings": "warning", "fails": "error"}


def build_page(report: CheckReport) -> Page:
    """All but the verdict, the next steps and one line for each part is folded."""
    numbered = enumerate(report.steps, start=1)
    return Page(
        "fitguard check",
        present(
            Section(
                "What to do next",
                tuple(_build_step(number, step, report) for number, step in numbered),
                boxed=False,
            ),
            Section("What was checked", present(Pairs(tuple(_list_parts(report))))),
            Section("Notes", present(Items(report.notes))),
            *_fold_parts(report),
            Paragraph(Span(f"Checked in {report.seconds:.0f} s.", "faint"))
            if report.seconds
            else None,
        ),
        Verdict(report.headline, _TONES[report.verdict]),
    )


def _build_step(number: int, step: NextStep, report: CheckReport) -> Section:
    changes = "This changes the numbers that the training gives." if step.changes_results else ""
    return Section(
        f"{number}. {step.title}",
        present(
            Paragraph(Span(_name_fits(step, report), "faint")),
            Paragraph(step.text),
            Code(step.commands),
            Code((step.code,) if step.code else (), "python"),
            Paragraph(Span(changes, tone="warning")),
        ),
        tone="info",
    )


def _name_fits(step: NextStep, report: CheckReport) -> str:
    if len(report.fits) < 2 or not step.fits:
        return ""
    return "In " + ", ".join(_name(fit) for fit in report.fits if fit.number in step.fits) + "."


def _name(fit: CheckedFit) -> str:
    name = fit.method if fit.number == 1 else f"{fit.method} {fit.number}"
    return f"{name} (line {fit.line})" if fit.line else name


def _list_parts(report: CheckReport) -> Iterator[Row]:
    if report.doctor is not None:
        yield "machine", _judge(report.doctor)
    for fit in report.fits:
        if fit.data is not None:
            yield f"data of {_name(fit)}", _judge(fit.data)
        if fit.plan is not None:
            yield f"memory of {_name(fit)}", Span(_weigh(fit.plan), tone=tone(fit.plan))
        for failure in fit.failures:
            yield _name(fit), Span(failure.splitlines()[0], tone="error")
        yield from ((_name(fit), Span(note, tone="warning")) for note in fit.notes)


def _judge(report: HasFindings) -> Words:
    verdict = build_verdict(report, "no problem found")
    return Span(verdict.text, tone=verdict.tone), " · ", Span(verdict.aside, "faint")


def _weigh(plan: Plan) -> str:
    needed = f"a batch of {plan.batch_size} needs {size(plan.required_bytes.likely)}"
    if plan.card is None:
        return needed
    answer = {True: "fits", False: "does not fit", None: "may fit"}[plan.fits]
    return f"{answer}: {needed}, and {size(plan.card.usable_bytes)} can be used"


def _fold_parts(report: CheckReport) -> Iterator[Block]:
    if report.doctor is not None:
        hint = Paragraph(Span("--verbose shows the details of each part.", "faint"))
        yield Folded("Machine", doctor.build_page(report.doctor).blocks, brief=(hint,))
    for fit in report.fits:
        if fit.data is not None:
            yield Folded(f"Data of {_name(fit)}", data.build_page(fit.data).blocks)
        if fit.plan is not None:
            yield Folded(f"Memory of {_name(fit)}", plan.build_page(fit.plan).blocks)
