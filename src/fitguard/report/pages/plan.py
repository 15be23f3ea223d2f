"""The page of a plan: the verdict, the numbers, what fills the card, what would help."""

from collections.abc import Iterator

from fitguard.report.blocks import (
    Block,
    Code,
    Folded,
    Items,
    Page,
    Pairs,
    Paragraph,
    Section,
    Span,
    Verdict,
    Words,
    present,
)
from fitguard.report.charts.bar import build_bar
from fitguard.report.charts.step_memory import draw_step
from fitguard.report.rows.plan_rows import (
    batch_rows,
    layer_table,
    memory_table,
    most_of,
    remarks,
    step_rows,
)
from fitguard.report.rows.plan_words import THREE_NUMBERS, planning_time, tone, verdict
from fitguard.report.rows.shortage_words import describe_card, describe_shortage
from fitguard.schema.plan import Advice, Plan, Shortage, Unknown
from fitguard.words import count

RANGES = "Why the ranges are as wide as they are"


def build_page(plan: Plan) -> Page:
    """Layers, moments and reasons are cut or folded where there is no room."""
    return Page(
        "fitguard plan",
        present(
            Pairs((*step_rows(plan), *batch_rows(plan))),
            _build_memory(plan),
            build_bar(plan),
            _build_curve(plan),
            *_build_advice(plan),
            Section("What is not known", present(Items(tuple(map(_describe, plan.unknown))))),
            Section("Layers that need the most memory", present(layer_table(plan))),
            _fold_reasons(plan),
            Paragraph(Span(planning_time(plan) if plan.seconds else "", "faint")),
        ),
        Verdict(verdict(plan), tone(plan)),
    )


def _build_memory(plan: Plan) -> Section:
    each = ", on each GPU" if plan.step.replicas > 1 else ""
    meaning = Paragraph(Span(THREE_NUMBERS, "faint"))
    return Section(f"Memory of the step{each}", (memory_table(plan), meaning))


def _build_curve(plan: Plan) -> Section | None:
    drawn = draw_step(plan)
    return Section(drawn.title, (drawn,)) if drawn else None


def _build_advice(plan: Plan) -> Iterator[Block]:
    title = "What would save memory" if plan.fits or plan.card is None else "What to do"
    numbered = enumerate(plan.advice, start=1)
    blocks = tuple(_describe_advice(number, advice) for number, advice in numbered)
    if plan.shortage is None:
        yield Section(title, blocks, boxed=False)
        return
    why = Paragraph(Span(describe_shortage(plan.shortage), "strong"))
    yield Section("Why not even one sample fits", (why,))
    last = present(Paragraph(_close_advice(plan, plan.shortage)))
    yield Section("What would make one sample fit", (*blocks, *last), boxed=False)


def _close_advice(plan: Plan, shortage: Shortage) -> str:
    """What comes after the advice for one sample."""
    sentences = []
    if any(one.enough for one in plan.advice) and plan.batch_size > 1:
        sentences.append(
            f"If the batch of {plan.batch_size:,} does not fit then, `fitguard run` trains it in "
            "parts."
        )
    elif plan.advice:
        sentences.append("Nothing of this is enough.")
    return " ".join([*sentences, describe_card(shortage)]).strip()


def _describe_advice(number: int, advice: Advice) -> Section:
    line: list[str | Span] = []
    for remark in remarks(advice):
        line += [" · ", remark] if line else [remark]
    code = Code((advice.code,) if advice.code else (), "python")
    return Section(
        f"{number}. {advice.title}",
        present(Paragraph(tuple(line)), Paragraph(advice.text), code),
        tone="fine" if advice.enough else "info",
    )


def _describe(unknown: Unknown) -> Words:
    return (Span(unknown.part, "strong"), f" ({most_of(unknown)}): {unknown.text}")


def _fold_reasons(plan: Plan) -> Folded:
    many = f"{count(len(plan.reasons), 'reason')} for the ranges (--verbose lists them)"
    brief = (Paragraph(Span(many, "faint")),)
    return Folded(RANGES, present(Items(plan.reasons)), brief=brief)
