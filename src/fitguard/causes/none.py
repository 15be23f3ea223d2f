"""Nothing is wrong: what looks bad is harmless."""

from fitguard.causes.derived.abrupt_end import has_ended_well, has_failed
from fitguard.causes.derived.surroundings import without_gpu
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Ending, Signal, Story
from fitguard.schema.finding import Fix

# A text with fewer lines is an excerpt, which says nothing of the end.
_WHOLE_LOG_LINES = 12
_TRAINS = ("xla-works", "epoch-line")

# What a TensorFlow that shall not see a GPU always says of it.
_OF_A_HIDDEN_GPU = ("cuinit-failed", "no-cuda-device", "cuda-drivers-not-found")
_GPU_NOT_IN_USE = ("gpu-not-listed", "cpu-device-listed", "xla-gpu-listed")
_GPU_IN_USE = ("device-created", "gpu-listed", "cudnn-loaded")
# These may come on the way of a run that ends well.
_MAY_PASS = (
    "cuda-out-of-memory",
    "allocator-refused",
    "allocator-dump",
    "regions-garbage-collected",
)
_WORDS_WITHOUT_COMPLAINT = ("goes-on-told", "many-gpus-told", "half-precision-told")


@cause("none")
def none(story: Story) -> Verdict | None:
    """
    ## What it means
    TensorFlow writes many lines that look like errors and are none: notes on NUMA nodes, plug-ins
    that are announced twice, TensorRT that is not installed, CPU instructions, the end of a
    dataset. In what was given there are only such lines, and lines of a run that works.

    ## How to be sure
    - The exit code is 0, and the training printed what you expected.
    - `fitguard doctor` finds no error on this machine.
    - `nvidia-smi` shows the process on the GPU while it trains.

    ## How to fix it
    There is nothing to fix. `TF_CPP_MIN_LOG_LEVEL=1` hides the notes, `2` the warnings too. Set it
    before TensorFlow is imported. Do not hide errors: the next one may be real.

    ## When this reading is wrong
    Where the run did fail, the line that tells of it is not in what was given: give the whole log,
    the exit code and the kernel log. A run that works but is slow, or learns nothing, is not judged
    here.

    ## References
    - TensorFlow, environment variables of the logging
    """
    if has_failed(story) or story.role("stop", "fallout") or _complaints(story):
        return None
    works = story.role("healthy")
    harmless = story.role("noise")
    scales = Scales()
    scales.add(0.66, *_one_of_each(harmless)[:3])
    scales.add(0.5, *_one_of_each(works)[:2])
    if harmless or works:
        scales.add(0.4, story.first("goes-on-told"))
    scales.add(0.6, story.first("gpus-hidden"))
    if has_ended_well(story):
        scales.add(0.7, *story.ending.evidence)
    if _gpu_missed(story):
        scales.take(0.6)
    if breaks_off(story):
        scales.take(0.45)
    if symptoms := _symptoms(story):
        passed = all(line.name in _MAY_PASS for line in symptoms)
        scales.take(_share_against(passed, has_ended_well(story), bool(works)))
    return scales.verdict(why=_why(story, bool(symptoms)), fix=_fix(story))


def _one_of_each(signals: tuple[Signal, ...]) -> list[Signal]:
    return list({signal.name: signal for signal in reversed(signals)}.values())[::-1]


def _complaints(story: Story) -> bool:
    return any(line.name not in _WORDS_WITHOUT_COMPLAINT for line in story.role("words"))


def _symptoms(story: Story) -> tuple[Signal, ...]:
    expected = _OF_A_HIDDEN_GPU if without_gpu(story) else ()
    return tuple(line for line in story.role("symptom") if line.name not in expected)


def _share_against(passed: bool, ended: bool, works: bool) -> float:
    if not passed:
        return 1
    return 0.15 if ended and works else 0.4


def _gpu_missed(story: Story) -> bool:
    return story.has(*_GPU_NOT_IN_USE) and not story.has(*_GPU_IN_USE) and not without_gpu(story)


def _why(story: Story, symptoms: bool) -> str:
    if symptoms:
        return "The run ended well, so what failed on the way did not stop it."
    if story.has("gpus-hidden"):
        return "The GPU is hidden on purpose, and the run goes on with the CPU."
    if has_ended_well(story):
        return "The process ended with 0, and all lines that look bad are known to be harmless."
    return "All lines that look bad are known to be harmless, and none tells of a failure."


def _fix(story: Story) -> Fix:
    if story.role("noise"):
        return Fix(
            "There is nothing to fix. To hide such lines, set TF_CPP_MIN_LOG_LEVEL=1 (notes) or 2 "
            "(warnings too) before TensorFlow is imported.",
        )
    return Fix("There is nothing to fix.")


def breaks_off(story: Story) -> bool:
    """The training began, and nothing tells that it went on to its end."""
    if story.ending != Ending() or story.has("training-finished", "goes-on-told"):
        return False
    began = story.has("device-created") and story.has(*_TRAINS)
    if not began or story.lines < _WHOLE_LOG_LINES or len(story.sources) != 1:
        return False
    return _in_an_epoch(story) or _silent_after_start(story)


def _in_an_epoch(story: Story) -> bool:
    counted = [line for line in story.all("epoch-line") if "epochs" in line.values]
    return bool(counted) and int(counted[-1].values["epoch"]) < int(counted[-1].values["epochs"])


def _silent_after_start(story: Story) -> bool:
    """The last line of the log is one that TensorFlow writes before the first result."""
    last = story.signals[-1]
    return last.role in ("healthy", "noise") and last.line == story.lines
