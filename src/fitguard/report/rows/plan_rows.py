"""The parts of a plan as rows: the step, its memory, batches, layers, what would help."""

from collections.abc import Iterator

from fitguard.report.blocks import Row, Span, Table
from fitguard.report.rows.plan_words import LONGEST_NAME, MODES, card_name, ends, parts
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.plan import Advice, Card, Measured, Plan, Range, Unknown
from fitguard.words import count, join, percent, shape, short, size

MOST_LAYERS = 8
"""More layers than these would push the advice off a console."""
MEANINGS = {
    "required": "the least that the step runs in",
    "comfortable": "what it takes if there is room",
    "process": "what nvidia-smi shows",
}


def step_rows(plan: Plan) -> list[Row]:
    """Labels and values: the model, its training, what it is fed, the mode, the card."""
    step = plan.step
    parameters = count(step.parameters, "parameter") if step.parameters else None
    fed = [f"{short(name, LONGEST_NAME)} {shape(axes)} {kind}" for name, axes, kind in step.inputs]
    names = [short(name, LONGEST_NAME) for name in (step.optimizer, step.loss, step.policy)]
    rows = [
        ("Model", join([short(step.model, LONGEST_NAME), parameters])),
        ("Training", join(names)),
        ("Inputs", join(fed)),
        ("Mode", MODES[plan.mode] + (f" ({step.mode_reason})" if step.mode_reason else "")),
        ("Card", _card(plan.card) if plan.card else ""),
        ("Measured", _format_measurement(plan.measured) if plan.measured else ""),
        ("Assumed", " ".join((*plan.assumptions, *_note(plan)))),
    ]
    return [(name, value) for name, value in rows if value]


def _note(plan: Plan) -> tuple[str, ...]:
    return (plan.card.note,) if plan.card and plan.card.note else ()


def _card(card: Card) -> str:
    origin = {"given": "", "table": "from fitguard's table of cards"}.get(card.origin, card.origin)
    free = f"{size(card.free_bytes)} free" if card.free_bytes != card.memory_bytes else None
    return join([card_name(card), free, f"{size(card.usable_bytes)} usable", origin])


def _format_measurement(measured: Measured) -> str:
    ran, failed, peak = measured.runs_bytes, measured.fails_bytes, measured.peak_bytes
    return join(
        [
            short(measured.gpu, LONGEST_NAME),
            f"ran in {size(ran)}" if ran is not None else None,
            f"failed in {size(failed)}" if failed is not None else None,
            f"peak with room {size(peak)}" if peak is not None else None,
            measured.taken,
        ]
    )


def memory_table(plan: Plan) -> Table:
    """The three numbers: what each means, the likely value, its range."""
    spans: tuple[tuple[str, Range], ...] = (
        ("required", plan.required_bytes),
        ("comfortable", plan.comfortable_bytes),
        ("process", plan.process_bytes),
    )
    rows = tuple((name, MEANINGS[name], size(span.likely), ends(span)) for name, span in spans)
    return drop_empty_columns(Table(("memory", "what it is", "likely", "range"), rows))


def batch_rows(plan: Plan) -> list[Row]:
    """The largest batch, the micro-batch, and what one more sample costs; empty ones left out."""
    rows = [("Each sample", f"{size(plan.batch_bytes)} more" if plan.batch_bytes > 0 else "")]
    if plan.card is None:
        return [row for row in rows if row[1]]
    largest, micro = plan.largest_batch_size, plan.micro_batch_size
    if largest is not None:
        told = f"{largest:,}" if largest else "none: not even one sample fits"
        rows.insert(0, ("Largest batch", told))
    if micro is not None and micro < plan.batch_size:
        rows.insert(1, ("Micro-batch", parts(plan)))
    return [row for row in rows if row[1]]


def layer_table(plan: Plan) -> Table:
    """Name, kind, bytes, share of what the step needs, and what each further sample adds."""
    whole = plan.required_bytes.likely
    rows = tuple(
        (
            short(layer.name, LONGEST_NAME),
            short(layer.kind, LONGEST_NAME),
            size(layer.bytes),
            percent(layer.bytes, whole),
            size(layer.grows_bytes) if layer.grows_bytes else "",
        )
        for layer in plan.layers
    )
    headers = ("layer", "kind", "holds", "share", "per sample")
    return drop_empty_columns(Table(headers, rows, most=MOST_LAYERS, noun="more layer"))


def remarks(advice: Advice) -> Iterator[Span]:
    """What it saves and what it costs: bytes, whether that is enough, results, batch."""
    yield Span(f"saves {size(advice.saved_bytes)}, then needs {size(advice.required_bytes)}")
    if advice.enough is not None:
        enough = Span("enough", tone="fine")
        yield enough if advice.enough else Span("not enough alone", tone="warning")
    changes = Span("changes the results", tone="warning")
    yield changes if advice.changes_results else Span("same results")
    if advice.largest_batch_size:
        yield Span(f"batches up to {advice.largest_batch_size:,}")


def most_of(unknown: Unknown) -> str:
    """How much the unknown part may be."""
    if unknown.most_bytes is None:
        return "no upper limit"
    return f"at most {size(unknown.most_bytes)}"
