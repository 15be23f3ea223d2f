"""The first failure counts, what follows is fallout."""

from fitguard.causes.framework.scales import Verdict
from fitguard.crash.ranking import confidence, rank
from fitguard.schema.crash import Role, Signal, Story
from fitguard.schema.finding import Fix


def signal(name: str, order: int, role: Role = "stop") -> Signal:
    return Signal(name=name, role=role, text=name, source="log", line=order, order=order)


def verdict(weight: float, *signals: Signal) -> Verdict:
    return Verdict(weight, signals, tuple(item.evidence for item in signals), "why", Fix("fix"))


def slugs(verdicts: dict[str, Verdict], *signals: Signal) -> list[str]:
    return [slug for slug, _, _ in rank(verdicts, Story(signals=signals))]


def test_the_heavier_cause_comes_first() -> None:
    first = signal("first", 1)
    assert slugs({"light": verdict(0.5, first), "heavy": verdict(0.9, first)}, first) == [
        "heavy",
        "light",
    ]


def test_what_came_after_the_first_failure_is_fallout() -> None:
    first, later = signal("first", 1), signal("later", 9)
    found = slugs({"fallout": verdict(0.85, later), "root": verdict(0.7, first)}, first, later)
    assert found == ["root", "fallout"]


def test_a_warning_before_the_failure_weighs_less_than_what_explains_it() -> None:
    warning, stop = signal("warning", 1, "symptom"), signal("stop", 5)
    found = slugs({"bystander": verdict(0.75, warning), "root": verdict(0.7, stop)}, warning, stop)
    assert found == ["root", "bystander"]


def test_a_failure_that_nobody_explains_makes_nothing_fallout() -> None:
    stop, later = signal("stop", 1), signal("later", 5)
    ((_, weight, _),) = rank({"only": verdict(0.7, later)}, Story(signals=(stop, later)))
    assert weight == 0.7


def test_of_equals_the_earlier_comes_first() -> None:
    early, late = signal("early", 1, "symptom"), signal("late", 2, "symptom")
    assert slugs({"b": verdict(0.6, late), "a": verdict(0.6, early)}, early, late) == ["a", "b"]


def test_what_hardly_anything_speaks_for_is_not_listed() -> None:
    assert slugs({"faint": verdict(0.05, signal("x", 1))}, signal("x", 1)) == []


def test_at_most_five_are_listed() -> None:
    stop = signal("x", 1)
    assert len(slugs({f"cause-{n}": verdict(0.5, stop) for n in range(9)}, stop)) == 5


def test_confidence_in_words() -> None:
    assert [confidence(weight) for weight in (0.9, 0.7, 0.5)] == ["high", "medium", "low"]
