"""A plan in Markdown."""

from fitguard.report.markdown_blocks import details, escaped, fenced, table
from fitguard.report.plan_bar import bar
from fitguard.report.plan_rows import (
    advice_title,
    batch_rows,
    layer_table,
    memory_rows,
    most_of,
    remarks,
    step_rows,
)
from fitguard.report.plan_words import THREE_NUMBERS, verdict
from fitguard.report.sections import Section
from fitguard.report.words import joined, size
from fitguard.schema.plan import Advice, Plan

MOST_LAYERS = 10


def plan_blocks(plan: Plan) -> list[str]:
    """The verdict, the numbers, what fills the card, what would help; layers and reasons folded."""
    memory = Section("", ("memory", "likely", "range", "what it is"), memory_rows(plan))
    return [
        f"## fitguard plan: {escaped(verdict(plan))}",
        table(Section("", (), [*step_rows(plan), *batch_rows(plan)])),
        table(memory),
        escaped(THREE_NUMBERS),
        *_filling(plan),
        *([f"### {advice_title(plan)}"] if plan.advice else []),
        *(block for number, one in enumerate(plan.advice, 1) for block in _advice(number, one)),
        *_unknown(plan),
        *_layers(plan),
        *details("Why the ranges are as wide as they are", _list(plan.reasons)),
    ]


def _filling(plan: Plan) -> list[str]:
    drawn = bar(plan)
    rows = [(part.label, size(part.bytes), part.share) for part in drawn.segments]
    missing = f"{size(drawn.missing_bytes)} are missing." if drawn.missing_bytes else ""
    return [f"**{escaped(drawn.title)}**", table(Section("", ("part", "holds", "share"), rows)),
            missing]  # fmt: skip


def _advice(number: int, advice: Advice) -> list[str]:
    return [
        f"#### {number}. {escaped(advice.title)}",
        escaped(joined(words for words, _ in remarks(advice))),
        escaped(advice.text),
        fenced(advice.code, "python") if advice.code else "",
    ]


def _unknown(plan: Plan) -> list[str]:
    told = [f"- **{escaped(u.part)}** ({most_of(u)}): {escaped(u.text)}" for u in plan.unknown]
    return ["### What is not known", "\n".join(told)] if told else []


def _layers(plan: Plan) -> list[str]:
    shown = layer_table(plan, plan.layers[:MOST_LAYERS])
    rest = layer_table(plan, plan.layers[MOST_LAYERS:])
    return [
        f"### {shown.title}" if plan.layers else "",
        table(shown),
        *(details("The other layers", [table(rest)]) if rest.rows else []),
    ]


def _list(sentences: tuple[str, ...]) -> list[str]:
    return ["\n".join(f"- {escaped(sentence)}" for sentence in sentences)] if sentences else []
