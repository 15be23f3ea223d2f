"""Healthy trainings, of kinds that could be taken for sick ones. Each is drawn with a seed."""

import math
from collections.abc import Callable
from random import Random

from detectors.training import GIB, HOUR, Kind, Moment, Plan

_CARDS = (8, 16, 24, 48, 80, 141)
_THERMAL, _POWER_CAP = 0x40, 0x04


def draw_plan(random: Random, *kinds: Kind, **changes: float) -> Plan:
    """A training on some card, with some length of steps and epochs."""
    drawn = {
        "card_bytes": random.choice(_CARDS) * GIB,
        "host_bytes": random.choice((32, 64, 256)) * GIB,
        "step_seconds": random.choice((0.02, 0.1, 0.3, 1.2)),
        "epoch_seconds": random.uniform(40, 900),
    }
    return Plan(**(drawn | changes), kinds=kinds)


def plain(random: Random) -> Plan:
    return draw_plan(random)


def growing_lengths(random: Random) -> Plan:
    """A curriculum: sequences become longer for hours, and all that a step takes with them."""
    hours = random.uniform(1, 6)

    def grow(moment: Moment) -> None:
        share = min(1.0, max(0.0, moment.seconds) / (hours * HOUR))
        moment.elements = 1 + share + moment.noise.uniform(-0.02, 0.02)
        moment.low += 0.05 * moment.elements
        moment.peak = 0.4 + 0.2 * moment.elements
        moment.slower = moment.elements

    return draw_plan(random, grow)


def cache_that_fills(random: Random) -> Plan:
    """On the GPU, within the first minutes; quickly at first, or evenly."""
    seconds, size = random.uniform(120, 600), random.uniform(0.02, 0.2)
    even = random.random() < 0.5

    def fill(moment: Moment) -> None:
        past = max(0.0, moment.seconds) / seconds
        share = min(1.0, past) if even else 1 - math.exp(-3 * past)
        moment.low += size * share
        moment.peak += size * share / 2

    return draw_plan(random, fill)


def evaluation_each_epoch(random: Random) -> Plan:
    """With larger batches, and something that stays after the first one."""
    larger, stays = random.uniform(0.02, 0.2), random.uniform(0, 0.03)

    def evaluate(moment: Moment) -> None:
        moment.low += stays if moment.epoch or moment.evaluating else 0.0
        if moment.evaluating:
            moment.low += larger
            moment.peak += larger / 2

    return draw_plan(random, evaluate, evaluation_seconds=random.uniform(20, 500))


def shuffle_buffers(random: Random) -> Plan:
    """They fill at the start of each epoch, while the steps wait."""
    size, wait = random.uniform(0.05, 0.4), random.uniform(20, 100)

    def shuffle(moment: Moment) -> None:
        since = moment.phase * moment.epoch_seconds
        moment.host += size * min(1.0, max(since / wait, float(moment.epoch > 0)))
        moment.wait = 0.9 if since < wait else 0.05

    return draw_plan(random, shuffle, epoch_seconds=random.uniform(300, 1500))


def checkpoints(random: Random) -> Plan:
    """Written every few minutes: steps stand nearly still, and main memory has a peak."""
    every, takes = random.uniform(300, 1500), random.uniform(10, 60)

    def save(moment: Moment) -> None:
        if moment.seconds % every < takes:
            moment.slower = 20.0
            moment.host += 0.1

    return draw_plan(random, save)


def noisy_steps(random: Random) -> Plan:
    """A machine that others use too."""
    state = {"load": 0.0, "burst": 0.0}

    def disturb(moment: Moment) -> None:
        state["load"] = 0.98 * state["load"] + moment.noise.gauss(0, 0.02)
        if moment.noise.random() < 0.002:
            state["burst"] = moment.noise.uniform(20, 120)
        state["burst"] -= 5
        burst = 2.0 if state["burst"] > 0 else 1.0
        moment.slower = burst * math.exp(state["load"] + moment.noise.gauss(0, 0.15))

    return draw_plan(random, disturb)


def mixed_shapes(random: Random) -> Plan:
    """Some lengths, in no order; each new one is traced, some of them late."""
    rare = random.uniform(0.0005, 0.01)

    def mix(moment: Moment) -> None:
        is_rare = moment.noise.random() < rare
        moment.elements = moment.noise.choice((0.5, 0.7, 1.0)) * (2.0 if is_rare else 1.0)
        moment.low += 0.02 * moment.draw_least()
        moment.peak = 0.4 + 0.15 * moment.elements
        moment.slower = moment.elements
        moment.new_traces = int(is_rare and moment.noise.random() < 0.3)

    return draw_plan(random, mix)


def thermal_swings(random: Random) -> Plan:
    """Up to the limit for moments, with the power cap most of the time."""
    period = random.uniform(600, 7200)

    def swing(moment: Moment) -> None:
        wave = math.sin(2 * math.pi * moment.seconds / period)
        moment.celsius = 76 + 8 * wave
        moment.clock = 0.95 - 0.04 * wave + moment.noise.uniform(-0.02, 0.02)
        moment.throttle = _POWER_CAP if moment.noise.random() < 0.8 else 0
        if wave > 0.97 and moment.noise.random() < 0.3:
            moment.throttle |= _THERMAL
        moment.slower = 1 / moment.clock

    return draw_plan(random, swing)


def epoch_sawtooth(random: Random) -> Plan:
    """What an epoch keeps, its end gives back."""
    height = random.uniform(0.02, 0.25)

    def climb(moment: Moment) -> None:
        moment.low += height * moment.phase
        moment.peak += height * moment.phase / 2

    return draw_plan(random, climb, epoch_seconds=random.uniform(30, 840))


def bucketed_batches(random: Random) -> Plan:
    """Sorted by length: each epoch begins with short ones and ends with long ones."""

    def sort(moment: Moment) -> None:
        moment.elements = 0.4 + round(moment.phase * 8) / 8
        moment.low += 0.02 * moment.elements
        moment.peak = 0.4 + 0.25 * moment.elements
        moment.slower = moment.elements
        first = moment.epoch == 0
        moment.new_traces = int(first and moment.phase * 8 % 1 < 0.02)

    return draw_plan(random, sort, epoch_seconds=random.uniform(300, 900))


def data_cached_on_host(random: Random) -> Plan:
    """`cache()` of tf.data: main memory grows through the first epoch."""
    size = random.uniform(0.1, 0.5)

    def cache(moment: Moment) -> None:
        moment.host += size * (1.0 if moment.epoch else moment.phase)
        moment.wait = 0.1 if moment.epoch else 0.25

    return draw_plan(random, cache, epoch_seconds=random.uniform(300, 5400))


def several_fits(random: Random) -> Plan:
    """Models of different sizes, one after the other; the script works in between."""
    length = random.uniform(900, 3600)
    sizes = [(random.uniform(0.1, 0.5), random.choice((0.5, 1.0, 3.0))) for _ in range(100)]

    def change(moment: Moment) -> None:
        moment.fit = 1 + int(max(0.0, moment.seconds) // length)
        since = moment.seconds - (moment.fit - 1) * length
        moment.fitting = since < length - 60
        moment.low, moment.slower = sizes[moment.fit % 100]
        moment.peak = moment.low + 0.3
        moment.elements = moment.slower
        moment.new_traces = int(0 <= since < 5)

    return draw_plan(random, change)


def breathing_host(random: Random) -> Plan:
    """The C library keeps and gives back; garbage is collected now and then."""
    state = {"walk": 0.0, "garbage": 0.0}

    def breathe(moment: Moment) -> None:
        state["walk"] = 0.995 * state["walk"] + moment.noise.gauss(0, 0.003)
        state["garbage"] += 0.00005
        if moment.noise.random() < 0.004:
            state["garbage"] = 0.0
        moment.host = 0.4 + state["walk"] + state["garbage"]
        moment.corrected = int(moment.noise.random() < 0.00005)

    return draw_plan(random, breathe)


HEALTHY: tuple[Callable[[Random], Plan], ...] = (
    plain,
    growing_lengths,
    cache_that_fills,
    evaluation_each_epoch,
    shuffle_buffers,
    checkpoints,
    noisy_steps,
    mixed_shapes,
    thermal_swings,
    epoch_sawtooth,
    bucketed_batches,
    data_cached_on_host,
    several_fits,
    breathing_host,
)
