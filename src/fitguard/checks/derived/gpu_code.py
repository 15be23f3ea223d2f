"""What a TensorFlow build and a CUDA toolkit hold for each GPU."""

from typing import Literal

import msgspec

from fitguard.checks.derived.cuda_runtime import Runtime
from fitguard.checks.derived.visible_gpus import Visible
from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Code, code_for
from fitguard.schema.hardware import Gpu
from fitguard.schema.versions import parse

Verdict = Literal["too-old", "too-new", "compiled", "mostly-compiled", "fine"]


class GpuCode(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU and the code for it.

    Args:
        code: What the build carries; None where TensorFlow is unknown.
        served: Whether the toolkit's libraries have machine code for it; None: not known.
        broken_ptx: Reports that this release's PTX does not run on such GPUs; empty where none.
        verdict: `compiled` and `mostly-compiled` mean by the driver, at the first run.
    """

    gpu: Gpu
    capability: str
    runtime: Runtime
    code: Code | None
    served: bool | None
    broken_ptx: str
    verdict: Verdict

    @property
    def name(self) -> str:
        """The GPU as a title names it."""
        return title_name(self.gpu, self.capability)


@fixture
def gpu_codes(visible: Visible, runtime: Runtime, knowledge: Knowledge) -> tuple[GpuCode, ...]:
    """The code for every GPU that training gets, one entry for each model."""
    found = {}
    for gpu in visible.gpus:
        capability = capability_of(gpu, knowledge)
        if capability is not None:
            found[gpu.name, capability] = _gpu_code(gpu, capability, runtime, knowledge)
    if visible.gpus and not found:
        raise Missing("the compute capability of the GPU is not known")
    return tuple(found.values())


def title_name(gpu: Gpu, capability: str) -> str:
    """A GPU as a title names it."""
    if not gpu.name:
        return f"a GPU of compute capability {capability}"
    return f"the {gpu.name} (compute capability {capability})"


def capability_of(gpu: Gpu, knowledge: Knowledge) -> str | None:
    """The compute capability that the driver tells, else the one that the name tells."""
    if gpu.compute_capability is not None:
        return gpu.compute_capability
    named = knowledge.gpus.capabilities(gpu.name) if gpu.name else ()
    return named[0] if len(named) == 1 else None


def _gpu_code(gpu: Gpu, capability: str, runtime: Runtime, knowledge: Knowledge) -> GpuCode:
    build = runtime.build
    code: Code | None = None
    broken_ptx = ""
    if build is not None and (build.sass or build.ptx):
        code = code_for(
            build.sass, build.ptx, capability, newest_mostly_ptx=build.newest_mostly_ptx
        )
        failure = knowledge.cuda.ptx_failure(build.version, capability)
        broken_ptx = f"{failure.error}: {failure.source}" if failure and code == "ptx" else ""
    served = knowledge.cuda.serves(runtime.version, capability)
    return GpuCode(
        gpu=gpu,
        capability=capability,
        runtime=runtime,
        code=code,
        served=served,
        broken_ptx=broken_ptx,
        verdict=_verdict(capability, runtime, code, served, bool(broken_ptx), knowledge),
    )


def _verdict(
    capability: str,
    runtime: Runtime,
    code: Code | None,
    served: bool | None,
    broken_ptx: bool,
    knowledge: Knowledge,
) -> Verdict:
    if code == "none":
        return "too-old" if _carries_newer(runtime, capability) else "too-new"
    if is_dropped_by_toolkit(runtime.version, capability, knowledge):
        return "too-old"
    if code in ("sass", "mostly-ptx"):
        return "mostly-compiled" if code == "mostly-ptx" else "fine"
    if broken_ptx or served is False:
        return "too-new"
    return "compiled" if code == "ptx" else "fine"


def _carries_newer(runtime: Runtime, capability: str) -> bool:
    """Whether the build has code for newer GPUs, so that this one was left behind."""
    build = runtime.build
    carried = (*build.sass, *build.ptx) if build else ()
    return any(parse(item) > parse(capability) for item in carried)


def is_dropped_by_toolkit(cuda: str, capability: str, knowledge: Knowledge) -> bool:
    """Whether the GPU is older than all that this toolkit serves."""
    toolkit = knowledge.cuda.toolkit(cuda)
    return toolkit is not None and parse(capability) < parse(toolkit.least)
