"""The cuDNN that the loader finds has another major than the one TensorFlow asks for."""

from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import (
    file_name,
    find_unused_fitting,
    label,
    skip_stranger,
)
from fitguard.checks.derived.loaded import Loaded, whereabouts
from fitguard.checks.fixes import cuda_remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Severity
from fitguard.schema.software import CudaLibraries
from fitguard.schema.versions import parse, text


@check("FG205", "cudnn-major-mismatch", requires={"FG208"})
def cudnn_major_mismatch(
    cuda_build: Build,
    cudnn: Loaded,
    libraries: CudaLibraries,
    wanted_sonames: dict[str, str],
    grave: Severity,
    facts: Facts,
    knowledge: Knowledge,
) -> Finding | None:
    """
    ## What it means
    The major of cuDNN is part of the name that TensorFlow asks for. TensorFlow 2.4 to 2.17 want
    cuDNN 8 (`libcudnn.so.8`), 2.18 and later want cuDNN 9 (`libcudnn.so.9`), 1.4 to 2.3 cuDNN 7.
    Here only another major is found. It cannot stand in: the interfaces differ.

    ## Why training crashes
    The library does not load: *Could not load dynamic library 'libcudnn.so.8'*, then *Cannot dlopen
    some GPU libraries. Skipping registering GPU devices*, and training runs on the CPU. Where
    somebody linked the wanted name to the other major, the first convolution fails with *Loaded
    runtime CuDNN library … but source was compiled with …*, or the process dies.

    ## How to fix it
    Install the cuDNN of the right major. Both majors can live side by side, each under its own
    name; as wheels they cannot, because pip keeps one version of `nvidia-cudnn-cu12`. If another
    framework in the same environment pins the other major (newer PyTorch wants cuDNN 9), give each
    framework an environment of its own.

    ## When this is wrong
    A TensorFlow built from source may want another major than the release of that version did; its
    own files decide where they can be read. Builds of conda-forge differ from PyPI's in this too.

    ## References
    - TensorFlow, tested build configurations: <https://www.tensorflow.org/install/source#gpu>
    - NVIDIA, moving from cuDNN 8 to 9:
      <https://docs.nvidia.com/deeplearning/cudnn/backend/latest/release-notes.html>
    """
    if knowledge.cudnn.fit(cudnn.version, cuda_build.cudnn, cuda_build.version) != "other-major":
        return None
    skip_stranger(cudnn, facts)
    need = text(parse(cuda_build.cudnn), 2)
    unused = find_unused_fitting(cudnn, cuda_build, knowledge)
    return Finding(
        severity=grave,
        title=f"TensorFlow {cuda_build.version} needs cuDNN {need}, and the loader finds "
        f"{label(cudnn.library)}",
        evidence=(
            Evidence(
                f"{label(cudnn.library)} ({file_name(cudnn.library.soname, facts)})", cudnn.source
            ),
            *([Evidence(label(unused), whereabouts(unused))] if unused else []),
            Evidence(
                f"TensorFlow {cuda_build.version} is built with cuDNN {cuda_build.cudnn} and asks "
                f"for {file_name(wanted_sonames['cudnn'], facts)}",
                cuda_build.origin,
            ),
        ),
        fix=cuda_remedies.look_there(facts, libraries, [unused])
        if unused
        else cuda_remedies.replace(facts, knowledge, cuda_build, libraries, cudnn),
    )
