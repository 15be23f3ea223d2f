"""TensorFlow found CUDA, and could not load cuDNN."""

from fitguard.causes.derived import surroundings
from fitguard.causes.derived.bringing_cuda import bring
from fitguard.causes.derived.library_names import component
from fitguard.causes.derived.unseen import unseen
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story


@cause("cudnn-missing")
def cudnn_missing(story: Story) -> Verdict | None:
    """
    ## What it means
    cuDNN is a library of its own, beside CUDA: convolutions and recurrent layers live in it.
    TensorFlow opens it by name (`libcudnn.so.8`, `cudnn64_8.dll`) when it first looks for GPUs. It
    was not found, though the rest of CUDA was. TensorFlow then leaves out all GPUs, or stops at the
    first convolution: *DNN library is not found*, *could not find cudnnCreate in cudnn DSO*.

    ## How to be sure
    - The log names `libcudnn` or `cudnn64` as the file that could not be loaded, and no other one.
    - `ldconfig -p | grep cudnn` lists it where the system knows it; `fitguard doctor` looks in all
      places where the loader does.
    - cuDNN 8 and 9 come in parts: *Could not load library libcudnn_cnn_infer.so.8* means that one
      part is missing, or that a library which this part needs is.

    ## How to fix it
    Install the cuDNN that belongs to this TensorFlow and this CUDA. From 2.14 on
    `tensorflow[and-cuda]` brings it. Otherwise take conda's `cudnn`, or NVIDIA's archive. If it is
    installed, put its folder on LD_LIBRARY_PATH (on Windows: its `bin` on PATH) before Python
    starts. In a container take an image that has cuDNN in it (`…-cudnn8-runtime-…`): the host's
    cuDNN does not count there.

    ## When this reading is wrong
    If other CUDA libraries are missing too, CUDA as a whole is missing or of another version. *Fail
    to find the dnn implementation* is more often a cuDNN that could not start for lack of memory,
    or one of another version.

    ## References
    - TensorFlow, tested build configurations: <https://www.tensorflow.org/install/source#gpu>
    - NVIDIA cuDNN, installation guide
    """
    signals = story.all("library-missing", "import-needs-library")
    gone = [item for item in signals if component(item.values["library"]) == "cudnn"]
    others = [item for item in signals if component(item.values["library"]) != "cudnn"]
    finding = story.finding("cudnn-missing")
    scales = Scales()
    if gone:
        scales.add(0.45 if others else 0.88, *gone[:2])
        scales.add(0.2, finding)
    scales.add(0.8, story.first("cudnn-so-unusable"))
    scales.add(0.7, story.first("said-cudnn-not-found"))
    if not signals:
        scales.add(0.5, story.first("skipping-gpu-registration"))
        proofs = (*unseen(story), *story.all("dnn-not-found"))
        if finding is not None and proofs:
            scales.add(0.8, *proofs[:2], finding)
        scales.add(0.35, story.first("dnn-not-found"))
        scales.add(0.15, story.first("dnn-initialization-failed"), *unseen(story)[:1])
    scales.add(0.2, story.first("dll-not-found"), story.first("library-file-broken"))
    if surroundings.without_gpu(story) and not story.has("import-needs-library"):
        scales.take(0.8)
    names = tuple(item.values["library"] for item in gone)
    return scales.verdict(
        why=_why(names, bool(others), story),
        fix=finding.fix if finding is not None else bring(story, names),
    )


def _why(names: tuple[str, ...], others: bool, story: Story) -> str:
    if names and others:
        return f"{names[0]} was not found, but neither were parts of CUDA itself."
    if names:
        return f"{names[0]} was not found, while no other CUDA library is reported missing."
    if story.has("cudnn-so-unusable"):
        return "TensorFlow could not open cuDNN, or did not find its functions in it."
    return "TensorFlow has no working cuDNN; it may not be installed where the loader looks."
