"""Which era of TensorFlow a story is from, where its version is not told."""

from fitguard.knowledge.thresholds import threshold
from fitguard.schema.crash import Story
from fitguard.schema.versions import parse

_LAST_CUDA = (10, 0)
"""Of the releases that came as two packages, one for CPUs and one for GPUs."""


def two_packages(story: Story) -> bool:
    """Before 2.1, when plain `tensorflow` had no CUDA: by its version, else by its CUDA."""
    known = story.facts.tensorflow
    if known is not None:
        return parse(known.version) < parse(threshold("first-tensorflow-cpu-2"))
    libraries = story.facts.libraries
    runtimes = libraries.candidates("cudart") if libraries is not None else ()
    numbers = [parse(runtime.version) for runtime in runtimes if runtime.version]
    return bool(numbers) and all(number[:2] <= _LAST_CUDA for number in numbers)
