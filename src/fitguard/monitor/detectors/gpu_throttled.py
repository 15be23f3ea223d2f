"""The GPU slows itself down."""

import statistics
from collections.abc import Iterator

from fitguard.facts.gpu import THROTTLE_BITS
from fitguard.monitor.detectors.framework.course import find_last
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import Column, FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import duration

_WORDS = {
    "sw-power-cap": "its power limit",
    "hw-slowdown": "a hardware slowdown (heat, power, or the board)",
    "sw-thermal": "heat, as the driver sees it",
    "hw-thermal": "heat, as the hardware sees it",
    "hw-power-brake": "the power supply (power brake)",
}
_NORMAL = "sw-power-cap"
_POWER = {"hw-power-brake"}
_HALF = 0.5


@detector("FG511", "gpu-throttled")
def gpu_throttled(record: FlightRecord, settings: Settings) -> Iterator[Alert]:
    """
    ## What it means
    The driver or the hardware lowers the clocks of a GPU, and says why: heat, a brake of the power
    supply, a hardware slowdown, or the power limit.

    ## How it is judged
    By the reasons that NVML gives, by name: one of them in half of the last 3 minutes. The power
    limit (`sw-power-cap`) is normal under load; it is reported only where the clock is below 60 %
    of the highest.

    ## How to fix it
    Heat: let air in, clean filters, check that all fans turn. Until then a lower power limit costs
    little speed. Power brake: check the cables and the power supply. In a data center, tell the
    operator. `fitguard explain FG311` says more.

    ## When this is wrong
    Laptops throttle under every long load. The reasons are sampled: what lasts for less than a
    moment is missed.

    ## References
    - NVIDIA NVML reference: clocks event reasons
    """
    for index in record.list_gpus():
        column = record.get(f"gpu_throttle_reasons:{index}")
        if not len(column) or column.times[-1] - column.times[0] < settings.throttled_seconds:
            continue
        shares = _measure_shares(column.since(column.times[-1] - settings.throttled_seconds))
        names = [name for name, share in shares.items() if share >= _HALF]
        if _NORMAL in names and not _is_slow(record, index, settings):
            names.remove(_NORMAL)
        if names:
            yield _build_alert(record, index, names, shares, settings)


def _measure_shares(column: Column) -> dict[str, float]:
    """How much of the time each reason was given."""
    given = [int(value) for value in column.last]
    return {
        name: sum(bool(reasons & bit) for reasons in given) / len(given)
        for bit, name in THROTTLE_BITS.items()
    }


def _is_slow(record: FlightRecord, index: int, settings: Settings) -> bool:
    clocks = record.get(f"gpu_clock:{index}").since(record.last_time - settings.throttled_seconds)
    limit = find_last(record.get(f"gpu_clock_limit:{index}"))
    if not len(clocks) or not limit:
        return False
    return statistics.median(clocks.last) < settings.power_cap_clock_share * limit


def _build_alert(
    record: FlightRecord,
    index: int,
    names: list[str],
    shares: dict[str, float],
    settings: Settings,
) -> Alert:
    heat = find_last(record.get(f"gpu_temperature:{index}"))
    at = f" It has {heat:.0f} °C." if heat else ""
    reasons = ", ".join(f"{name} {shares[name]:.0%}" for name in names)
    span = duration(settings.throttled_seconds)
    if set(names) <= _POWER:
        fix = "Check the power cables of the card, and whether the power supply is strong enough."
    elif names == [_NORMAL]:
        fix = "Raise the power limit (nvidia-smi -pl, as root) if the card allows more."
    else:
        fix = (
            "Give it more air: clean fans and filters, leave room between cards. Until then a "
            "lower power limit (nvidia-smi -pl, as root) costs little speed."
        )
    return Alert(
        severity="info" if names == [_NORMAL] else "warning",
        subject=f"GPU {index}",
        title=f"GPU {index} is slowed down by {_WORDS[names[-1]]}",
        evidence=(
            Evidence(f"Reasons in the last {span}: {reasons} of the time.{at}", "flight record"),
        ),
        fix=Fix(fix, commands=(f"nvidia-smi -i {index} -q -d TEMPERATURE,POWER,PERFORMANCE",)),
        numbers={f"{name}_share": shares[name] for name in names}
        | ({"celsius": heat} if heat else {}),
    )
