"""TensorFlow's code for this GPU is compiled by the driver at the first run."""

from collections.abc import Iterator

from fitguard import shell
from fitguard.checks.derived.build import Build
from fitguard.checks.derived.driver_version import DriverVersion
from fitguard.checks.derived.gpu_code import GpuCode
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.versions import older, parse

_CACHE_BYTES = str(4 * 2**30)


@check("FG308", "gpu-arch-jit")
def gpu_arch_jit(
    gpu_codes: tuple[GpuCode, ...],
    facts: Facts,
    knowledge: Knowledge,
    driver_version: DriverVersion | None = None,
) -> Iterator[Finding]:
    """
    ## What it means
    The build holds PTX for this GPU, an intermediate code, instead of machine code: for all of its
    kernels, or for most. The driver compiles it when the first GPU operation runs, and keeps the
    result in `~/.nv/ComputeCache`. It works; it only looks like a hang.

    ## Why training crashes
    It does not. But the first run stands still: TensorFlow says *CUDA kernels will be jit-compiled
    from PTX, which could take 30 minutes or longer*. Watchdogs and job limits kill it in that time.
    Where only the newest GPUs' kernels are PTX, it takes about a minute: this was measured with
    TensorFlow 2.21 on an H200. A cache that is too small, or is lost with the container, makes
    every start as slow as the first.

    ## How to fix it
    Let the first run take its time, once. Make the cache large enough with
    `CUDA_CACHE_MAXSIZE=4294967296` (4 GiB), and keep it: in a container mount a folder and set
    `CUDA_CACHE_PATH` to it. Or take a TensorFlow that carries machine code for the GPU.

    ## When this is wrong
    Where the cache already holds the kernels, nothing is compiled. XLA compiles its own kernels for
    the very GPU anyway; this is about the ready-made ones.

    ## References
    - NVIDIA CUDA C++ Programming Guide: just-in-time compilation, CUDA environment variables
    - TensorFlow source: gpu_device.cc, *jit-compiled from PTX*
    """
    for entry in gpu_codes:
        build = entry.runtime.build
        if build is None or entry.verdict not in ("compiled", "mostly-compiled"):
            continue
        wholly = entry.verdict == "compiled"
        share = "all GPU" if wholly else "most GPU"
        yield Finding(
            severity="warning" if wholly else "info",
            title=f"The first run compiles {share} kernels for {entry.name}",
            evidence=(
                Evidence(f"compute capability {entry.capability}", entry.gpu.origin),
                Evidence(
                    f"TensorFlow {build.version}: machine code for {', '.join(build.sass)}, "
                    f"PTX of {', '.join(build.ptx)}"
                    + ("" if wholly else f"; of {build.sass[-1]} only a few kernels are not PTX"),
                    build.origin,
                ),
            ),
            fix=_first_run(facts) if wholly else _patience(build, driver_version, knowledge),
        )


def _patience(build: Build, driver: DriverVersion | None, knowledge: Knowledge) -> Fix:
    words = (
        "Nothing has to change: the first GPU operation takes about a minute, once. The driver "
        "keeps the result in ~/.nv/ComputeCache."
    )
    if driver is not None and build.cuda:
        came_with = knowledge.drivers.least(build.cuda, windows=driver.windows, exact=True)
        if came_with and older(parse(driver.version), parse(came_with)):
            words += (
                " Should it stop with CUDA_ERROR_UNSUPPORTED_PTX_VERSION, the driver is too old to "
                f"compile this code: {came_with} or newer can."
            )
    return Fix(text=words)


def _first_run(facts: Facts) -> Fix:
    return Fix(
        text="Give the first run up to 30 minutes, once, and make the driver's cache large enough "
        "to keep the result. In a container keep it outside with CUDA_CACHE_PATH.",
        commands=(shell.set_variable(facts, "CUDA_CACHE_MAXSIZE", _CACHE_BYTES),),
    )
