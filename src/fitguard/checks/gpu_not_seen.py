"""TensorFlow was imported, and sees fewer GPUs than there are."""

import re

from fitguard.checks.derived.build import Build
from fitguard.checks.derived.visible_gpus import Visible
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import DeepImport

_TELLING = re.compile(
    r"dlopen|load dynamic library|cuInit|CUDA_ERROR|cuda drivers|visible gpu|Ignoring|"
    r"Skipping registering|libcu\w+|libnv\w+|multiprocessor",
    re.IGNORECASE,
)
_LINES = 5
# What any of these found already says why.
_REASONS = {"FG201", "FG203", "FG301", "FG303", "FG304", "FG305", "FG306", "FG309", "FG703"}


@check("FG313", "gpu-not-seen", requires=_REASONS)
def gpu_not_seen(deep: DeepImport, visible: Visible, cuda_build: Build) -> Finding | None:
    """
    ## What it means
    With `--deep`, fitguard imported TensorFlow in a process of its own and asked it for its GPUs.
    It names fewer than the driver shows, though it is a build with CUDA.

    ## Why training crashes
    It does not crash: it trains on the CPU, or on fewer GPUs than you pay for. A strategy that
    expects all GPUs, or `tf.device("/GPU:1")`, fails.

    ## How to fix it
    Read the quoted lines of TensorFlow's log. *Could not load dynamic library* and *Cannot dlopen
    some GPU libraries* name the library that is missing: bring it with
    `pip install "tensorflow[and-cuda]"`. *failed call to cuInit* points to the driver.

    ## When this is wrong
    TensorFlow leaves out small GPUs beside a big one (fewer than 8 multiprocessors) on purpose;
    `TF_MIN_GPU_MULTIPROCESSOR_COUNT` changes that. Of a GPU that is parted with MIG a process gets
    one part only.

    ## References
    - TensorFlow, use a GPU: <https://www.tensorflow.org/guide/gpu>
    - TensorFlow source: gpu_device.cc
    """
    if deep.version is None or deep.gpus is None:
        raise Missing("TensorFlow was not imported to the end")
    parted = any(gpu.mig_enabled for gpu in visible.gpus)
    seen, there = len(deep.gpus), visible.count
    if seen >= there or (parted and seen > 0):
        return None
    telling = [line for line in deep.log if _TELLING.search(line)] or list(deep.log)
    return Finding(
        severity="error" if seen == 0 else "warning",
        title=f"TensorFlow {deep.version} sees {seen} of {there} GPU{'' if there == 1 else 's'}",
        evidence=(
            *(Evidence(f"GPU {gpu.index}: {gpu.name}", gpu.origin) for gpu in visible.gpus),
            Evidence(f"TensorFlow lists {list(deep.gpus)}", "import in a child process"),
            *(Evidence(line, "TensorFlow's log") for line in telling[-_LINES:]),
        ),
        fix=Fix(
            text="Fix what the quoted lines name: a library that cannot be loaded, or the driver. "
            f"This build needs CUDA {cuda_build.cuda} and cuDNN {cuda_build.cudnn}.",
            commands=("fitguard doctor --deep",),
        ),
    )
