"""Which known bugs fit what was seen and the versions at hand."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from fitguard.knowledge import knowledge
from fitguard.knowledge.known_bugs import KnownBug
from fitguard.schema.crash import Signal, Story
from fitguard.schema.versions import older, parse

_UNKNOWN_VERSION = 0.55
"""The share of a bug's weight that is left where the version is not known."""
_UNFINISHED = re.compile(r"\d[-.]?(?:dev\d+|rc\d+|alpha\d*|beta\d*|a\d+\b|b\d+\b)", re.IGNORECASE)


class FittingBug(NamedTuple):
    """A bug whose signals are there, and whose versions do not rule it out."""

    bug: KnownBug
    weight: float
    version: str | None
    signals: tuple[Signal, ...]


def fitting(story: Story) -> tuple[FittingBug, ...]:
    """All that fit, the likeliest first."""
    return tuple(sorted(_fitting(story), key=lambda entry: -entry.weight))


def find_unfinished_release(story: Story) -> str | None:
    """The TensorFlow at hand, where it is a nightly or a release candidate."""
    tensorflow = story.facts.tensorflow
    if tensorflow is None:
        return None
    given = tensorflow.origin.partition("tf=")[2] or tensorflow.version
    return given if _UNFINISHED.search(given) else None


def _fitting(story: Story) -> Iterator[FittingBug]:
    for bug in knowledge().known_bugs.table.rows:
        seen = story.first(*bug.signals)
        besides = story.first(*bug.with_signals)
        if (
            seen is None
            or (bug.with_signals and besides is None)
            or _is_of_other_system(bug, story)
        ):
            continue
        version = _version(story, bug.package)
        since, below = bug.since, bug.below
        if version is None and bug.tensorflow_since:
            version = _version(story, "tensorflow")
            since, below = bug.tensorflow_since, bug.tensorflow_below
        if version is not None and not _within(version, since, below):
            continue
        weight = bug.weight if version is not None else bug.weight * _UNKNOWN_VERSION
        yield FittingBug(bug, weight, version, (seen, *((besides,) if besides else ())))


def _is_of_other_system(bug: KnownBug, story: Story) -> bool:
    platform = story.facts.platform
    return bool(bug.system) and (platform is None or platform.system != bug.system)


def _within(version: str, since: str, below: str) -> bool:
    have = parse(version)
    too_old = bool(since) and older(have, parse(since))
    return not too_old and (not below or older(have, parse(below)))


def _version(story: Story, package: str) -> str | None:
    facts = story.facts
    if package == "tensorflow":
        return facts.tensorflow.version if facts.tensorflow is not None else None
    if package == "cudnn":
        found = facts.libraries.find_searched("cudnn") if facts.libraries is not None else ()
        return found[0].version if found else None
    installed = facts.packages.first(package) if facts.packages is not None else None
    return installed.version if installed is not None else None
