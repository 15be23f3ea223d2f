"""The answers of all nodes into one document: what differs, how each stands, what is wrong.

Pure: answers in, document out.
"""

from collections.abc import Iterator, Sequence
from statistics import median

import msgspec

from fitguard.fleet.traits import list_doctor_traits, list_probe_traits
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.finding import SEVERITIES
from fitguard.schema.fleet_survey import (
    Difference,
    FleetSurvey,
    NodeState,
    Question,
    SharedFailure,
    SharedFinding,
    SharedValue,
    SurveyedNode,
)
from fitguard.schema.probe import ProbeReport, Rate
from fitguard.words import count, join

_FAR_BELOW = 0.8
"""Of the rate that the same card has on other nodes."""


class NodeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came back from a node.

    Args:
        node: Its number in Ray.
        gpus: That Ray counts there.
        report: None where there is none; `why` says why.
        fitguard: The version there.
    """

    name: str
    node: str = ""
    gpus: int = 0
    report: DoctorReport | ProbeReport | None = None
    why: str = ""
    fitguard: str = ""
    seconds: float = 0.0


class _Measured(msgspec.Struct, frozen=True):
    """A rate of one card."""

    node: str
    device: str
    rate: Rate


class _Slower(msgspec.Struct, frozen=True):
    """A rate that some cards of a model have far less of than others, on other nodes."""

    rate: str
    card: str
    slow: tuple[_Measured, ...]
    usual: tuple[_Measured, ...]


def build_survey(
    question: Question, answers: Sequence[NodeAnswer], notes: Sequence[str] = ()
) -> FleetSurvey:
    """The document; nodes that need somebody come first."""
    order: tuple[NodeState, ...] = ("errors", "no-answer", "warnings", "fine")
    slower = _find_slower(answers)
    nodes = sorted(
        (_judge(answer, slower) for answer in answers),
        key=lambda one: (order.index(one.state), one.name),
    )
    return FleetSurvey(
        question=question,
        ok=all(one.state in ("fine", "warnings") for one in nodes) and bool(nodes),
        differences=(*_compare_traits(nodes), *map(_compare_rate, slower)),
        nodes=tuple(nodes),
        findings=_group_findings(answers),
        failures=_group_failures(answers),
        notes=tuple(notes),
        seconds=max((one.seconds for one in answers), default=0.0),
    )


def _judge(answer: NodeAnswer, slower: Sequence[_Slower]) -> SurveyedNode:
    report = answer.report
    errors = warnings = 0
    why = answer.why
    traits: dict[str, str] = {}
    if isinstance(report, DoctorReport):
        severities = [finding.severity for finding in report.findings]
        errors, warnings = severities.count("error"), severities.count("warning")
        traits = list_doctor_traits(report.facts, answer.gpus)
    elif report is not None:
        errors = len(report.failures) or int(not report.ok)
        slow = dict.fromkeys(_list_slow(report, answer.name, slower))
        warnings = len(report.unreached) + len(slow)
        why = _describe_probes(report, list(slow))
        traits = list_probe_traits(report)
    state: NodeState = "errors" if errors else "warnings" if warnings else "fine"
    if answer.fitguard:
        traits["fitguard"] = answer.fitguard
    return SurveyedNode(
        name=answer.name,
        node=answer.node,
        state="no-answer" if report is None else state,
        why=why,
        errors=errors,
        warnings=warnings,
        traits=traits,
        seconds=answer.seconds,
    )


def _describe_probes(report: ProbeReport, slow: Sequence[str]) -> str:
    failed = dict.fromkeys(result.name for result in report.failures)
    return join(
        [
            f"failed: {', '.join(failed)}" if failed else None,
            f"slow: {', '.join(slow)}" if slow else None,
            f"no time for {count(len(report.unreached), 'probe')}" if report.unreached else None,
        ]
    )


def _list_slow(report: ProbeReport, node: str, slower: Sequence[_Slower]) -> Iterator[str]:
    """Rates far below the data sheet, or below those of the same card on other nodes."""
    for result in report.results:
        yield from (rate.name for rate in result.rates if rate.verdict == "slow")
    for one in slower:
        yield from (one.rate for measured in one.slow if measured.node == node)


def _compare_traits(nodes: Sequence[SurveyedNode]) -> Iterator[Difference]:
    for what in dict.fromkeys(name for one in nodes for name in one.traits):
        having: dict[str, list[str]] = {}
        for one in nodes:
            if what in one.traits:
                having.setdefault(one.traits[what], []).append(one.name)
        if len(having) > 1:
            yield Difference(what=what, values=_order(having))


def _order(having: dict[str, list[str]]) -> tuple[SharedValue, ...]:
    shared = [SharedValue(value=value, nodes=tuple(nodes)) for value, nodes in having.items()]
    return tuple(sorted(shared, key=lambda one: -len(one.nodes)))


def _find_slower(answers: Sequence[NodeAnswer]) -> list[_Slower]:
    alike: dict[tuple[str, str], list[_Measured]] = {}
    for answer in answers:
        for card, one in _list_measured(answer):
            alike.setdefault((one.rate.name, card), []).append(one)
    found = []
    for (name, card), measured in alike.items():
        slow = tuple(one for one in measured if _is_far_below(one, measured))
        if slow:
            usual = tuple(one for one in measured if one not in slow)
            found.append(_Slower(name, card, slow, usual))
    return found


def _compare_rate(found: _Slower) -> Difference:
    middle = median(one.rate.value for one in found.usual)
    others = SharedValue(
        value=f"{_say(middle, found)} on others",
        nodes=tuple(dict.fromkeys(one.node for one in found.usual)),
    )
    having: dict[str, list[str]] = {}
    for one in found.slow:
        value = f"{_say(one.rate.value, found)} on {one.device}"
        having.setdefault(value, []).append(one.node)
    return Difference(what=f"{found.rate} of {found.card}", values=(others, *_order(having)))


def _say(value: float, found: _Slower) -> str:
    return f"{value:.3g} {found.slow[0].rate.unit}"


def _list_measured(answer: NodeAnswer) -> Iterator[tuple[str, _Measured]]:
    """Of GPUs: what a processor gives depends on what else it does."""
    if not isinstance(answer.report, ProbeReport):
        return
    names = {one.label: one.name for one in answer.report.devices if one.label != "CPU"}
    for result in answer.report.results:
        for rate in result.rates:
            if card := names.get(result.device):
                yield card, _Measured(answer.name, result.device, rate)


def _is_far_below(one: _Measured, measured: Sequence[_Measured]) -> bool:
    elsewhere = [other.rate.value for other in measured if other.node != one.node]
    return bool(elsewhere) and one.rate.value < _FAR_BELOW * median(elsewhere)


def _group_findings(answers: Sequence[NodeAnswer]) -> tuple[SharedFinding, ...]:
    """Equal but for their evidence, which names files and numbers of the node."""
    grouped: dict[tuple[str, ...], SharedFinding] = {}
    for answer in answers:
        for finding in answer.report.findings if isinstance(answer.report, DoctorReport) else ():
            key = (finding.code, finding.slug, finding.severity, finding.title)
            before = grouped.get(key, SharedFinding(finding=finding, nodes=()))
            nodes = tuple(dict.fromkeys((*before.nodes, answer.name)))
            grouped[key] = SharedFinding(finding=before.finding, nodes=nodes)
    return tuple(
        sorted(
            grouped.values(),
            key=lambda one: (SEVERITIES.index(one.finding.severity), -len(one.nodes)),
        )
    )


def _group_failures(answers: Sequence[NodeAnswer]) -> tuple[SharedFailure, ...]:
    grouped: dict[tuple[str, ...], SharedFailure] = {}
    for answer in answers:
        for result in answer.report.failures if isinstance(answer.report, ProbeReport) else ():
            cause = result.diagnosis.primary if result.diagnosis else None
            key = (result.name, result.device, result.status, cause or "")
            before = grouped.get(key, SharedFailure(result=result, nodes=()))
            nodes = tuple(dict.fromkeys((*before.nodes, answer.name)))
            grouped[key] = SharedFailure(result=before.result, nodes=nodes)
    return tuple(sorted(grouped.values(), key=lambda one: -len(one.nodes)))
