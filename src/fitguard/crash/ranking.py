"""Verdicts → ranked causes: the first failure counts, what follows is fallout."""

from fitguard.causes.derived.fallout import find_fallout
from fitguard.causes.framework.scales import Verdict
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Confidence

PRIMARY = 0.5
"""From here on a cause may be the primary one."""
LISTED = 0.12
"""Below it a cause is not worth a line."""
CERTAIN = 0.9
"""From here on nothing else can be the cause."""
EXPLAINS = 0.55
"""A cause as likely as this accounts for the line that stopped the run."""
FALLOUT = 0.35
BYSTANDER = 0.15
MOST = 5


def rank(verdicts: dict[str, Verdict], story: Story) -> list[tuple[str, float, Verdict]]:
    """The causes with their weights, most likely first."""
    stop = _first_stop(story)
    explained_by = {
        slug
        for slug, verdict in verdicts.items()
        if stop in verdict.signals and verdict.weight >= EXPLAINS
    }
    weighed = [
        (slug, _weight(verdict, stop, slug in explained_by or not explained_by), verdict)
        for slug, verdict in verdicts.items()
    ]
    listed = [entry for entry in weighed if entry[1] >= LISTED]
    own = [entry for entry in listed if entry[0] == "unknown" and entry[1] >= CERTAIN]
    if own:
        return own  # fitguard itself failed: what the error says of packages means nothing
    named = [entry for entry in listed if entry[0] != "unknown"]
    if any(weight >= PRIMARY for _, weight, _ in named):
        listed = named
    return sorted(listed, key=lambda entry: (-round(entry[1], 3), _earliest(entry[2])))[:MOST]


def confidence(weight: float) -> Confidence:
    """In words."""
    return "high" if weight >= 0.8 else "medium" if weight >= 0.6 else "low"


def _first_stop(story: Story) -> Signal | None:
    """The line with which the run ended, be it one that only tells of another worker's end."""
    return find_fallout(story) or next(iter(story.role("stop")), None)


def _weight(verdict: Verdict, stop: Signal | None, accounts_for_stop: bool) -> float:
    """Less for what only came after the first failure, or did not stop the run at all."""
    if stop is None or accounts_for_stop or not verdict.signals:
        return verdict.weight
    after = all(signal.order > stop.order for signal in verdict.signals)
    return verdict.weight * (1 - (FALLOUT if after else BYSTANDER))


def _earliest(verdict: Verdict) -> int:
    return min((signal.order for signal in verdict.signals), default=1 << 60)
