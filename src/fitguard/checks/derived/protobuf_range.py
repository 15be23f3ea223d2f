"""Which protobuf a TensorFlow release works with: what its wheel asks for, what was measured."""

from typing import Literal

from packaging.specifiers import SpecifierSet

from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.versions import Version, newer, older, parse, text

Place = Literal["inside", "too-new", "too-old"]


def place(version: str, release: Release) -> Place:
    """On which side of the wheel's own range a version lies; a short `5` may be any 5.x."""
    have = parse(version)
    for item in SpecifierSet(release.protobuf):
        bound = parse(item.version)
        if item.operator == ">=" and older(have, bound):
            return "too-old"
        if (
            item.operator == "<"
            and not older(have, bound)
            and (newer(have, bound) or _is_precise_enough(have, bound))
        ):
            return "too-new"
        if item.operator == "!=" and have == bound:
            return "too-old"
    return "inside"


def _is_precise_enough(have: Version, bound: Version) -> bool:
    """Whether all parts of a bound that are not zero are known: 5 is not below 5.0.0."""
    return not any(bound[len(have) :])


def refuses_old_code(version: str, release: Release, knowledge: Knowledge) -> bool:
    """Whether this protobuf refuses TensorFlow's generated code as too old."""
    below = knowledge.protobuf.need(release).below
    return bool(below) and parse(version) >= parse(below)


def least_that_works(release: Release, knowledge: Knowledge) -> Version | None:
    """The least protobuf that can run TensorFlow's generated code; None where it is not known."""
    least = knowledge.protobuf.need(release).least
    return parse(least) if least else None


def fitting(release: Release, knowledge: Knowledge) -> str:
    """What to ask pip for: `protobuf>=3.20.3,<5`."""
    bounds = {item.operator: parse(item.version) for item in SpecifierSet(release.protobuf)}
    lower = max(bounds[">="], least_that_works(release, knowledge) or ())
    below = knowledge.protobuf.need(release).below
    upper = bounds.get("<", parse(below) if below else None)
    end = f",<{_short(upper)}" if upper else ""
    return f"protobuf>={text(lower)}{end}"


def describe_requirement(version: str, release: Release) -> str:
    """What the wheel asks for, without the exclusions that do not matter here."""
    items = sorted(SpecifierSet(release.protobuf), key=str, reverse=True)
    kept = [
        str(item)
        for item in items
        if item.operator != "!=" or parse(item.version) == parse(version)
    ]
    return f"TensorFlow {release.version} asks for protobuf {','.join(kept)}"


def _short(version: Version) -> str:
    while len(version) > 1 and version[-1] == 0:
        version = version[:-1]
    return text(version)
