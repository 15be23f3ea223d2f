"""TensorFlow will warn that it cannot find TensorRT; nothing is wrong."""

from fitguard.checks.derived.build import Build
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Gpu
from fitguard.schema.software import CudaLibraries


@check("FG210", "tensorrt-noise", requires={"FG201", "FG203"})
def tensorrt_noise(
    cuda_build: Build, libraries: CudaLibraries, gpus: tuple[Gpu, ...], knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    TensorFlow 2.10 to 2.17 look for TensorRT, a separate library for fast inference, as soon as
    they are imported. It is not installed here, or in another version than they ask for. They say
    so in a warning and go on. TensorFlow 2.18 and later do not look for it any more.

    ## Why training crashes
    It does not. The lines *TF-TRT Warning: Could not find TensorRT*, *Cannot dlopen some TensorRT
    libraries* and *Could not load dynamic library 'libnvinfer.so.7'* have nothing to do with
    training, with a GPU that is not found, or with a crash that comes after them.

    ## How to fix it
    Ignore the warning. Do not install TensorRT to get rid of it: a version that does not match
    brings real conflicts. Only code that calls `tf.experimental.tensorrt` or `TrtGraphConverter`
    needs TensorRT.

    ## When this is wrong
    If you do convert models with TF-TRT, the warning is right, and that conversion will fail until
    the TensorRT that this release asks for is installed.

    ## References
    - TensorFlow 2.18 release notes: TensorRT support is disabled
    - tensorflow/tensorflow issue 64809
    """
    if not libraries.complete:
        raise Missing("whether TensorRT is there is not known")
    wanted = knowledge.cuda.tensorrt(cuda_build.version)
    if wanted is None:
        return None
    found = libraries.find_searched("nvinfer")
    if any(item.soname.startswith(f"libnvinfer.so.{wanted.major}") for item in found):
        return None
    return Finding(
        severity="info",
        title=f"TensorFlow {cuda_build.version} will warn that it finds no TensorRT; ignore it",
        evidence=(
            Evidence(f"no libnvinfer.so.{wanted.major}", "all places where the loader looks"),
            Evidence(gpus[0].name or "a GPU", gpus[0].origin),
        ),
        fix=Fix(text="Nothing to do: training does not use TensorRT."),
    )
