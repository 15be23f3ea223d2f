"""The parts of a plan as rows: the step, its memory, batches, layers, what would help."""

from collections.abc import Iterator, Sequence

from fitguard.report.headline import Row
from fitguard.report.plan_words import LONGEST_NAME, MODES, card_name, ends, parts
from fitguard.report.sections import Section, filled
from fitguard.report.words import count, joined, percent, shape, short, size
from fitguard.schema.plan import Advice, Card, LayerCost, Measured, Plan, Range, Unknown

MEANINGS = {
    "required": "the least memory in which the step runs",
    "comfortable": "what it takes where there is room",
    "process": "what nvidia-smi shows",
}


def step_rows(plan: Plan) -> list[Row]:
    """Labels and values: the model, its training, what it is fed, the mode, the card."""
    step = plan.step
    parameters = count(step.parameters, "parameter") if step.parameters else None
    fed = [f"{short(name, LONGEST_NAME)} {shape(axes)} {kind}" for name, axes, kind in step.inputs]
    names = [short(name, LONGEST_NAME) for name in (step.optimizer, step.loss, step.policy)]
    rows = [
        ("Model", joined([short(step.model, LONGEST_NAME), parameters])),
        ("Training", joined(names)),
        ("Inputs", joined(fed)),
        ("Mode", MODES[plan.mode] + (f" ({step.mode_reason})" if step.mode_reason else "")),
        ("Card", _card(plan.card) if plan.card else ""),
        ("Measured", _measured(plan.measured) if plan.measured else ""),
        ("Assumed", " ".join((*plan.assumptions, *_note(plan)))),
    ]
    return [(name, value) for name, value in rows if value]


def _note(plan: Plan) -> tuple[str, ...]:
    return (plan.card.note,) if plan.card and plan.card.note else ()


def _card(card: Card) -> str:
    origin = {"given": "", "table": "from the table of cards"}.get(card.origin, card.origin)
    free = f"{size(card.free_bytes)} free" if card.free_bytes != card.memory_bytes else None
    return joined([card_name(card), free, f"{size(card.usable_bytes)} usable", origin])


def _measured(measured: Measured) -> str:
    ran, failed, peak = measured.runs_bytes, measured.fails_bytes, measured.peak_bytes
    return joined(
        [
            short(measured.gpu, LONGEST_NAME),
            f"ran in {size(ran)}" if ran is not None else None,
            f"failed in {size(failed)}" if failed is not None else None,
            f"peak with room {size(peak)}" if peak is not None else None,
            measured.taken,
        ]
    )


def memory_rows(plan: Plan) -> list[tuple[str, str, str, str]]:
    """For each of the three numbers: its name, the likely value, its range, what it means."""
    spans: tuple[tuple[str, Range], ...] = (
        ("required", plan.required_bytes),
        ("comfortable", plan.comfortable_bytes),
        ("process", plan.process_bytes),
    )
    return [(name, size(span.likely), ends(span), MEANINGS[name]) for name, span in spans]


def batch_rows(plan: Plan) -> list[Row]:
    """The largest batch, the micro-batch, and what one more sample costs; empty ones left out."""
    rows = [("One more sample", f"{size(plan.batch_bytes)} more" if plan.batch_bytes > 0 else "")]
    if plan.card is None:
        return [row for row in rows if row[1]]
    largest, micro = plan.largest_batch_size, plan.micro_batch_size
    if largest is not None:
        told = f"{largest:,}" if largest else "none: not even one sample fits"
        rows.insert(0, ("Largest batch", told))
    if micro is not None and micro < plan.batch_size:
        rows.insert(1, ("Micro-batch", parts(plan)))
    return [row for row in rows if row[1]]


def layer_table(plan: Plan, layers: Sequence[LayerCost]) -> Section:
    """Name, kind, bytes, share of what the step needs, and what each further sample adds."""
    whole = plan.required_bytes.likely
    rows = [
        (
            short(layer.name, LONGEST_NAME),
            short(layer.kind, LONGEST_NAME),
            size(layer.bytes),
            percent(layer.bytes, whole),
            size(layer.grows_bytes) if layer.grows_bytes else "",
        )
        for layer in layers
    ]
    headers = ("layer", "kind", "holds", "share", "per sample")
    return filled(Section("Dearest layers", headers, rows))


def advice_title(plan: Plan) -> str:
    """What the advice is for."""
    return "What would save memory" if plan.fits or plan.card is None else "What to do"


def remarks(advice: Advice) -> Iterator[tuple[str, str]]:
    """What it gives and what it costs, each with a tone: bytes, enough, results, batch."""
    yield (f"saves {size(advice.saved_bytes)}, needs {size(advice.required_bytes)} then", "")
    if advice.enough is not None:
        yield ("enough", "fine") if advice.enough else ("not enough alone", "warning")
    yield ("changes the results", "warning") if advice.changes_results else ("same results", "")
    if advice.largest_batch_size:
        yield (f"batches up to {advice.largest_batch_size:,}", "")


def most_of(unknown: Unknown) -> str:
    """How much the unknown part may be."""
    if unknown.most_bytes is None:
        return "nothing bounds it"
    return f"at most {size(unknown.most_bytes)}"
