"""Leaks to put into healthy trainings."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from detectors import healthy
from detectors.training import HOUR, Kind, Moment, Plan

LeakKind = Callable[[float, float, Random], Kind]
"""From the share of the card in an hour, and the second in which it begins."""


def each_step(rate: float, begin: float, _: Random) -> Kind:
    """A list of tensors in a callback."""

    def leak(moment: Moment) -> None:
        _add(moment, rate * max(0.0, moment.seconds - begin) / HOUR)

    return leak


def each_epoch(rate: float, begin: float, _: Random) -> Kind:
    """A model that is made anew in each epoch."""

    def leak(moment: Moment) -> None:
        first = begin // moment.epoch_seconds
        _add(moment, rate * max(0.0, moment.epoch - first) * moment.epoch_seconds / HOUR)

    return leak


def in_chunks(rate: float, begin: float, random: Random) -> Kind:
    """Something that is kept every few steps."""
    every = random.uniform(10, 50)

    def leak(moment: Moment) -> None:
        chunks = max(0.0, moment.seconds - begin) // every
        _add(moment, rate * chunks * every / HOUR)

    return leak


def of_random_sizes(rate: float, begin: float, random: Random) -> Kind:
    """Batches of different lengths are kept."""
    state = {"kept": 0.0}

    def leak(moment: Moment) -> None:
        if moment.seconds >= begin:
            state["kept"] += 2 * rate * random.random() * 5 / HOUR
        _add(moment, state["kept"])

    return leak


def ever_faster(rate: float, begin: float, _: Random) -> Kind:
    """What is kept grows itself."""

    def leak(moment: Moment) -> None:
        hours = max(0.0, moment.seconds - begin) / HOUR
        _add(moment, rate * (hours + hours**2))

    return leak


def _add(moment: Moment, share: float) -> None:
    moment.low += share
    moment.peak += share


KINDS: tuple[LeakKind, ...] = (each_step, each_epoch, in_chunks, of_random_sizes, ever_faster)
_UNDER = (
    healthy.plain,
    healthy.evaluation_each_epoch,
    healthy.checkpoints,
    healthy.noisy_steps,
    healthy.thermal_swings,
    healthy.shuffle_buffers,
    healthy.breathing_host,
    healthy.cache_that_fills,
    healthy.mixed_shapes,
    healthy.bucketed_batches,
    healthy.epoch_sawtooth,
)


@dataclass(frozen=True)
class Leaking:
    """A training that leaks.

    Args:
        rate: Share of the card in an hour.
        begin: In seconds after the first step.
    """

    name: str
    plan: Plan
    rate: float
    begin: float


def draw_leak(seed: int, rates: tuple[float, ...] = (0.01, 0.02, 0.05, 0.2)) -> Leaking:
    """One of the kinds, of some size, in one of the trainings."""
    random = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    under = _UNDER[seed % len(_UNDER)]
    plan = under(random)
    rate = random.choice(rates)
    begin = random.choice((0.0, 0.0, 2700.0))
    if kind is each_epoch:
        plan = replace(plan, epoch_seconds=random.uniform(30, 150), evaluation_seconds=0.0)
    plan = replace(plan, kinds=(*plan.kinds, kind(rate, begin, random)))
    return Leaking(f"{kind.__name__} under {under.__name__}", plan, rate, begin)
