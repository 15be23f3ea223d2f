"""TensorFlow for native Windows has had no CUDA since 2.11."""

from fitguard.checks.fixes import installs
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding
from fitguard.schema.software import Platform, TensorFlow


@check("FG104", "windows-native-no-gpu")
def windows_native_no_gpu(
    platform: Platform, tensorflow: TensorFlow, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    TensorFlow 2.10 was the last release with GPU support on native Windows. From 2.11 on the
    Windows wheels (`tensorflow`, which asks for `tensorflow-intel` up to 2.17) are CPU builds. No
    CUDA toolkit and no driver changes that.

    ## Why training crashes
    It does not crash: `tf.config.list_physical_devices("GPU")` is empty and everything runs on the
    CPU, ten to a hundred times slower. With `tf.device("/GPU:0")` it stops with *Could not satisfy
    device specification*.

    ## How to fix it
    Install WSL2, and inside it `tensorflow[and-cuda]`; the Windows driver serves WSL2 too. Or stay
    on native Windows with TensorFlow 2.10.1, Python 3.7 to 3.10, CUDA 11.2 and cuDNN 8.1. A third
    way is `tensorflow-cpu` 2.10 with `tensorflow-directml-plugin`, which Microsoft no longer
    develops. The package `tensorflow-gpu` does not help: it ended with 2.11.0.

    ## When this is wrong
    If the machine has no NVIDIA GPU, or is not meant to use it, take `tensorflow-cpu`, which says
    so. A build from source with CUDA is recognised by its own files.

    ## References
    - TensorFlow 2.11 release notes
    - TensorFlow, install with pip, Windows native: <https://www.tensorflow.org/install/pip>
    """
    native = platform.system == "windows" and not platform.wsl
    if not native or release.windows_gpu or tensorflow.cuda_build:
        return None
    if tensorflow.package == "tensorflow-cpu" or facts.gpus == ():
        return None
    return Finding(
        title=f"TensorFlow {tensorflow.version} for native Windows is built without CUDA and uses "
        "no GPU",
        evidence=(
            Evidence("native Windows", platform.origin),
            Evidence(
                f"TensorFlow {release.version}: no CUDA on native Windows; 2.10 was the last",
                knowledge.tensorflow.table.reference,
            ),
            *(Evidence(gpu.name or "a GPU", gpu.origin) for gpu in facts.gpus or ()),
        ),
        fix=installs.into_wsl(facts, knowledge),
    )
