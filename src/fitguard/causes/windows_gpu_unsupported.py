"""TensorFlow 2.11 and later use no GPU on native Windows."""

from fitguard.causes.derived import eras, surroundings
from fitguard.causes.derived.unseen import unseen
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Story
from fitguard.schema.finding import Finding, Fix


@cause("windows-gpu-unsupported")
def windows_gpu_unsupported(story: Story) -> Verdict | None:
    """
    ## What it means
    TensorFlow 2.10 was the last release with CUDA for native Windows. The wheels since then
    (`tensorflow-intel` up to 2.17, `tensorflow` after) are built for the CPU. Installing CUDA,
    cuDNN or `tensorflow[and-cuda]` changes nothing, and PyTorch, which does have CUDA on Windows,
    proves nothing. The list of GPUs is empty, without any error.

    ## How to be sure
    - The system is Windows itself, not WSL2, and `tf.__version__` is 2.11 or later.
    - `tf.test.is_built_with_cuda()` gives False.

    ## How to fix it
    - Train in WSL2: `wsl --install`, then `pip install tensorflow[and-cuda]` inside it. The driver
      stays on Windows; none goes into WSL.
    - Or stay on Windows with TensorFlow 2.10, Python 3.7 to 3.10, CUDA 11.2 and cuDNN 8.1, and
      NumPy 1. It has no code for GPUs newer than Ampere, only code that the driver compiles.

    ## When this reading is wrong
    Up to 2.10 an empty list on Windows is a missing CUDA or cuDNN. Inside WSL2 TensorFlow is the
    one for Linux. A build from source with CUDA does use the GPU.

    ## References
    - TensorFlow 2.11 release notes
    - TensorFlow, install with pip, Windows native: <https://www.tensorflow.org/install/pip>
    """
    finding = story.finding("windows-native-no-gpu")
    told = story.first("windows-without-gpu")
    proofs = (*unseen(story), *story.all("cpu-build", "said-cpu-build"))
    scales = Scales()
    scales.add(0.95, told)
    scales.add(0.45 if finding is None else 0.6, story.first("said-native-windows"))
    if finding is not None and proofs:
        scales.add(0.9, *proofs[:2], finding)
    elif finding is not None and not story.role("stop"):
        scales.add(0.4, finding)
    elif surroundings.is_windows(story) and story.facts.tensorflow is None and proofs:
        scales.add(0.15 if eras.two_packages(story) else 0.45, *proofs[:2])
    return scales.verdict(why=_why(finding), fix=_fix(finding))


def _why(finding: Finding | None) -> str:
    if finding is None:
        return "On native Windows TensorFlow has used no GPU since 2.11; its version decides."
    return f"No GPU is listed, and none can be: {finding.title}."


def _fix(finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    last = [release for release in knowledge().tensorflow.all if release.windows_gpu][-1]
    return Fix(
        text="Train in WSL2 with tensorflow[and-cuda]; the driver stays on Windows. Or stay on "
        f"Windows with TensorFlow {last.version}, the last with a GPU there, with CUDA "
        f"{last.cuda} and cuDNN {last.cudnn}.",
        commands=("wsl --install",),
    )
