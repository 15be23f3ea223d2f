"""Runs the checks over a set of facts, in the order that their requirements ask for."""

import graphlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from fitguard.checks.framework.fixtures import FactResolver, Missing, Resolver
from fitguard.checks.framework.registry import Check, Subject, all_checks, matching
from fitguard.knowledge import Knowledge
from fitguard.knowledge import knowledge as shipped_knowledge
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts
from fitguard.schema.finding import SEVERITIES, Finding, Skipped

# Within a severity: first what must be mended first. An install that cannot be imported, then
# driver and GPU, then CUDA and cuDNN, then memory, then the host.
_GROUPS = ("FG1", "FG3", "FG2", "FG4", "FG7", "FG5", "FG6")
_CONFIDENCES = ("high", "medium", "low")


class Judgement(NamedTuple):
    """What the checks of a subject made of it, gravest first."""

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    passed: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return all(finding.severity != "error" for finding in self.findings)


def judge(
    facts: Facts,
    *,
    select: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    knowledge: Knowledge | None = None,
) -> DoctorReport:
    """Judge a set of facts of a machine.

    Args:
        facts: Of this machine, of a file, or supposed; partial ones are fine.
        select: Codes, prefixes or slugs to check, also such as `FG2,FG3`; all where empty.
        ignore: Those to leave out.

    Raises:
        UsageError: where a name is no check's.

    Example:
        >>> from fitguard.schema.facts import Facts
        >>> judge(Facts()).ok
        True
    """
    resolver = FactResolver(facts, knowledge or shipped_knowledge())
    judgement = run_checks(select_checks("environment", select, ignore), resolver)
    return DoctorReport(ok=judgement.ok, facts=facts, **judgement._asdict())


def run_checks(checks: dict[str, Check], resolver: Resolver) -> Judgement:
    """Make the checks, each after those that it requires."""
    findings: dict[str, tuple[Finding, ...]] = {}
    skipped: list[Skipped] = []
    for check in _sort_checks(checks):
        fallout = sorted(code for code in check.requires if findings.get(code))
        if fallout:
            skipped.append(Skipped(check.code, check.slug, f"fix {fallout[0]} first"))
            continue
        try:
            found = _run(check, resolver)
        except Missing as missing:
            skipped.append(Skipped(check.code, check.slug, str(missing)))
            continue
        except Exception as error:
            # Facts from a file may hold anything; one check that chokes on them costs itself only.
            reason = f"the check itself failed on these facts: {type(error).__name__}: {error}"
            skipped.append(Skipped(check.code, check.slug, reason, broken=True))
            continue
        findings[check.code] = found
    return Judgement(
        findings=tuple(sorted((one for found in findings.values() for one in found), key=_rank)),
        skipped=tuple(sorted(skipped, key=lambda item: item.code)),
        passed=tuple(sorted(code for code, found in findings.items() if not found)),
    )


def select_checks(
    subject: Subject, select: str | Iterable[str], ignore: str | Iterable[str]
) -> dict[str, Check]:
    """The checks of a subject that are selected and not ignored.

    Raises:
        UsageError: where a name is no check's, or all that are selected judge something else.
    """
    wanted, left_out = _codes(select), _codes(ignore)
    own = all_checks(subject)
    if wanted and not wanted & own.keys():
        raise UsageError(
            f"Received {', '.join(sorted(wanted))} to select, which judge something else than the "
            f"{subject}. Expected codes from {next(iter(own))} to {next(reversed(own))}"
        )
    return {
        code: check
        for code, check in own.items()
        if (not wanted or code in wanted) and code not in left_out
    }


def _codes(names: str | Iterable[str]) -> set[str]:
    """The codes of all checks that are named, one by one or with commas between."""
    several = isinstance(names, Iterable) and not isinstance(names, str)
    given: list[Any] = list(names) if several else [names]
    if not all(isinstance(name, str) for name in given):
        raise UsageError(f"Received {names!r} to select or ignore. Expected codes, such as FG62")
    single = (name.strip() for item in given for name in item.split(","))
    return {check.code for name in single for check in matching(name)}


def _sort_checks(checks: dict[str, Check]) -> list[Check]:
    graph = {code: check.requires & checks.keys() for code, check in checks.items()}
    return [checks[code] for code in graphlib.TopologicalSorter(graph).static_order()]


def _run(check: Check, resolver: Resolver) -> tuple[Finding, ...]:
    verdict = resolver.call(check.function, check.needs)
    found = [verdict] if isinstance(verdict, Finding) else list(verdict or ())
    return tuple(
        msgspec.structs.replace(finding, code=check.code, slug=check.slug) for finding in found
    )


def _rank(finding: Finding) -> tuple[int, int, int, str]:
    return (
        SEVERITIES.index(finding.severity),
        _GROUPS.index(finding.code[:3]),
        _CONFIDENCES.index(finding.confidence),
        finding.code,
    )
