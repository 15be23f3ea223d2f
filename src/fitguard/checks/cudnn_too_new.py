"""The cuDNN that will be loaded is newer than TensorFlow 1.6 and before accept."""

from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import label, quote_cudnn_versions
from fitguard.checks.derived.loaded import Loaded
from fitguard.checks.fixes import cuda_remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Severity
from fitguard.schema.software import CudaLibraries
from fitguard.schema.versions import parse, text


@check("FG211", "cudnn-too-new", requires={"FG208"})
def cudnn_too_new(
    cuda_build: Build,
    cudnn: Loaded,
    libraries: CudaLibraries,
    grave: Severity,
    facts: Facts,
    knowledge: Knowledge,
) -> Finding | None:
    """
    ## What it means
    Up to release 1.6 TensorFlow took a cuDNN only if major *and* minor were those it was compiled
    with. Later releases welcome a newer minor. This TensorFlow is one of the strict ones, and the
    cuDNN is newer.

    ## Why training crashes
    The first convolution stops with *Loaded runtime CuDNN library: 7101 (compatibility version
    7100) but source was compiled with 7005 (compatibility version 7000)*, and the process aborts.

    ## How to fix it
    Install exactly the minor that TensorFlow was built with (7.0 for 1.5 and 1.6), or move to
    TensorFlow 1.7 or later, which takes newer ones.

    ## When this is wrong
    A TensorFlow built from source wants the cuDNN that it was compiled with, not the one of the
    release. For some releases the exact minor is not documented; the confidence is then medium.

    ## References
    - TensorFlow, tested build configurations: <https://www.tensorflow.org/install/source#gpu>
    - The comparison in TensorFlow's source: `stream_executor/cuda/cuda_dnn.cc` before and after 1.7
    """
    if knowledge.cudnn.fit(cudnn.version, cuda_build.cudnn, cuda_build.version) != "too-new":
        return None
    need = text(parse(cuda_build.cudnn), 2)
    row = knowledge.cudnn.row(cuda_build.cudnn)
    rule = "up to TensorFlow 1.6, major and minor of cuDNN must be those of the build"
    return Finding(
        severity=grave,
        confidence="medium" if cuda_build.cudnn_uncertain else "high",
        title=f"TensorFlow {cuda_build.version} takes cuDNN {need} only, and the loader finds "
        f"{label(cudnn.library)}",
        evidence=(
            *quote_cudnn_versions(cudnn, cuda_build),
            Evidence(rule, f"{knowledge.cudnn.table.reference} ({row.source if row else 'rule'})"),
        ),
        fix=cuda_remedies.replace(facts, knowledge, cuda_build, libraries, cudnn),
    )
