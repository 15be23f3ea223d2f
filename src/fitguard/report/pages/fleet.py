"""The page of a fleet: a verdict, what needs you first, then all trainings, cards and notes."""

from collections import Counter

from fitguard.report.blocks import Items, Page, Pairs, Section, Span, Table, Tone, Verdict, present
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.fleet import Fleet, FleetCard, FleetTraining, JobState
from fitguard.words import count, duration, join, size

_ORDER: tuple[JobState, ...] = ("failed", "refused", "left", "running", "waiting", "finished")
_TONES: dict[JobState, Tone] = {
    "failed": "error",
    "refused": "error",
    "left": "warning",
    "running": "info",
    "waiting": "",
    "finished": "fine",
}
_HEADERS = ("training", "state", "cards", "memory", "priority", "starts", "took", "cause", "why")


def build_page(fleet: Fleet) -> Page:
    """Those that did not finish come first."""
    ordered = sorted(fleet.trainings, key=lambda one: _ORDER.index(one.state))
    return Page(
        "fitguard fleet",
        present(
            Pairs((("storage", fleet.storage),)),
            Section(
                "Trainings",
                present(
                    drop_empty_columns(Table(_HEADERS, tuple(_describe(one) for one in ordered)))
                ),
            ),
            Section(
                "Cards",
                present(
                    drop_empty_columns(
                        Table(
                            ("card", "name", "memory", "left out"),
                            tuple(_describe_card(card) for card in fleet.cards),
                        )
                    )
                ),
            ),
            Section("Notes", present(Items(fleet.notes))),
        ),
        _build_verdict(fleet),
    )


def _build_verdict(fleet: Fleet) -> Verdict:
    states = Counter(one.state for one in fleet.trainings)
    aside = join(f"{states[state]} {state}" for state in _ORDER if states[state])
    bad = states["failed"] + states["refused"]
    if bad:
        return Verdict(f"{count(bad, 'training')} did not finish", "error", aside)
    if states["left"]:
        text = f"{count(states['left'], 'training')} left with a snapshot"
        return Verdict(text, "warning", aside, "The same command goes on with them.")
    if states["running"] or states["waiting"]:
        return Verdict("The fleet is at work", "info", aside)
    return Verdict(f"All finished: {count(states['finished'], 'training')}", "fine")


def _describe(one: FleetTraining) -> tuple[str | Span, ...]:
    return (
        one.name,
        Span(one.state, tone=_TONES[one.state]),
        ", ".join(one.cards),
        "" if one.memory_bytes is None else size(one.memory_bytes),
        str(one.priority) if one.priority else "",
        str(one.starts),
        duration(one.seconds),
        one.cause,
        one.why,
    )


def _describe_card(card: FleetCard) -> tuple[str | Span, ...]:
    return (
        f"{card.host}/{card.index}",
        card.name,
        size(card.memory_bytes),
        Span(card.left_out, tone="warning"),
    )
