"""Why not even the smallest batch fits, and what would help, in sentences."""

from collections.abc import Sequence

from fitguard.report.rows.plan_words import LONGEST_NAME, stretch
from fitguard.schema.plan import Advice, LayerCost, Shortage
from fitguard.words import short, size

_SMALL = 100
"""What is so many times smaller than the rest is not worth a word."""


def describe_shortage(shortage: Shortage, *, failed: bool = False) -> str:
    """Which part is too large, with the bytes.

    Args:
        failed: Whether it was tried.
    """
    room = f"{size(max(shortage.usable_bytes, 0))} can be used"
    parts = shortage.breakdown
    begin = _begin(shortage, failed)
    if shortage.too_large == "state":
        kept = parts.weights + parts.optimizer + parts.gradients
        return f"{begin}: {_join(_list_state(shortage))} take {size(kept)} together, and {room}."
    if shortage.too_large == "layer":
        (dearest, *_) = shortage.layers
        return (
            f"{begin}: what the layer {_name(dearest)} computes takes "
            f"{size(dearest.activations_bytes)} by itself, beside "
            f"{size(parts.weights + parts.optimizer)} of weights and optimizer state, and {room}."
        )
    needs = f"{begin}: it needs {stretch(shortage.required_bytes)}, and {room}."
    computed = f"{size(parts.activations)} that the layers compute" if parts.activations else ""
    listed = _join([*_list_state(shortage, parts.activations // _SMALL), computed])
    dearest_layers = [f"{_name(one)} {size(one.activations_bytes)}" for one in shortage.layers]
    most = f" The dearest layers are {_join(dearest_layers)}." if dearest_layers else ""
    return f"{needs} It holds {listed}.{most}" if listed else needs


def describe_ways(shortage: Shortage, advice: Sequence[Advice]) -> str:
    """What would make it fit: one of these, or else a larger card."""
    enough = [one for one in advice if one.enough]
    if enough:
        return f"It would fit with one of these: {'; '.join(map(_describe, enough))}."
    tried = f"Not enough: {'; '.join(map(_describe, advice))}." if advice else ""
    return f"{tried} {describe_card(shortage)}".strip()


def describe_card(shortage: Shortage) -> str:
    """The card that has the room; empty where none is known."""
    if shortage.card_bytes is None:
        return ""
    what = "One sample" if shortage.batch_size == 1 else "It"
    return f"{what} fits a GPU with {size(shortage.card_bytes)}, as the script is."


def _begin(shortage: Shortage, failed: bool) -> str:
    sure = failed or shortage.required_bytes.low > shortage.usable_bytes
    if shortage.batch_size > 1:
        whole = f"A batch of {shortage.batch_size:,}"
        return f"{whole} does not fit" if sure else f"{whole} may not fit"
    return "Not even one sample fits" if sure else "Perhaps not even one sample fits"


def _list_state(shortage: Shortage, least_bytes: int = 0) -> list[str]:
    parts = shortage.breakdown
    named = (
        ("weights", parts.weights),
        ("the optimizer's state", parts.optimizer),
        ("gradients", parts.gradients),
    )
    return [f"{name} {size(held)}" for name, held in named if held > least_bytes]


def _describe(advice: Advice) -> str:
    changes = ", changes results" if advice.changes_results else ""
    return f"{advice.title} (needs {size(advice.required_bytes)}{changes})"


def _name(layer: LayerCost) -> str:
    kind = f" ({short(layer.kind, LONGEST_NAME)})" if layer.kind else ""
    return f"{short(layer.name, LONGEST_NAME)}{kind}"


def _join(parts: Sequence[str]) -> str:
    *most, last = [part for part in parts if part] or [""]
    return f"{', '.join(most)} and {last}" if most else last
