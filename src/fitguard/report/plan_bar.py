"""The bar: the card, or without one what the step needs, with what fills it."""

from typing import NamedTuple

from fitguard.report.plan_words import card_name
from fitguard.report.words import percent, size
from fitguard.schema.plan import Plan

LETTERS = {
    "others": "X",
    "context": "C",
    "weights": "W",
    "optimizer": "O",
    "gradients": "G",
    "activations": "A",
    "workspace": "K",
    "input": "I",
    "slack": "S",
    "rest": "?",
    "free": ".",
}
"""What fills a card, from left to right, and the letter of each where there is no colour."""

LABELS = {
    "others": "driver, others",
    "context": "CUDA, reserve",
    "rest": "not told apart",
}


class Segment(NamedTuple):
    """One part of the bar.

    Args:
        share: Of the whole bar, in words.
        left: Where it begins, in percent of the bar.
        width: In percent of the bar.
    """

    slug: str
    bytes: int
    share: str
    left: float
    width: float

    @property
    def label(self) -> str:
        """What it is called."""
        return LABELS.get(self.slug, self.slug)


class Bar(NamedTuple):
    """The whole bar.

    Args:
        card_bytes: What the card has; None without one.
        missing_bytes: How much more than the card has would be needed; 0 where it is enough.
        limit: Where the card ends, in percent of the bar; None where the bar ends with it.
    """

    title: str
    segments: tuple[Segment, ...]
    total_bytes: int
    card_bytes: int | None
    missing_bytes: int
    limit: float | None


def bar(plan: Plan) -> Bar:
    """What fills the card at the dearest moment of the step."""
    parts = _filling(plan)
    card = plan.card.memory_bytes if plan.card else None
    taken = sum(parts.values())
    if card is not None:
        parts["free"] = max(card - taken, 0)
    total = max(taken, card or 0) or 1
    missing = max(taken - card, 0) if card is not None else 0
    segments, begun = [], 0
    for slug in LETTERS:
        if part := parts.get(slug, 0):
            left, width = (round(100 * held / total, 2) for held in (begun, part))
            segments.append(Segment(slug, part, percent(part, total), left, width))
            begun += part
    limit = round(100 * card / total, 2) if card is not None and missing else None
    return Bar(_title(plan), tuple(segments), total, card, missing, limit)


def _title(plan: Plan) -> str:
    needed = f"the {size(plan.required_bytes.likely)} that the step needs"
    if plan.card is None:
        return f"What fills {needed}"
    name = card_name(plan.card)
    whole = name if plan.card.name else f"The card of {name}"
    return f"{whole}, at the dearest moment of the step"


def _filling(plan: Plan) -> dict[str, int]:
    """Bytes by category, without what is free. The step's parts add up to what it needs."""
    held = {slug: getattr(plan.breakdown, slug, 0) for slug in LETTERS if slug != "context"}
    held["rest"] = plan.required_bytes.likely - sum(held.values())
    if plan.card is not None:
        held["others"] = plan.card.memory_bytes - plan.card.free_bytes
        held["context"] = plan.card.free_bytes - plan.card.usable_bytes
    return {slug: part for slug, part in held.items() if part > 0}
