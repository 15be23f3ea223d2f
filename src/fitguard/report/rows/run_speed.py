"""How fast a run is, and how long it will take."""

from fitguard.schema.run import LossPoint, Place, Run, RunFit
from fitguard.words import duration

NEWEST = 50
"""So many of the newest points say how fast the run is now."""


def speed(run: Run) -> str:
    """`12.4 steps a second`, of the newest steps; empty where that is not known."""
    return say_speed(steps_per_second(run))


def say_speed(rate: float) -> str:
    """`12.4 steps a second`, `2.5 s a step`; empty for none."""
    if not rate:
        return ""
    return f"{rate:.3g} steps a second" if rate >= 1 else f"{1 / rate:.3g} s a step"


def remaining(run: Run) -> str:
    """Of the `fit` call that runs: `about 20 min, 1,200 steps`; empty where that is not known."""
    rate, points = steps_per_second(run), _newest(run)
    if run.state != "running" or not rate or not points:
        return ""
    left = count_steps_left(run, points[-1].place)
    call = f" of fit {points[-1].place.fit}" if len(run.fits) > 1 else ""
    return f"about {duration(left / rate)}, {left:,} steps{call}" if left else ""


def count_steps_left(run: Run, place: Place) -> int:
    """Of the `fit` call that a place is in; 0 where that is not known."""
    fit = find_fit(run, place)
    if fit is None or not fit.epochs or not fit.steps_per_epoch:
        return 0
    return max(fit.epochs * fit.steps_per_epoch - place.total_steps, 0)


def find_fit(run: Run, place: Place) -> RunFit | None:
    """The `fit` call that a place is in."""
    return next((fit for fit in run.fits if fit.number == place.fit), None)


def steps_per_second(run: Run) -> float:
    """Of the newest points; 0 where they do not tell."""
    points = _newest(run)
    if len(points) < 2:
        return 0.0
    first, last = points[0], points[-1]
    steps = last.place.total_steps - first.place.total_steps
    return steps / (last.time - first.time) if last.time > first.time and steps > 0 else 0.0


def _newest(run: Run) -> list[LossPoint]:
    """The newest points of the last attempt, all of one `fit` call."""
    if not run.losses:
        return []
    last = run.losses[-1]
    own = [
        point
        for point in run.losses
        if point.attempt == last.attempt and point.place.fit == last.place.fit
    ]
    return own[-NEWEST:]
