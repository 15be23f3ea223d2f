"""The GPU is newer than the ones this TensorFlow or this CUDA has working code for."""

from collections.abc import Iterator

from fitguard.checks.derived import gpu_releases
from fitguard.checks.derived.gpu_code import GpuCode
from fitguard.checks.fixes import gpu_remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix


@check("FG307", "gpu-arch-too-new")
def gpu_arch_too_new(
    gpu_codes: tuple[GpuCode, ...], facts: Facts, knowledge: Knowledge
) -> Iterator[Finding]:
    """
    ## What it means
    The GPU came after this TensorFlow was built, so the build holds no machine code for it. Its PTX
    could be compiled by the driver at the first run. But that is not enough here: either this PTX
    is known not to run on such GPUs (RTX 50 and other Blackwell GPUs with TensorFlow 2.16 to
    2.21), or CUDA's own libraries (cuBLAS, cuDNN), which are not compiled anew, have no code for
    the GPU (RTX 30 with CUDA 10, H100 with CUDA 11.2).

    ## Why training crashes
    The first kernel stops with *CUDA_ERROR_INVALID_PTX*, *CUDA_ERROR_INVALID_HANDLE* or *no kernel
    image is available*; the first matrix product with *failed to run cuBLAS routine:
    CUBLAS_STATUS_EXECUTION_FAILED*. With CUDA 10 on an RTX 30 there were minutes of silence first,
    and wrong results as well.

    ## How to fix it
    Install the first TensorFlow that carries code for the GPU, or a newer one. Where there is none
    (Blackwell: RTX 50, RTX PRO, B100, B200):
    - NVIDIA's container `nvidia/tensorflow:25.02-tf2-py3` (NGC catalog) runs on Blackwell
      (NVIDIA/tensorflow issue 116).
    - Or build TensorFlow from source with CUDA 12.8 or newer and this compute capability
      (`HERMETIC_CUDA_COMPUTE_CAPABILITIES=compute_120`).
    - PyTorch or JAX, with Keras 3 as the front end, support these GPUs in their own wheels.

    ## When this is wrong
    A TensorFlow that was built from source, or one of NVIDIA's, may carry the code; fitguard sees
    that where the build tells its capabilities. Some operations work before the first failing one.

    ## References
    - tensorflow/tensorflow issues 89272, 97387, 101746 (Blackwell), 43718 (RTX 3090)
    - NVIDIA/tensorflow issue 116; NVIDIA TensorFlow release notes 25.02
    - NVIDIA CUDA C++ Programming Guide: application compatibility
    """
    for entry in gpu_codes:
        if entry.verdict == "too-new":
            yield Finding(
                confidence="high" if entry.runtime.build is not None else "medium",
                title=_title(entry),
                evidence=tuple(_evidence(entry, knowledge)),
                fix=_fix(entry, facts, knowledge),
            )


def _title(entry: GpuCode) -> str:
    build = entry.runtime.build
    if build is not None:
        return f"TensorFlow {build.version} has no working code for {entry.name}"
    return f"CUDA {entry.runtime.version} has no code for {entry.name}"


def _evidence(entry: GpuCode, knowledge: Knowledge) -> Iterator[Evidence]:
    yield Evidence(f"compute capability {entry.capability}", entry.gpu.origin)
    build = entry.runtime.build
    if build is not None:
        text = f"TensorFlow {build.version}: machine code for {', '.join(build.sass)}"
        yield Evidence(
            text + (f", PTX of {', '.join(build.ptx)}" if build.ptx else ""), build.origin
        )
    if entry.broken_ptx:
        yield Evidence(entry.broken_ptx, knowledge.cuda.ptx_failures_table.reference)
    toolkit = knowledge.cuda.toolkit(entry.runtime.version)
    if toolkit is not None and entry.served is False:
        yield Evidence(entry.runtime.whose, entry.runtime.source)
        yield Evidence(
            f"CUDA {toolkit.cuda} supports up to {toolkit.newest} ({toolkit.source})",
            knowledge.cuda.targets_table.reference,
        )


def _fix(entry: GpuCode, facts: Facts, knowledge: Knowledge) -> Fix:
    releases = gpu_releases.working(facts, knowledge, entry.capability)
    if not releases:
        return Fix(
            text="No TensorFlow wheel has code for it. Use "
            f"{knowledge.tensorflow.nvidia_container}, or build TensorFlow from source with CUDA "
            f"{knowledge.cuda.first_toolkit(entry.capability)} or newer for compute capability "
            f"{entry.capability}.",
        )
    first = releases[0]
    # The last patch of the first minor: the least change with the most mended.
    chosen = [release for release in releases if release.minor == first.minor][-1]
    return Fix(
        text=f"TensorFlow {'.'.join(map(str, first.minor))} (CUDA {chosen.cuda}) is the first that "
        f"runs on this GPU here; newer ones do too{gpu_remedies.python_note(chosen, facts)}."
        f"{_for_old_code(entry)}",
        commands=gpu_remedies.install(facts, knowledge, chosen),
    )


def _for_old_code(entry: GpuCode) -> str:
    """What there is for code that TensorFlow 2 would not run."""
    build = entry.runtime.build
    if build is None or not build.version.startswith("1."):
        return ""
    return " For TensorFlow 1 code there is NVIDIA's own build of 1.15 (nvidia-tensorflow)."
