"""The cuDNN that will be loaded is older than the one TensorFlow was built with."""

from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import label, quote_cudnn_versions
from fitguard.checks.derived.loaded import Loaded
from fitguard.checks.fixes import cuda_remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Finding, Severity
from fitguard.schema.software import CudaLibraries
from fitguard.schema.versions import parse, text


@check("FG204", "cudnn-too-old", requires={"FG208"})
def cudnn_too_old(
    cuda_build: Build,
    cudnn: Loaded,
    libraries: CudaLibraries,
    grave: Severity,
    facts: Facts,
    knowledge: Knowledge,
) -> Finding | None:
    """
    ## What it means
    When the first GPU operation runs, TensorFlow compares the cuDNN it was compiled with to the one
    that the loader gave it. The major must be the same, and the minor must not be older. This one's
    minor is older. Patch releases do not matter: 8.9.2 serves a TensorFlow built with 8.9.4.

    ## Why training crashes
    The GPU is found and everything looks well until the first convolution or recurrent layer. Then
    TensorFlow logs *Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0* and
    stops with *DNN library is not found*, *Failed to get convolution algorithm* or
    `CUDNN_STATUS_NOT_INITIALIZED`.

    ## How to fix it
    Install the cuDNN that this TensorFlow was built with, or a newer one of the same major. From
    2.14 on `tensorflow[and-cuda]` brings it. Where the old one is found through LD_LIBRARY_PATH,
    take its folder off there too: that variable comes before all that pip installs.

    Where TensorFlow's documentation names another cuDNN than the wheel was built with, the build
    decides: the documentation says 7.4 for 1.15, but its wheel wants 7.6. The table of releases in
    these pages shows both.

    ## When this is wrong
    Where a program loads another cuDNN before TensorFlow does (PyTorch imported first, LD_PRELOAD),
    that one counts. The exact minor of some old builds is not documented; the confidence is then
    medium.

    ## References
    - TensorFlow, tested build configurations: <https://www.tensorflow.org/install/source#gpu>
    - The comparison in TensorFlow's source: `stream_executor/cuda/cuda_dnn.cc`, *matching major
      version and equal or higher minor version*
    """
    if knowledge.cudnn.fit(cudnn.version, cuda_build.cudnn, cuda_build.version) != "too-old":
        return None
    need = text(parse(cuda_build.cudnn), 2)
    return Finding(
        severity=grave,
        confidence="medium" if cuda_build.cudnn_uncertain else "high",
        title=f"{label(cudnn.library)} is older than the {need} that TensorFlow "
        f"{cuda_build.version} was built with",
        evidence=quote_cudnn_versions(cudnn, cuda_build),
        fix=cuda_remedies.replace(facts, knowledge, cuda_build, libraries, cudnn),
    )
