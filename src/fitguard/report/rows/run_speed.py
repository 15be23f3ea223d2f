"""How fast a run is, and how long it will take."""

from fitguard.schema.run import LossPoint, Run, RunFit
from fitguard.words import duration

NEWEST = 50
"""So many of the newest points say how fast the run is now."""


def speed(run: Run) -> str:
    """`12.4 steps a second`, of the newest steps; empty where that is not known."""
    rate = _steps_per_second(run)
    if not rate:
        return ""
    return f"{rate:.3g} steps a second" if rate >= 1 else f"{1 / rate:.3g} s a step"


def remaining(run: Run) -> str:
    """Of the `fit` call that runs: `about 20 min, 1,200 steps`; empty where that is not known."""
    rate, points = _steps_per_second(run), _newest(run)
    fit = _fit_of(points, run)
    if run.state != "running" or not rate or fit is None:
        return ""
    if not fit.epochs or not fit.steps_per_epoch:
        return ""
    left = fit.epochs * fit.steps_per_epoch - points[-1].place.total_steps
    call = f" of fit {fit.number}" if len(run.fits) > 1 else ""
    return f"about {duration(left / rate)}, {left:,} steps{call}" if left > 0 else ""


def _steps_per_second(run: Run) -> float:
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


def _fit_of(points: list[LossPoint], run: Run) -> RunFit | None:
    number = points[-1].place.fit if points else 0
    return next((fit for fit in run.fits if fit.number == number), None)
