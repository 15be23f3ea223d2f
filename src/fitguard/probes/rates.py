"""What was measured, beside what the card should give."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from fitguard.knowledge import knowledge
from fitguard.knowledge.card_rates import CardRates
from fitguard.knowledge.thresholds import threshold
from fitguard.probes.devices import Device
from fitguard.probes.slowness import PARTED, find_reasons
from fitguard.schema.hardware import Gpu
from fitguard.schema.probe import Rate

_THRESHOLDS = {
    "matmul-float32": "slow-float32",
    "matmul-tf32": "slow-tensor-cores",
    "matmul-float16": "slow-tensor-cores",
    "matmul-bfloat16": "slow-tensor-cores",
    "device-memory": "slow-device-memory",
    "host-to-device": "slow-host-copy",
    "device-to-host": "slow-host-copy",
    "peer-copy": "slow-peer-copy",
}
_SHARE_OF_UNCERTAIN = 0.5
"""What was not verified has to be missed by twice as much."""


_MOST_SHARE = 1.2
"""Overclocked cards are a little faster than their data sheet."""
_TOO_FAST = "This is more than the data sheet allows, so one of the two is wrong."


def judge_rates(
    told: Iterable[Mapping[str, Any]], device: Device, measured: Mapping[str, float | None]
) -> tuple[Rate, ...]:
    """Each rate with what is expected of this card.

    Args:
        measured: What NVML told meanwhile, by column.
    """
    found = [_find_cards(gpu) for gpu in device.gpus]
    cards = [card for one in found for card in one] if all(found) else []
    return tuple(_judge(one, cards, device, measured) for one in told)


def note_unknown_cards(devices: Iterable[Device]) -> tuple[str, ...]:
    """What the user should know of cards that no table has."""
    names = [
        gpu.name or "this GPU"
        for device in devices
        for gpu in device.gpus
        if not _find_cards(gpu) and not gpu.mig_enabled
    ]
    return tuple(
        f"fitguard does not know how fast {name} should be, so its rates are not judged."
        for name in dict.fromkeys(names)
    )


def _find_cards(gpu: Gpu) -> tuple[CardRates, ...]:
    return knowledge().cards.find(gpu.name, gpu.memory_bytes) if gpu.name else ()


def _judge(
    one: Mapping[str, Any],
    cards: Sequence[CardRates],
    device: Device,
    measured: Mapping[str, float | None],
) -> Rate:
    rate = Rate(name=str(one["name"]), value=float(one["value"]), unit=str(one["unit"]))
    expectations = [
        (expected, card) for card in cards if (expected := card.expect(rate.name)) is not None
    ]
    if not expectations or rate.name not in _THRESHOLDS:
        return rate
    # Where the name leaves the card open, the slowest counts: a doubt is no fault.
    expected, card = min(expectations, key=lambda pair: pair[0])
    rate = msgspec.structs.replace(rate, expected=round(expected, 1), source=_cite(card))
    if any(gpu.mig_enabled for gpu in device.gpus):
        return msgspec.structs.replace(rate, reasons=(PARTED,))
    if rate.value > _MOST_SHARE * expected:
        return msgspec.structs.replace(rate, reasons=(_TOO_FAST,))
    share = float(threshold(_THRESHOLDS[rate.name]))
    if card.uncertain:
        share *= _SHARE_OF_UNCERTAIN
    if rate.value >= share * expected:
        return msgspec.structs.replace(rate, verdict="fine")
    reasons = [
        reason for gpu in device.gpus for reason in find_reasons(rate.name, gpu, card, measured)
    ]
    return msgspec.structs.replace(rate, verdict="slow", reasons=tuple(dict.fromkeys(reasons)))


def _cite(card: CardRates) -> str:
    return f"{card.source}; not verified" if card.uncertain else card.source
