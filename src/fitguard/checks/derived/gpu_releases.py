"""The TensorFlow releases that run on a GPU."""

from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release, code_for
from fitguard.schema.facts import Facts
from fitguard.schema.versions import parse, text


def working(facts: Facts, knowledge: Knowledge, capability: str) -> tuple[Release, ...]:
    """The releases that run on such a GPU on this system, oldest first.

    The wheel has machine code for it, CUDA and cuDNN still serve it, and a driver exists that
    supports both the GPU and that CUDA. Those for the Python at hand, if there are any.
    """
    found = tuple(
        release
        for release in knowledge.tensorflow.all
        if _runs(release, capability, knowledge) and _has_wheel(release, facts)
    )
    return tuple(release for release in found if fits_python(release, facts)) or found


def _runs(release: Release, capability: str, knowledge: Knowledge) -> bool:
    if code_for(release.sass, release.ptx, capability) != "sass":
        return False
    least = knowledge.cudnn.least_capability(release.cudnn, release.cuda)
    if least is None or parse(capability) < parse(least):
        return False
    served = knowledge.cuda.serves(release.cuda, capability) is True
    return served and not beyond_last_branch(release.cuda, capability, knowledge)


def beyond_last_branch(cuda: str, capability: str, knowledge: Knowledge) -> bool:
    """Whether this CUDA needs a driver newer than the last one that serves the GPU."""
    last = knowledge.drivers.last_branch(capability)
    least = knowledge.drivers.least(cuda)
    return last is not None and least is not None and parse(least)[0] > parse(last)[0]


def _has_wheel(release: Release, facts: Facts) -> bool:
    native_windows = facts.platform is not None and facts.platform.system == "windows"
    return release.windows_gpu or not native_windows


def fits_python(release: Release, facts: Facts) -> bool:
    """Whether the release has wheels for the Python at hand; unknown Pythons fit."""
    return facts.python is None or text(parse(facts.python.version), 2) in release.pythons
