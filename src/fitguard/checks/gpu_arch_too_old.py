"""The GPU is older than the ones this TensorFlow or this CUDA has code for."""

from collections.abc import Iterator

from fitguard.checks.derived.gpu_code import GpuCode, is_dropped_by_toolkit
from fitguard.checks.fixes import gpu_remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding


@check("FG306", "gpu-arch-too-old")
def gpu_arch_too_old(
    gpu_codes: tuple[GpuCode, ...], facts: Facts, knowledge: Knowledge
) -> Iterator[Finding]:
    """
    ## What it means
    A GPU runs only code that was compiled for its compute capability (or an older one of the same
    major), or PTX of the same or an older one. Builds and toolkits leave old GPUs behind: CUDA 12
    has dropped Kepler (3.x), CUDA 13 has dropped Maxwell, Pascal and Volta (5.x to 7.0),
    TensorFlow's own wheels have dropped 5.x since 2.17.

    ## Why training crashes
    TensorFlow says *Ignoring visible gpu device … with Cuda compute capability 3.7. The minimum
    required Cuda capability is …* and trains on the CPU. Or the first kernel stops with *no kernel
    image is available for execution on the device* or *device kernel image is invalid*.

    ## How to fix it
    Install the newest TensorFlow that still carries code for the GPU, with its CUDA and a driver
    that still supports the GPU. For a K80 that is TensorFlow 2.14 with CUDA 11.8 and driver 470,
    for a GTX 750 Ti or 980 it is 2.16. The official containers of those releases
    (`tensorflow/tensorflow:2.14.0-gpu`) hold the right CUDA.

    ## When this is wrong
    A TensorFlow that was built from source with this GPU's capability has code for it; fitguard
    sees that where the build tells its capabilities. Where another GPU of the machine is served,
    training runs on that one, and this is for information only.

    ## References
    - TensorFlow release notes 2.17 (Maxwell dropped), tensorflow/tensorflow issue 41132
    - NVIDIA CUDA Toolkit release notes: deprecated and dropped architectures
    """
    others_run = any(entry.verdict not in ("too-old", "too-new") for entry in gpu_codes)
    for entry in gpu_codes:
        if entry.verdict != "too-old":
            continue
        yield Finding(
            severity="info" if others_run else "error",
            title=_title(entry, knowledge),
            evidence=tuple(_evidence(entry, knowledge)),
            fix=gpu_remedies.for_old_gpu(entry.runtime, entry.capability, facts, knowledge),
        )


def _title(entry: GpuCode, knowledge: Knowledge) -> str:
    build = entry.runtime.build
    if entry.code == "none" and build is not None:
        return f"TensorFlow {build.version} has no code for {entry.name}"
    last = knowledge.cuda.last_toolkit(entry.capability)
    return f"CUDA {entry.runtime.version} has dropped {entry.name}; its last was CUDA {last}"


def _evidence(entry: GpuCode, knowledge: Knowledge) -> Iterator[Evidence]:
    yield Evidence(f"compute capability {entry.capability}", entry.gpu.origin)
    build = entry.runtime.build
    if entry.code == "none" and build is not None:
        carried = ", ".join(dict.fromkeys((*build.sass, *build.ptx)))
        yield Evidence(f"TensorFlow {build.version} carries code for {carried}", build.origin)
    toolkit = knowledge.cuda.toolkit(entry.runtime.version)
    if toolkit is not None and is_dropped_by_toolkit(toolkit.cuda, entry.capability, knowledge):
        yield Evidence(entry.runtime.whose, entry.runtime.source)
        yield Evidence(
            f"CUDA {toolkit.cuda} serves {toolkit.least} and newer ({toolkit.source})",
            knowledge.cuda.targets_table.reference,
        )
