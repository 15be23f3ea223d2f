"""The page of a survey: what differs between nodes, how each of them stands, what is wrong."""

from collections import Counter
from collections.abc import Iterator

from fitguard.report.blocks import (
    Block,
    Items,
    Page,
    Paragraph,
    Section,
    Span,
    Table,
    Tone,
    Verdict,
    Words,
    present,
)
from fitguard.report.pages.findings import build_finding
from fitguard.report.pages.probe import build_failure
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.fleet_survey import Difference, FleetSurvey, NodeState, SurveyedNode
from fitguard.words import count, duration, join

_MOST_NAMED = 8
_TONES: dict[NodeState, Tone] = {
    "errors": "error",
    "no-answer": "error",
    "warnings": "warning",
    "fine": "fine",
}
_HAVE: dict[NodeState, str] = {
    "errors": "with errors",
    "no-answer": "without an answer",
    "warnings": "with warnings",
    "fine": "fine",
}
_SHOWN = ("Python", "TensorFlow", "driver", "GPUs")


def build_page(survey: FleetSurvey) -> Page:
    """What differs comes first: it is what looking at one node after the other does not show."""
    return Page(
        f"fitguard fleet {survey.question}",
        present(
            Section("What differs between nodes", present(_build_differences(survey))),
            Section("Nodes", present(_build_nodes(survey), Items(tuple(_list_reasons(survey))))),
            *_build_findings(survey),
            *_build_failures(survey),
            Section("Notes", present(Items(survey.notes))),
        ),
        _build_verdict(survey),
    )


def _build_verdict(survey: FleetSurvey) -> Verdict:
    states = Counter(one.state for one in survey.nodes)
    aside = f"{count(len(survey.nodes), 'node')} asked, {duration(survey.seconds)}"
    if not survey.nodes:
        return Verdict("There is no node to ask", "error")
    bad = [f"{count(states[state], 'node')} {_HAVE[state]}" for state in _TONES if states[state]]
    different = count(len(survey.differences), "difference") if survey.differences else None
    if survey.ok and not different:
        tone: Tone = "warning" if states["warnings"] else "fine"
    else:
        tone = "warning" if survey.ok else "error"
    return Verdict(join([*bad, different]), tone, aside)


def _build_differences(survey: FleetSurvey) -> Table:
    rows = tuple(row for one in survey.differences for row in _list_rows(one))
    return Table(("what", "value", "nodes"), rows)


def _list_rows(difference: Difference) -> Iterator[tuple[Words, ...]]:
    for number, shared in enumerate(difference.values):
        what = Span(difference.what if number == 0 else "", "strong")
        value = Span(shared.value, tone="warning" if number else "")
        yield what, value, _name_nodes(shared.nodes)


def _build_nodes(survey: FleetSurvey) -> Table:
    # What says least comes second: narrow consoles drop it.
    headers = ("node", "took", *_SHOWN, "state")
    return drop_empty_columns(Table(headers, tuple(map(_describe, survey.nodes))))


def _describe(one: SurveyedNode) -> tuple[Words, ...]:
    counts = join(
        [
            count(one.errors, "error") if one.errors else None,
            count(one.warnings, "warning") if one.warnings else None,
        ]
    )
    return (
        Span(one.name, "strong"),
        duration(one.seconds),
        *(one.traits.get(name, "") for name in _SHOWN),
        Span(counts or one.state.replace("-", " "), tone=_TONES[one.state]),
    )


def _list_reasons(survey: FleetSurvey) -> Iterator[Words]:
    for one in survey.nodes:
        if one.why:
            yield Span(one.name, "strong"), f": {one.why}"


def _build_findings(survey: FleetSurvey) -> Iterator[Block]:
    for shared in survey.findings:
        yield build_finding(shared.finding, remarks=(_say_where(shared.nodes, survey),))


def _build_failures(survey: FleetSurvey) -> Iterator[Block]:
    for shared in survey.failures:
        where = Paragraph(_say_where(shared.nodes, survey), label="nodes")
        yield build_failure(shared.result, where)


def _say_where(nodes: tuple[str, ...], survey: FleetSurvey) -> str:
    everywhere = len(nodes) == len(survey.nodes) > 1
    return f"all {len(nodes)} nodes" if everywhere else f"on {_name_nodes(nodes)}"


def _name_nodes(nodes: tuple[str, ...]) -> str:
    more = len(nodes) - _MOST_NAMED
    named = ", ".join(nodes[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named
