"""TensorFlow could not load a CUDA library: it is not there, or of another version."""

from fitguard.causes.derived import eras, surroundings
from fitguard.causes.derived.bringing_cuda import bring
from fitguard.causes.derived.library_names import component, cuda_of
from fitguard.causes.derived.unseen import unseen
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge.thresholds import threshold
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.versions import parse

_SAID_OTHERWISE = ("cpu-build", "said-cpu-build", "cuinit-failed", "gpu-layout-on-cpu")
_OTHER_REASONS = (
    "cpu-only-wheel",
    "cudnn-missing",
    "cudnn-major-mismatch",
    "driver-too-old",
    "driver-missing",
    "driver-dropped-gpu",
    "gpu-arch-too-old",
    "gpu-arch-too-new",
    "gpu-hidden",
    "container-no-gpu",
)


@cause("cuda-missing")
def cuda_missing(story: Story) -> Verdict | None:
    """
    ## What it means
    A TensorFlow for GPUs opens CUDA's libraries by names that hold a version: `libcudart.so.11.0`,
    `libcublas.so.12`, on Windows `cudart64_110.dll`. One of these names led nowhere. Either no CUDA
    is installed, or another version is, or it lies where the loader does not look. One missing
    library is enough: TensorFlow leaves out all GPUs and trains on the CPU. Old releases, which are
    linked to the libraries, cannot even be imported.

    ## How to be sure
    - The log names the file: *Could not load dynamic library '…'*, or an ImportError does.
    - After *Cannot dlopen some GPU libraries*, newer releases name the file only with
      `TF_CPP_MAX_VLOG_LEVEL=3`.
    - `fitguard doctor` walks the loader's way and says which file is missing, and whether it lies
      somewhere else.
    - The *CUDA Version* that `nvidia-smi` shows is what the driver can serve. It does not say that
      any CUDA is installed.

    ## How to fix it
    Install the CUDA that this TensorFlow was built with; several can live side by side. From 2.14
    on `pip install tensorflow[and-cuda]` brings it. Before, use conda or NVIDIA's archives. Where
    the file is on the disk already, put its folder on LD_LIBRARY_PATH (on Windows: PATH) before
    Python starts. Do not link one version's name to another version's file.

    ## When this reading is wrong
    On a machine without a GPU the lines are harmless; TensorFlow says so itself: *Ignore above
    cudart dlerror if you do not have a GPU*. Missing `libnvinfer` is TensorRT, which nobody needs.
    Missing `libcuda.so.1` is the driver, or a container that was started without the GPU.

    ## References
    - TensorFlow, tested build configurations: <https://www.tensorflow.org/install/source#gpu>
    - `tensorflow/stream_executor/platform/default/dso_loader.cc`, `cudart_stub.cc`
    """
    missing = tuple(
        signal
        for signal in story.all("library-missing", "import-needs-library")
        if component(signal.values["library"]) not in ("cudnn", None)
    )
    finding = story.finding("cuda-missing", "cuda-version-mismatch")
    scales = Scales()
    _weigh_lines(scales, story, missing, finding)
    _weigh_absence(scales, story, finding)
    if surroundings.without_gpu(story) and not story.has("import-needs-library"):
        scales.take(0.8)
    names = tuple(signal.values["library"] for signal in missing)
    return scales.verdict(why=_why(names, finding, story), fix=_fix(story, names, finding))


def _weigh_lines(
    scales: Scales, story: Story, missing: tuple[Signal, ...], finding: Finding | None
) -> None:
    if missing:
        needed = [signal for signal in missing if signal.name == "import-needs-library"]
        # The runtime's absence alone is told on machines without a GPU too.
        sure = needed or surroundings.gpu_meant(story)
        scales.add(0.86 if sure else 0.49, *(needed or missing)[:3])
        scales.add(0.4, finding)
    drivers = story.first("cuda-drivers-not-found")
    if not missing:
        scales.add(0.6 if surroundings.gpu_meant(story) else 0.47, drivers)
        only_cudnn = story.has("library-missing", "import-needs-library")
        scales.add(0.1 if only_cudnn else 0.6, story.first("skipping-gpu-registration"))
    scales.add(0.25, story.first("dll-not-found"))
    if eras.two_packages(story):
        scales.add(0.5, story.first("dll-not-found"))
    scales.add(0.3, story.first("driver-library-missing", "import-needs-driver"))
    scales.add(0.25, story.first("symbol-missing"), story.first("said-other-copy-imported"))
    scales.add(0.55, story.first("said-path-not-set"))
    scales.add(
        0.3 if story.has("said-cudnn-not-found") else 0.68,
        story.first("said-cuda-library-not-found"),
    )
    scales.add(0.62, story.first("said-asks-for-other-cuda"))
    scales.add(0.35, story.first("said-several-cudas"))


def _weigh_absence(scales: Scales, story: Story, finding: Finding | None) -> None:
    """No line names a library, but TensorFlow sees no GPU."""
    proofs = unseen(story)
    if not proofs or story.has("library-missing", "import-needs-library", "said-cudnn-not-found"):
        return
    if finding is not None:
        scales.add(0.8, *proofs, finding)
    elif story.has("xla-gpu-listed"):
        scales.add(0.7, story.first("xla-gpu-listed"), *proofs)
    elif story.has(*_SAID_OTHERWISE) or story.finding(*_OTHER_REASONS) is not None:
        scales.add(0.25, *proofs)
    elif story.finding("windows-native-no-gpu") is None:
        scales.add(_usual(story), *proofs)


def _usual(story: Story) -> float:
    """How often it is CUDA, where TensorFlow without a word sees no GPU."""
    known = story.facts.tensorflow
    if surroundings.is_windows(story):
        return 0.5 if known else 0.35
    first = parse(threshold("first-tensorflow-cpu-2"))
    if known is not None and parse(known.version) >= first:
        return 0.56 if surroundings.gpu_meant(story) else 0.48
    return 0.42


def _why(names: tuple[str, ...], finding: Finding | None, story: Story) -> str:
    if names:
        of = cuda_of(names[0])
        told = f" It is of CUDA {of}." if of else ""
        reason = f" {finding.title}." if finding is not None else ""
        return f"The loader did not find {names[0]}, which this TensorFlow asks for.{told}{reason}"
    if finding is not None:
        return f"TensorFlow uses no GPU, and the versions say why: {finding.title}."
    if story.has("skipping-gpu-registration"):
        return "The driver shows a GPU, and TensorFlow leaves it out because libraries are missing."
    if story.has("cuda-drivers-not-found"):
        return "TensorFlow could not load the CUDA runtime, which matters if there is a GPU."
    return "TensorFlow sees no GPU, most often because it does not find the CUDA that it asks for."


def _fix(story: Story, names: tuple[str, ...], finding: Finding | None) -> Fix:
    return finding.fix if finding is not None else bring(story, names)
