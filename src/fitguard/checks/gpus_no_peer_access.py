"""GPUs that would train together cannot read each other's memory."""

from collections.abc import Sequence

from fitguard.checks.derived.visible_gpus import Visible
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import GpuLink

_FAR = "several-processors"
_WORDS = {
    "one-board": "on one board",
    "one-switch": "behind one PCIe switch",
    "several-switches": "behind several PCIe switches",
    "host-bridge": "through the PCIe host bridge",
    "one-processor": "through the processor",
    "several-processors": "across processors",
}


@check("FG315", "gpus-no-peer-access")
def gpus_no_peer_access(visible: Visible, gpu_links: tuple[GpuLink, ...]) -> Finding | None:
    """
    ## What it means
    After each step the replicas of a strategy add up their gradients. GPUs with peer access read
    each other's memory directly, over NVLink or PCIe. Here, some pairs cannot: their gradients go
    through main memory. Or they go from one processor to another, which is slow as well.

    ## Why training crashes
    Mostly it does not, it is slower. If only some pairs have access, the slowest pair sets the
    pace. NCCL can hang at its first exchange if the driver promises access that the board does not
    give: virtual machines and boards with IOMMU or ACS turned on are known for that. The training
    then stands still after *NCCL INFO Launch mode*, with all GPUs at 100 %.

    ## How to fix it
    Cards without peer access (most GeForce cards) cannot be given it. Choose cards that have it
    with `CUDA_VISIBLE_DEVICES`, or larger batches, so that gradients are exchanged less often. If
    the first exchange hangs, set `NCCL_P2P_DISABLE=1`, or let the administrator turn off IOMMU and
    ACS for bare metal. `fitguard probe` tries an all-reduce.

    ## When this is wrong
    A training without a strategy exchanges nothing. In small models the time does not count.

    ## References
    - NVIDIA NVML: nvmlDeviceGetP2PStatus, nvmlDeviceGetTopologyCommonAncestor
    - NVIDIA NCCL documentation: troubleshooting, GPU direct and PCI access control services
    - tensorflow/tensorflow issues 60363 and 44976: hangs after NCCL has started
    - Not tried: no machine with several GPUs was at hand
    """
    if visible.count < 2:
        raise Missing("fewer than two GPUs are visible")
    seen = {gpu.index for gpu in visible.gpus}
    links = [link for link in gpu_links if {link.first, link.second} <= seen]
    closed = [link for link in links if link.peer_access is False]
    far = [link for link in links if link.path == _FAR and not link.nvlink]
    if not closed and not far:
        return None
    return Finding(
        severity="warning" if closed and len(closed) < len(links) else "info",
        title=_title(links, closed, far),
        evidence=tuple(Evidence(_describe(link), "NVML") for link in closed or far),
        fix=Fix(
            "Nothing, if the speed is enough. Otherwise choose GPUs that reach each other directly."
        ),
    )


def _title(links: Sequence[GpuLink], closed: Sequence[GpuLink], far: Sequence[GpuLink]) -> str:
    pairs = closed or far
    whole = len(pairs) == len(links)
    which = "All pairs of GPUs" if whole else f"{len(pairs)} of {len(links)} pairs of GPUs"
    if len(links) == 1:
        which = f"GPU {pairs[0].first} and GPU {pairs[0].second}"
    if closed:
        return f"{which} have no peer access: gradients go through main memory"
    return f"{which} exchange gradients across processors"


def _describe(link: GpuLink) -> str:
    access = {True: "peer access", False: "no peer access", None: "peer access unknown"}
    parts = [access[link.peer_access], link.refusal, _WORDS.get(link.path or "", "")]
    return f"GPU {link.first} and GPU {link.second}: {', '.join(part for part in parts if part)}"
