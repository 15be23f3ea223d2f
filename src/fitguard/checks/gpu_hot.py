"""The GPU is close to its temperature limit, or is slowed down by heat or by its power supply."""

from collections.abc import Iterator

from fitguard.checks.derived.visible_gpus import Visible
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Gpu

# Fans hold a GPU a few degrees below the limit: nearer than this they have lost.
_MARGIN_CELSIUS = 3
_HEAT = {"sw-thermal", "hw-thermal"}
_POWER = {"hw-power-brake"}


@check("FG311", "gpu-hot")
def gpu_hot(visible: Visible) -> Iterator[Finding]:
    """
    ## What it means
    The GPU is within 3 °C of the temperature at which it slows itself down, or it already has
    lowered its clocks because of heat. A *power brake* means that the board or the power supply
    asked it to.

    ## Why training crashes
    At first it is only slow: half the speed and less. At the next threshold the GPU switches
    itself off: *GPU has fallen off the bus* (Xid 79), and the run dies with CUDA_ERROR_UNKNOWN or
    *unspecified launch failure*. Heat also brings memory errors (Xid 48, 63, 94) and, on cards
    without ECC, wrong numbers.

    ## How to fix it
    Let air in: clean filters and heat sinks, leave a slot free between cards, check that all fans
    turn. In a data centre tell the operator. Until then lower the power limit: a GPU at 80 % of
    its power trains at more than 90 % of its speed (`sudo nvidia-smi -pl WATTS`). For a power
    brake check the power cables and whether the supply is strong enough.

    ## When this is wrong
    The figures are of this moment: while another job runs flat out, a few degrees below the limit
    can be normal for a laptop. *sw-power-cap* (the power limit is reached) is normal under load and
    is not reported.

    ## References
    - NVIDIA NVML reference: clocks event reasons, temperature thresholds
    """
    known = [gpu for gpu in visible.gpus if gpu.temperature_celsius is not None or gpu.throttled_by]
    if not known:
        raise Missing("the temperature of the GPU is not known")
    for gpu in known:
        reasons = set(gpu.throttled_by) & (_HEAT | _POWER)
        if reasons or _near_limit(gpu):
            yield Finding(
                severity="warning",
                title=_title(gpu, reasons),
                evidence=tuple(_evidence(gpu, reasons)),
                fix=_fix(gpu, reasons),
            )


def _near_limit(gpu: Gpu) -> bool:
    temperature, limit = gpu.temperature_celsius, gpu.slowdown_celsius
    if temperature is None or limit is None:
        return False
    return temperature >= limit - _MARGIN_CELSIUS


def _title(gpu: Gpu, reasons: set[str]) -> str:
    if reasons and reasons <= _POWER:
        return f"GPU {gpu.index} is slowed down by its power supply (power brake)"
    at = f" at {gpu.temperature_celsius} °C" if gpu.temperature_celsius is not None else ""
    if reasons & _HEAT:
        return f"GPU {gpu.index} is slowed down by heat{at}"
    return f"GPU {gpu.index} is{at}, and slows down at {gpu.slowdown_celsius} °C"


def _evidence(gpu: Gpu, reasons: set[str]) -> Iterator[Evidence]:
    if gpu.temperature_celsius is not None:
        limit = f", slowdown at {gpu.slowdown_celsius} °C" if gpu.slowdown_celsius else ""
        yield Evidence(f"{gpu.temperature_celsius} °C{limit}", gpu.origin)
    if reasons:
        yield Evidence(f"clocks lowered by: {', '.join(sorted(reasons))}", gpu.origin)


def _fix(gpu: Gpu, reasons: set[str]) -> Fix:
    if reasons and reasons <= _POWER:
        words = "Check the power cables of the card and the strength of the power supply."
    else:
        words = (
            "Give it more air: clean the fans and filters, leave room between cards. Until then a "
            "lower power limit (nvidia-smi -pl, as root) costs little speed."
        )
    return Fix(
        text=words, commands=(f"nvidia-smi -i {gpu.index} -q -d TEMPERATURE,POWER,PERFORMANCE",)
    )
