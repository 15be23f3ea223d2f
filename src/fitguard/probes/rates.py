"""What was measured, beside what the card should give."""

from collections.abc import Iterable, Mapping
from typing import Any

from fitguard.probes.devices import Device
from fitguard.schema.probe import Rate


def judge_rates(
    told: Iterable[Mapping[str, Any]], device: Device, measured: Mapping[str, float | None]
) -> tuple[Rate, ...]:
    """Each rate with what is expected of this card.

    Args:
        measured: What NVML told meanwhile, by column.
    """
    return tuple(
        Rate(name=str(one["name"]), value=float(one["value"]), unit=str(one["unit"]))
        for one in told
    )
