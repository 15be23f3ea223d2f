"""Looks for the newest release that the doctor's checks find no error in."""

from itertools import groupby

import msgspec

from fitguard.checks.framework.runner import judge_machine
from fitguard.environment.candidates import Candidate, Constraints, candidates
from fitguard.knowledge import Knowledge
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.resolution import Rejected

Found = tuple[Candidate, DoctorReport]


class Objection(msgspec.Struct, frozen=True):
    """Why one release does not work: codes of the checks, sentences."""

    release: str
    codes: tuple[str, ...]
    reasons: tuple[str, ...]


def search(
    constraints: Constraints, tables: Knowledge
) -> tuple[Found | None, tuple[Rejected, ...]]:
    """The newest candidate without an error, and the reasons against the newer ones."""
    objections: list[Objection] = []
    for candidate in candidates(constraints, tables):
        refused = _find_refused_pins(candidate, constraints)
        report = judge_machine(candidate.facts, knowledge=tables)
        if report.ok and not refused:
            return (candidate, report), _group_objections(objections)
        errors = [finding for finding in report.findings if finding.severity == "error"]
        objections.append(
            Objection(
                candidate.release.version,
                tuple(dict.fromkeys(finding.code for finding in errors)),
                (*(finding.title for finding in errors), *refused),
            )
        )
    return None, _group_objections(objections)


def _group_objections(objections: list[Objection]) -> tuple[Rejected, ...]:
    """Neighbours that fail in the same checks share a line, with the newest one's words."""
    groups = [list(group) for _, group in groupby(objections, key=lambda item: item.codes)]
    return tuple(
        Rejected(
            tuple(item.release for item in group),
            group[0].codes,
            "; ".join(group[0].reasons[:2]),
        )
        for group in groups
    )


def _find_refused_pins(candidate: Candidate, constraints: Constraints) -> list[str]:
    """Pinned packages that pip would not install beside this release."""
    release = candidate.release
    ranges = {"numpy": release.numpy, "protobuf": release.protobuf}
    pinned = constraints.packages.found if constraints.packages else ()
    return [
        f"TensorFlow {release.version} asks for {package.name} {asked}"
        for package in pinned
        if (asked := ranges.get(package.name)) and package.version
        if not _admits(asked, package.version, candidate.python)
    ]


def _admits(requirement: str, version: str, python: str) -> bool:
    """Whether a range of the tables admits a version; some have one range for each Python."""
    from packaging.requirements import Requirement

    for part in requirement.split(" ; "):
        asked, _, marker = part.partition(" [")
        wanted = Requirement(f"x{asked}" + (f"; {marker.rstrip(']')}" if marker else ""))
        applies = wanted.marker is None or wanted.marker.evaluate({"python_version": python})
        if applies and not wanted.specifier.contains(version, prereleases=True):
            return False
    return True
