"""The page of a fleet: a verdict, what needs you first, then all trainings, cards and notes."""

import shlex
from collections import Counter
from collections.abc import Iterator

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
_HEADERS = ("training", "state", "cards", "memory", "priority", "starts", "took", "cause")
_CARD_HEADERS = ("card", "name", "memory", "promised", "trainings", "left out")


def build_page(fleet: Fleet) -> Page:
    """Those that did not finish come first; while it works, the cards and what is on them."""
    ordered = sorted(fleet.trainings, key=lambda one: _ORDER.index(one.state))
    trainings = Table(_HEADERS, tuple(_describe(one) for one in ordered))
    cards = Table(_CARD_HEADERS, tuple(_describe_card(card) for card in fleet.cards))
    sections = (
        Section(
            "Trainings",
            present(
                drop_empty_columns(trainings),
                Items(tuple(_explain(one, fleet.storage) for one in ordered if one.why)),
            ),
        ),
        Section("Cards", present(drop_empty_columns(cards))),
    )
    at_work = any(one.state in ("running", "waiting") for one in fleet.trainings)
    return Page(
        "fitguard fleet",
        present(
            Pairs(tuple(_sum_up(fleet))),
            *(reversed(sections) if at_work else sections),
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
        text = f"{count(states['left'], 'training')} to go on with"
        return Verdict(text, "warning", aside, "The same command does.")
    if states["running"] or states["waiting"]:
        return Verdict("The fleet is at work", "info", aside)
    return Verdict(f"All finished: {count(states['finished'], 'training')}", "fine")


def _sum_up(fleet: Fleet) -> Iterator[tuple[str, str]]:
    if fleet.name:
        yield "name", fleet.name
    yield "storage", fleet.storage
    if any(one.run for one in fleet.trainings):
        if _is_address(fleet.storage):
            yield "one run", f"`fitguard fleet fetch {shlex.quote(fleet.storage)} NAME`"
        else:
            yield "all runs", f"`fitguard report {shlex.quote(fleet.storage)}`"


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
    )


def _explain(one: FleetTraining, storage: str) -> str:
    """Whole: a column of a table would cut it."""
    more = f" More: {_say_look(storage, one.run)}" if one.state == "failed" and one.run else ""
    return f"{one.name}: {one.why.rstrip('.')}.{more}"


def _say_look(storage: str, run: str) -> str:
    if _is_address(storage):
        fetch = shlex.join(("fitguard", "fleet", "fetch", storage, run))
        return f"`{fetch}`, then `fitguard report {shlex.quote(run)}`"
    return f"`fitguard report {shlex.quote(f'{storage}/{run}')}`"


def _is_address(storage: str) -> bool:
    """Whether it is no folder, so that `fitguard report` cannot read it."""
    return "://" in storage


def _describe_card(card: FleetCard) -> tuple[str | Span, ...]:
    return (
        f"{card.host}/{card.index}",
        card.name,
        size(card.memory_bytes),
        size(card.promised_bytes) if card.promised_bytes else "",
        ", ".join(card.trainings),
        Span(card.left_out, tone="warning"),
    )
