"""A bug of TensorFlow, Keras, cuDNN or CUDA that other releases do not have."""

from itertools import chain

from fitguard.causes.derived.abrupt_end import find_end_signal
from fitguard.causes.derived.named_bugs import FittingBug, find_unfinished_release, fitting
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Evidence, Fix

_OWN_LIBRARIES = ("tensorflow", "cudnn", "cublas", "libcuda", "xla", "nccl")
_NO_FAILURE = ("worked-before", "goes-on-told", "many-gpus-told", "half-precision-told")
_OWN_FAULTS = (
    "allocator-statistics-missing",
    "redzone-overwritten",
    "variable-on-other-device",
)
_OWN_ERRORS = ("InternalError", "UnimplementedError")


@cause("framework-bug")
def framework_bug(story: Story) -> Verdict | None:
    """
    ## What it means
    The program and the machine are in order, and this very release of TensorFlow, Keras, cuDNN or
    the driver has a bug. Some are named here, with the versions that have them; else the signs are
    that another release works, that TensorFlow's own checks fail, or that the process dies inside
    of its libraries.

    ## How to be sure
    - Run the same program with the release before and the one after, nothing else changed.
    - Cut the program down until twenty lines show it. That also is what a report needs.
    - Search the issues of tensorflow/tensorflow and keras-team/keras for the line that failed.

    ## How to fix it
    Take the release that works. A nightly or a release candidate is never worth a search: take the
    release. Where a new cuDNN of the same major fixes it, that alone can be replaced. Else go round
    the feature: XLA off, a plain layer instead of a fused one, `run_eagerly=True` to find it.

    ## When this reading is wrong
    *It works with the other release* is also true of wrong installs: the other release may simply
    fit the CUDA, the driver or the GPU that is there. Compiled code of one's own dies in the same
    way as TensorFlow's.

    ## References
    - The known bugs of fitguard: `knowledge/tables/known_bugs.toml`, with sources
    - tensorflow/tensorflow issues 60192, 41630, 35030, 43101
    """
    scales = Scales()
    bugs = fitting(story)
    if bugs:
        scales.add(bugs[0].weight, *bugs[0].signals)
    unfinished = find_unfinished_release(story)
    ended, end = find_end_signal(story)
    fails = end if ended in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL") else None
    if unfinished is not None:
        scales.add(0.45, fails, _quote_version(unfinished) if fails is not None else None)
        scales.add(0.35, _failure(story))
    scales.add(0.48, story.first("worked-before"))
    if story.has("worked-before"):
        scales.add(0.2, _failure(story))
    scales.add(0.45, story.first("bug-told"))
    scales.add(0.4, _own_code(story))
    scales.add(0.36, story.first("heap-corrupted"))
    scales.add(0.5, story.first(*_OWN_FAULTS))
    scales.add(0.25, fails or story.first("kernel-died", "silent-crash-told"))
    scales.add(0.3, story.first("cudnn-rnn-failed", "cudnn-execution-failed"))
    scales.add(0.3, _under_xla(story))
    scales.add(0.25, _own_error(story))
    return scales.verdict(why=_why(story, bugs, unfinished), fix=_fix(bugs, unfinished))


def _failure(story: Story) -> Signal | None:
    """The first line or word of a failure."""
    complaints = (line for line in story.role("words") if line.name not in _NO_FAILURE)
    return next(chain(story.role("stop"), complaints), None)


def _quote_version(version: str) -> Evidence:
    return Evidence(f"TensorFlow {version}", "the facts given")


def _own_code(story: Story) -> Signal | None:
    for line in story.all("segfault-in"):
        if any(name in line.values.get("library", "") for name in _OWN_LIBRARIES):
            return line
    return story.first("check-failed")


def _under_xla(story: Story) -> Signal | None:
    faults = story.all("illegal-address", "misaligned-address", "launch-failed")
    named = any("xla" in line.text.lower() for line in story.signals if line.role != "noise")
    return faults[0] if faults and named else None


def _own_error(story: Story) -> Signal | None:
    found = story.all("exception")
    return next((line for line in found if line.values.get("type") in _OWN_ERRORS), None)


def _why(story: Story, bugs: tuple[FittingBug, ...], unfinished: str | None) -> str:
    if bugs:
        return f"It fits the bug of {bugs[0].bug.package} that {bugs[0].bug.summary}."
    if unfinished is not None:
        return f"TensorFlow {unfinished} is not a release, and the process died inside it."
    if story.has("worked-before", "bug-told"):
        return "The same program works with another release, so the release makes the difference."
    if _own_code(story) or story.has(*_OWN_FAULTS) or _own_error(story):
        return "The failure is inside TensorFlow's own code; no line names a cause outside of it."
    return "It crashed in compiled code, and TensorFlow's is one of the places where that may be."


def _fix(bugs: tuple[FittingBug, ...], unfinished: str | None) -> Fix:
    if bugs:
        return Fix(f"{bugs[0].bug.remedy} Source: {bugs[0].bug.source}.")
    if unfinished is not None:
        return Fix("Install the release instead of the nightly or the candidate.")
    return Fix(
        "Run the same program with the release before this one and with the newest one, nothing "
        "else changed. If one of them works, keep it, and report the smallest program that fails."
    )
