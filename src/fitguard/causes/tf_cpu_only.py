"""This TensorFlow was built without CUDA and cannot use a GPU."""

from fitguard.causes.derived import eras, surroundings
from fitguard.causes.derived.bringing_cuda import release_of
from fitguard.causes.derived.unseen import unseen
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Story
from fitguard.schema.finding import Finding, Fix

_CUDA_AT_WORK = (
    "library-missing",
    "library-opened",
    "cuinit-failed",
    "cuda-drivers-not-found",
    "import-needs-library",
    "skipping-gpu-registration",
    "driver-library-missing",
    "xla-gpu-listed",
    "gpu-found",
)


@cause("tf-cpu-only")
def tf_cpu_only(story: Story) -> Verdict | None:
    """
    ## What it means
    There are builds of TensorFlow with CUDA and builds without. The ones without never look for a
    GPU and write no line about CUDA. Such are: `tensorflow-cpu`; plain `tensorflow` before 2.1;
    everything for macOS and, from 2.11 on, for native Windows; conda's builds named `mkl_…`,
    `eigen_…` or `cpu_…`. Code that insists on a GPU stops: *explicitly assigned to /device:GPU:0
    but available devices are [ …CPU:0 ]*, or *only supports NHWC on device type CPU*.

    ## How to be sure
    - `python -c "import tensorflow as tf; print(tf.test.is_built_with_cuda())"` prints False.
    - The log has no line about CUDA at all: no library opened, none missing, no cuInit.
    - `conda list tensorflow` shows the build, `pip list` the package.

    ## How to fix it
    Remove the CPU packages and install the build for GPUs: `tensorflow[and-cuda]` from 2.14 on,
    `tensorflow` from 2.1 to 2.13, `tensorflow-gpu` before. With conda name the build:
    `"tensorflow=2.15=cuda*"` from conda-forge.

    ## When this reading is wrong
    If the log shows that CUDA libraries were tried, the build is one for GPUs, and something else
    is missing. Where the CPU is wanted, set the data format to channels-last and place nothing on
    `/GPU:0` (or allow soft placement).

    ## References
    - `tensorflow/core/common_runtime/placer.cc`
    - TensorFlow, install with pip: <https://www.tensorflow.org/install/pip>
    """
    finding = story.finding("cpu-only-wheel")
    windows = story.finding("windows-native-no-gpu")
    scales = Scales()
    scales.add(0.8, story.first("cpu-build"))
    scales.add(0.75, story.first("said-cpu-build"))
    proofs = unseen(story)
    if finding is not None and proofs:
        scales.add(0.75, *proofs, finding)
    elif proofs:
        scales.add(_usual(story), *proofs)
    scales.add(0.55, story.first("gpu-layout-on-cpu"))
    scales.add(0.45, story.first("gpu-asked-for-in-vain"))
    scales.add(0.5, story.first("gpu-kernel-not-registered"))
    if windows is not None:
        # What happened is the same; why, is another cause's to say.
        scales.take(0.4)
    if story.has(*_CUDA_AT_WORK):
        scales.take(0.7)
    return scales.verdict(why=_why(story, finding), fix=_fix(story, finding))


def _usual(story: Story) -> float:
    known = story.facts.tensorflow
    if known is not None and known.package in ("tensorflow-gpu", "tf-nightly-gpu"):
        return 0.1
    return 0.45 if eras.two_packages(story) else 0.3


def _why(story: Story, finding: Finding | None) -> str:
    if story.has("cpu-build", "said-cpu-build"):
        return "The output says that this TensorFlow was built without CUDA."
    if finding is not None:
        return f"TensorFlow sees no GPU: {finding.title}."
    if story.has("gpu-layout-on-cpu"):
        return "The model is laid out for GPUs and ran on the CPU; no line speaks of CUDA."
    return "TensorFlow sees only the CPU, and no line shows that it looked for CUDA."


def _fix(story: Story, finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    if surroundings.without_gpu(story):
        return Fix(
            text="There is no GPU here: take the place names (`/GPU:0`) out of the code or the "
            "saved model, or allow soft placement (tf.config.set_soft_device_placement(True))."
        )
    release = release_of(story) or knowledge().tensorflow.newest
    return Fix(
        text="Uninstall the CPU packages (tensorflow, tensorflow-cpu) first, then install the "
        "build for GPUs; two of them in one environment overwrite each other.",
        commands=(
            'python -c "import tensorflow as tf; print(tf.test.is_built_with_cuda())"',
            f'python -m pip install "{release.gpu_package}=={release.version}"',
        ),
    )
