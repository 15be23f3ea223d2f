"""The bar: the card, or without one what the step needs, with what fills it."""

from fitguard.report.blocks import Bar, Part
from fitguard.report.rows.plan_words import card_name
from fitguard.schema.plan import Plan
from fitguard.words import percent, size

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
"""What fills a card, from left to right, and the letter of each where there is no color."""

LABELS = {
    "others": "driver, others",
    "context": "CUDA, reserve",
    "rest": "not assigned",
}


def build_bar(plan: Plan) -> Bar:
    """What fills the card when the step needs the most memory."""
    filling = _filling(plan)
    card = plan.card.memory_bytes if plan.card else None
    taken = sum(filling.values())
    if card is not None:
        filling["free"] = max(card - taken, 0)
    total = max(taken, card or 0) or 1
    parts, left = [], 0
    for slug, letter in LETTERS.items():
        if held := filling.get(slug, 0):
            begin, width = (round(100 * part / total, 2) for part in (left, held))
            label, share = LABELS.get(slug, slug), percent(held, total)
            parts.append(Part(slug, label, letter, size(held), share, begin, width))
            left += held
    if card is None or taken <= card:
        return Bar(_title(plan), tuple(parts))
    return Bar(_title(plan), tuple(parts), round(100 * card / total, 2), size(taken - card))


def _title(plan: Plan) -> str:
    needed = f"the {size(plan.required_bytes.likely)} that the step needs"
    if plan.card is None:
        return f"What fills {needed}"
    name = card_name(plan.card)
    whole = name if plan.card.name else f"The card of {name}"
    return f"{whole}, when the step needs the most"


def _filling(plan: Plan) -> dict[str, int]:
    """Bytes by category, without what is free. The step's parts add up to what it needs."""
    held = {slug: getattr(plan.breakdown, slug, 0) for slug in LETTERS if slug != "context"}
    held["rest"] = plan.required_bytes.likely - sum(held.values())
    if plan.card is not None:
        held["others"] = plan.card.memory_bytes - plan.card.free_bytes
        held["context"] = plan.card.free_bytes - plan.card.usable_bytes
    return {slug: part for slug, part in held.items() if part > 0}
