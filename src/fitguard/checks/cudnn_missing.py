"""The loader finds no cuDNN, without which TensorFlow does not use the GPU."""

from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import file_name, label, skip_without_gpu
from fitguard.checks.derived.loaded import whereabouts
from fitguard.checks.fixes import cuda_remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding
from fitguard.schema.software import CudaLibraries
from fitguard.schema.versions import parse, text


@check("FG203", "cudnn-missing")
def cudnn_missing(
    cuda_build: Build,
    libraries: CudaLibraries,
    wanted_sonames: dict[str, str],
    facts: Facts,
    knowledge: Knowledge,
) -> Finding | None:
    """
    ## What it means
    cuDNN holds the convolutions, poolings and recurrent layers for NVIDIA GPUs. It is not part of
    the CUDA toolkit: it comes as a package, an archive or a wheel of its own. TensorFlow opens it
    by the name of its major, `libcudnn.so.8` or `libcudnn.so.9`. The loader finds no cuDNN of any
    major here.

    ## Why training crashes
    TensorFlow 2 counts cuDNN among the libraries without which it registers no GPU: *Could not load
    dynamic library 'libcudnn.so.8'*, *Cannot dlopen some GPU libraries*, and training runs on the
    CPU. TensorFlow 1 refused at import, or stopped at the first convolution.

    ## How to fix it
    From 2.14 on install `tensorflow[and-cuda]`: the cuDNN wheel comes with it. For earlier releases
    install the cuDNN that TensorFlow was built with from conda or from NVIDIA's archive, in the
    build for your CUDA major. Where a cuDNN lies in a folder that the loader does not search, name
    that folder in LD_LIBRARY_PATH before Python starts. On clusters, a module that is loaded later
    may have reset LD_LIBRARY_PATH.

    ## When this is wrong
    A program that opens cuDNN before TensorFlow does (PyTorch imported first) hands it over. On a
    machine without a GPU the check is skipped.

    ## References
    - NVIDIA, installing cuDNN: <https://docs.nvidia.com/deeplearning/cudnn/installation/latest/>
    - TensorFlow, install with pip: <https://www.tensorflow.org/install/pip>
    - tensorflow/tensorflow issue 66987 (a module system had reset LD_LIBRARY_PATH)
    """
    skip_without_gpu(facts)
    if "cudnn" not in wanted_sonames:
        raise Missing("which cuDNN this TensorFlow was built with is not known")
    gone = libraries.lack("cudnn")
    if gone is None:
        if not libraries.find_searched("cudnn"):
            raise Missing("whether cuDNN is missing is not known")
        return None
    wanted = text(parse(cuda_build.cudnn), 2)
    soname = wanted_sonames["cudnn"]
    unused = libraries.find_unused("cudnn")
    right = [item for item in unused if item.soname == soname]
    return Finding(
        title=f"TensorFlow {cuda_build.version} needs cuDNN {wanted}, and the loader finds none",
        evidence=(
            Evidence(f"no {file_name(soname, facts)}", gone),
            *(Evidence(label(item), whereabouts(item)) for item in unused[:3]),
            Evidence(
                f"TensorFlow {cuda_build.version} is built with cuDNN {wanted}", cuda_build.origin
            ),
        ),
        fix=cuda_remedies.look_there(facts, libraries, right[:1])
        if right
        else cuda_remedies.install(facts, knowledge, cuda_build),
    )
