"""The cuDNN that was loaded is of another version than TensorFlow can use."""

from fitguard.causes.derived.bringing_cuda import bring, release_of
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.versions import parse, text

_FINDINGS = ("cudnn-major-mismatch", "cudnn-too-old", "cudnn-too-new")
_DNN_FAILED = (
    "dnn-not-found",
    "dnn-initialization-failed",
    "conv-algorithm-failed",
    "cudnn-handle-failed",
    "cudnn-internal-error",
    "cudnn-execution-failed",
)


@cause("cudnn-mismatch")
def cudnn_mismatch(story: Story) -> Verdict | None:
    """
    ## What it means
    TensorFlow compares the cuDNN it was compiled with to the one that the loader gave it. The major
    must be the same and the minor must not be older; up to TensorFlow 1.6 the minor had to be the
    same. If it does not fit, TensorFlow logs both versions and has no cuDNN: the first convolution
    or recurrent layer fails.

    ## How to be sure
    - *Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0* names both. Old
      releases print 5005 for 5.0.5 and 8100 for 8.1.0.
    - Without that line, compare: `fitguard doctor` shows the cuDNN that the loader takes and the
      one that TensorFlow was built with.

    ## How to fix it
    Install the cuDNN that TensorFlow was compiled with, or a newer minor of the same major. Look
    where the loaded one comes from: an entry on LD_LIBRARY_PATH comes before all that pip installs,
    and PyTorch imported first brings its own. Or change TensorFlow: take a release that was built
    with the cuDNN you have.

    ## When this reading is wrong
    Without the line that names two versions, *Failed to get convolution algorithm*, *Could not
    create cudnn handle* and `CUDNN_STATUS_INTERNAL_ERROR` are lack of GPU memory far more often:
    try memory growth first.

    ## References
    - `tensorflow/stream_executor/cuda/cuda_dnn.cc`
    - TensorFlow, tested build configurations: <https://www.tensorflow.org/install/source#gpu>
    """
    told = story.first("cudnn-version-mismatch")
    finding = story.finding(*_FINDINGS)
    failed = story.first(*_DNN_FAILED)
    scales = Scales()
    scales.add(0.93, told)
    scales.add(0.7, story.first("cudnn-parts-mismatch", "cudnn-incompatible"))
    scales.add(0.65, story.first("said-cudnn-version"))
    if told is None:
        if finding is not None and failed is not None:
            scales.add(0.75, failed, finding)
        scales.add(0.55, story.first("dnn-not-found"))
        scales.add(0.4, story.first("dnn-initialization-failed"))
        scales.add(0.25, story.first("conv-algorithm-failed", "cudnn-handle-failed"))
        scales.add(0.2, story.first("cudnn-internal-error"))
    return scales.verdict(why=_why(told, finding), fix=_fix(story, told, finding))


def _why(told: Signal | None, finding: Finding | None) -> str:
    if told is not None:
        loaded, compiled = map(_readable, (told.values["loaded"], told.values["compiled"]))
        way = "newer" if parse(loaded) > parse(compiled) else "older"
        return (
            f"TensorFlow was compiled with cuDNN {compiled} and was given {loaded}, which is {way}."
        )
    if finding is not None:
        return f"cuDNN did not start, and its version does not fit: {finding.title}."
    return "cuDNN did not start; one that TensorFlow was not built for is a usual reason."


def _fix(story: Story, told: Signal | None, finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    if told is None or release_of(story) is not None:
        return bring(story)
    loaded, compiled = map(_readable, (told.values["loaded"], told.values["compiled"]))
    need = text(parse(compiled), 2)
    suited = _find_matching_tensorflow(loaded)
    other = f" Or install {suited}, which was built with cuDNN {loaded}'s minor." if suited else ""
    return Fix(
        text=f"Install cuDNN {need}, or a newer one of the same major, where the loader finds it "
        "before the present one: look through LD_LIBRARY_PATH, and for PyTorch or another package "
        f"that brings its own cuDNN.{other}",
        commands=("fitguard doctor",),
    )


def _find_matching_tensorflow(cudnn: str) -> str | None:
    same = [
        release
        for release in knowledge().tensorflow.all
        if parse(release.cudnn)[:2] == parse(cudnn)[:2]
    ]
    return f"TensorFlow {same[-1].version}" if same else None


def _readable(number: str) -> str:
    """`5105` of old releases as 5.1.5, `90300` as 9.3.0."""
    if "." in number or len(number) < 4:
        return number
    base = 10_000 if int(number) >= 90_000 else 1_000
    return f"{int(number) // base}.{int(number) % base // 100}.{int(number) % 100}"
