"""Why a rate may be far below what the card can do, as NVML tells it."""

from collections.abc import Iterator, Mapping

from fitguard.facts.gpu import THROTTLE_BITS
from fitguard.knowledge.card_rates import CardRates
from fitguard.schema.hardware import Gpu
from fitguard.words import count, size

PARTED = (
    "The GPU is parted with MIG, and one part was measured: it has a share of what the whole card "
    "can do."
)
_LINKED = ("host-to-device", "device-to-host", "peer-copy")
_BUSY_RATIO = 0.5
_LOW_CLOCK = 0.8
_LOW_POWER = 0.95

Measured = Mapping[str, float | None]


def find_reasons(rate: str, gpu: Gpu, card: CardRates, measured: Measured) -> Iterator[str]:
    """One sentence each, the likeliest first.

    Args:
        rate: Its name.
        gpu: As it was before the probe.
        measured: What NVML told meanwhile, by column.
    """
    if rate in _LINKED:
        yield from _explain_link(gpu, card)
    yield from _explain_throttling(gpu, measured)
    yield from _explain_clock(gpu, measured)
    yield from _explain_power(gpu)
    if rate == "device-memory" and gpu.ecc_enabled and card.loses_to_ecc:
        yield (
            "ECC is on, and this card keeps the check bits in its ordinary memory: that takes a "
            "part of the rate."
        )
    yield from _explain_others(gpu)


def _explain_link(gpu: Gpu, card: CardRates) -> Iterator[str]:
    width, generation = gpu.pcie_width, gpu.pcie_generation
    lanes = card.pcie_lanes or gpu.pcie_width_most
    if width and lanes and width < lanes:
        yield (
            f"The PCIe link has {count(width, 'lane')}, and the card can use {lanes}: look at the "
            "slot, a riser, or what shares its lanes."
        )
    most = card.pcie_generation or gpu.pcie_generation_most
    reachable = gpu.pcie_generation_most
    if reachable and most and reachable < most:
        yield (
            f"The slot offers PCIe generation {reachable}, and the card can do generation {most}."
        )
    if generation and reachable and generation < reachable:
        yield (
            f"The PCIe link ran at generation {generation} of {reachable} before the probe. An "
            "idle GPU lowers it, so look again under load, with "
            "`nvidia-smi --query-gpu=pcie.link.gen.current --format=csv -l 1`."
        )


def _explain_throttling(gpu: Gpu, measured: Measured) -> Iterator[str]:
    bits = int(measured.get(f"gpu_throttle_reasons:{gpu.index}") or 0)
    kinds = {word for bit, word in THROTTLE_BITS.items() if bits & bit} | set(gpu.throttled_by)
    if kinds & {"sw-thermal", "hw-thermal"}:
        celsius = measured.get(f"gpu_temperature:{gpu.index}") or gpu.temperature_celsius
        heat = f" at {celsius:.0f} °C" if celsius else ""
        yield f"The GPU is too hot and lowers its clock{heat}: look at fans, dust and airflow."
    if "hw-power-brake" in kinds:
        yield "The power supply asks the GPU to slow down (power brake)."
    if "hw-slowdown" in kinds and not kinds & {"hw-thermal", "hw-power-brake"}:
        yield "The hardware lowers the clock, for heat or for the power supply."
    if "sw-power-cap" in kinds:
        limit = measured.get(f"gpu_power_limit:{gpu.index}") or gpu.power_limit_watts
        watts = f" of {limit:.0f} W" if limit else ""
        yield f"The clock is lowered to stay below the power limit{watts}."


def _explain_clock(gpu: Gpu, measured: Measured) -> Iterator[str]:
    clock, most, busy = (
        measured.get(f"{name}:{gpu.index}")
        for name in ("gpu_clock", "gpu_clock_limit", "gpu_busy_ratio")
    )
    # An idle GPU lowers its clock, and that says nothing.
    if clock and most and busy and busy > _BUSY_RATIO and clock < _LOW_CLOCK * most:
        yield f"Its clock was {clock / 1e6:.0f} MHz, and can be {most / 1e6:.0f} MHz."


def _explain_power(gpu: Gpu) -> Iterator[str]:
    limit, usual = gpu.power_limit_watts, gpu.power_default_watts
    if limit and usual and limit < _LOW_POWER * usual:
        yield f"Somebody set its power limit to {limit:.0f} W; usual are {usual:.0f} W."


def _explain_others(gpu: Gpu) -> Iterator[str]:
    others = [process for process in gpu.processes or () if not process.own]
    if others:
        held = sum(process.used_bytes or 0 for process in others)
        memory = f", with {size(held)} of its memory" if held else ""
        yield f"{count(len(others), 'other process', 'other processes')} used the GPU{memory}."
