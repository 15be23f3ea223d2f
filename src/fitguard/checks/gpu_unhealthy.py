"""The GPU reports faults: Xid errors, memory errors, failed or retired memory."""

from collections.abc import Iterable, Iterator

from fitguard.checks.derived import health_signs
from fitguard.checks.derived.health_signs import Sign
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import SEVERITIES, Evidence, Finding, Fix
from fitguard.schema.hardware import Gpu, Xid

_MOST = 5


@check("FG310", "gpu-unhealthy")
def gpu_unhealthy(facts: Facts, knowledge: Knowledge) -> Iterator[Finding]:
    """
    ## What it means
    The GPU or its driver reports faults. Where they come from:
    - *Xid* lines in the kernel log. NVIDIA's catalog gives each number a meaning and an action.
      79 (fallen off the bus), 48, 63, 64, 94, 95 and 140 (memory), 74 (NVLink), 62, 119 and 120
      (its own processor) speak of the hardware. 13, 31, 43 and 45 most often speak of a program
      that did something illegal: the GPU is well.
    - Memory errors that ECC could not correct; pages or rows of memory that failed, and that are
      replaced by spare ones at the next reset; spare ones that have run out.
    - The recovery action that newer drivers ask for.

    ## Why training crashes
    Runs die at random with *CUDA_ERROR_ECC_UNCORRECTABLE*, *unspecified launch failure*, *illegal
    memory access*, *an illegal instruction was encountered*, CUDA_ERROR_UNKNOWN, or hang. What
    comes before the crash may be wrong numbers. After a fault all programs on the GPU may fail
    until it is reset.

    ## How to fix it
    Stop all programs on the GPU and reset it (`nvidia-smi --gpu-reset`, as root), or restart the
    machine: failed memory is replaced at that time. If faults come back, look after power cables,
    seating and cooling, then have the card replaced. Until then leave this GPU out with
    `CUDA_VISIBLE_DEVICES`.

    ## When this is wrong
    The kernel log reaches back to the last start of the machine: a fault may have been remedied
    since by a reset. Lifetime counters never go back; past errors that were dealt with are for
    information only. On GPUs that are overclocked, try the standard clocks first.

    ## References
    - NVIDIA, GPU debug guidelines and Xid catalog
    - NVIDIA, dynamic page retirement; GPU memory error management (row remapping)
    """
    log = facts.kernel_log
    xids = log.xids if log is not None else ()
    if not facts.gpus and not xids:
        reason = f": {log.problem}" if log is not None and log.problem else ""
        raise Missing(f"neither a GPU nor a line of the kernel log is known{reason}")
    if log is None and not any(health_signs.has_health_answers(gpu) for gpu in facts.gpus or ()):
        raise Missing("nothing is known of the health of the GPU")
    matched: set[str | None] = set()
    for gpu in facts.gpus or ():
        own = [xid for xid in xids if _belongs(xid, gpu, facts)]
        matched |= {xid.pci_address for xid in own}
        signs = [
            *health_signs.collect_counter_signs(gpu),
            *health_signs.collect_log_signs(own, knowledge),
        ]
        yield from _finding(f"GPU {gpu.index}", gpu, signs)
    for address in dict.fromkeys(xid.pci_address for xid in xids):
        if address not in matched:
            own = [xid for xid in xids if xid.pci_address == address]
            signs = list(health_signs.collect_log_signs(own, knowledge))
            yield from _finding(f"The GPU at {address}" if address else "A GPU", None, signs)


def _belongs(xid: Xid, gpu: Gpu, facts: Facts) -> bool:
    alone = len(facts.gpus or ()) == 1 and xid.pci_address is None
    return alone or (gpu.pci_address is not None and xid.pci_address == gpu.pci_address)


def _finding(who: str, gpu: Gpu | None, signs: Iterable[Sign]) -> Iterator[Finding]:
    ranked = sorted(signs, key=lambda sign: SEVERITIES.index(sign.severity))
    if not ranked:
        return
    worst = ranked[0]
    # A program's fault says nothing beside a fault of the hardware.
    shown = [sign for sign in ranked if sign.severity != "info"] or ranked
    which = f"-i {gpu.index} " if gpu is not None else ""
    yield Finding(
        severity=worst.severity,
        confidence=worst.confidence,
        title=f"{who} {worst.meaning}",
        evidence=tuple(_quote_signs(shown)),
        fix=Fix(
            text=worst.remedy,
            commands=(f"nvidia-smi {which}-q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER",),
        ),
    )


def _quote_signs(signs: list[Sign]) -> Iterator[Evidence]:
    yield from (sign.evidence for sign in signs[:_MOST])
    if len(signs) > _MOST:
        yield Evidence(f"and {len(signs) - _MOST} more kinds of faults", "kernel log")
