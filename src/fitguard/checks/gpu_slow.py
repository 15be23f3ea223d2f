"""A GPU computes correctly, and far slower than it should."""

from collections.abc import Iterator

from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.probe import ProbeResult, Rate


@check("FG371", "gpu-slow")
def gpu_slow(facts: Facts) -> Iterator[Finding]:
    """
    ## What it means
    With `--deep`, fitguard measured how fast this GPU multiplies matrices, copies, and reads its
    memory. At least one rate is far below what the data sheet of the card says.

    ## Why training crashes
    It does not. It takes longer, and you pay for a GPU that you do not get.

    ## How to fix it
    The evidence says what NVML told meanwhile: heat, a limit of power, a narrow PCIe connection,
    another process on the same GPU. `nvidia-smi -q -d PERFORMANCE,POWER,CLOCK` shows more.

    ## When this is wrong
    Another process computed on the GPU at the same time. Virtual GPUs and parts of a GPU (MIG) give
    what was rented, which is less than the card has.

    ## References
    - `fitguard probe`: the table of cards, with its sources
    """
    if not facts.probes:
        raise Missing("nothing was probed (--deep does)")
    slow: dict[str, list[Rate]] = {}
    for result in facts.probes:
        for rate in _select_slow(result):
            slow.setdefault(result.device, []).append(rate)
    for device, rates in slow.items():
        reasons = dict.fromkeys(reason for rate in rates for reason in rate.reasons)
        yield Finding(
            severity="warning",
            confidence="medium",
            title=f"{device} computes correctly, but slower than it should",
            evidence=(
                *(Evidence(_describe(rate), "fitguard probe") for rate in rates),
                *(Evidence(reason, "NVML") for reason in reasons),
            ),
            fix=Fix(
                text="Look at heat, power and other processes, then measure again.",
                commands=(
                    "nvidia-smi -q -d PERFORMANCE,POWER,CLOCK,TEMPERATURE",
                    "fitguard probe",
                ),
            ),
        )


def _select_slow(result: ProbeResult) -> Iterator[Rate]:
    return (rate for rate in result.rates if rate.verdict == "slow")


def _describe(rate: Rate) -> str:
    share = f", {rate.ratio:.0%} of the {rate.expected:.3g} it should give" if rate.ratio else ""
    return f"{rate.name}: {rate.value:.3g} {rate.unit}{share}"
