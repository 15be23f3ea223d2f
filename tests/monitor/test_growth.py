"""Leaks are seen in time; whatever healthy trainings do is no alarm."""

import math
import random
from collections.abc import Callable

import msgspec
import pytest

from fitguard.monitor.growth import forecast
from fitguard.schema.run import MemorySample

MIB = 2**20
GIB = 2**30
LIMIT = 16 * GIB
STEP = 5.0

Curve = Callable[[float, random.Random], float]


def series(
    minutes: float, host: Curve, *, seed: int = 1, limit: int | None = LIMIT
) -> list[MemorySample]:
    """A sample each five seconds; `host` says how much memory there is after so many seconds."""
    noise = random.Random(seed)
    return [
        MemorySample(
            time=1e9 + count * STEP,
            attempt=1,
            total_steps=count + 1,
            host_bytes=int(host(count * STEP, noise)),
            host_limit_bytes=limit,
        )
        for count in range(int(minutes * 60 / STEP))
    ]


def flat(_: float, noise: random.Random) -> float:
    return 6 * GIB + noise.uniform(0, 200 * MIB)


def at_the_brim(_: float, noise: random.Random) -> float:
    return LIMIT - 100 * MIB + noise.uniform(-50 * MIB, 50 * MIB)


def saw_tooth_of_steps(t: float, _: random.Random) -> float:
    return 4 * GIB + (t % 47) / 47 * 6 * GIB


def saw_tooth_of_epochs(t: float, noise: random.Random) -> float:
    return 4 * GIB + (t % 700) / 700 * 9 * GIB + noise.uniform(0, 50 * MIB)


def levels_off(t: float, noise: random.Random) -> float:
    return 14 * GIB - 9 * GIB * math.exp(-t / 600) + noise.uniform(0, 20 * MIB)


def cache_that_is_full(t: float, noise: random.Random) -> float:
    return 3 * GIB + min(t / 900, 1.0) * 11 * GIB + noise.uniform(0, 20 * MIB)


def ever_slower(t: float, _: random.Random) -> float:
    return 6 * GIB + 1.2 * GIB * math.log1p(t / 30)


def warm_up(t: float, noise: random.Random) -> float:
    return 8 * GIB + min(t, 100) / 100 * 6 * GIB + noise.uniform(0, 100 * MIB)


def evaluation_now_and_then(t: float, noise: random.Random) -> float:
    return (14 * GIB if t % 300 > 240 else 6 * GIB) + noise.uniform(0, 100 * MIB)


def larger_model_half_way(t: float, noise: random.Random) -> float:
    return (14 * GIB if t > 1200 else 6 * GIB) + noise.uniform(0, 100 * MIB)


def falls(t: float, _: random.Random) -> float:
    return 14 * GIB - t * MIB


def slow_drift(t: float, noise: random.Random) -> float:
    return 6 * GIB + t / 60 * MIB + noise.uniform(0, 20 * MIB)


def noise_only(_: float, noise: random.Random) -> float:
    return 8 * GIB + abs(noise.gauss(0, 2 * GIB))


def hourly_tooth(t: float, _: random.Random) -> float:
    return 4 * GIB + (t % 4500) / 4500 * 11 * GIB


HEALTHY = [
    flat,
    at_the_brim,
    saw_tooth_of_steps,
    saw_tooth_of_epochs,
    levels_off,
    cache_that_is_full,
    ever_slower,
    warm_up,
    evaluation_now_and_then,
    larger_model_half_way,
    falls,
    slow_drift,
    noise_only,
]


@pytest.mark.parametrize("curve", HEALTHY, ids=lambda curve: curve.__name__)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_healthy_at_every_moment_after_half_an_hour(curve, seed):
    samples = series(90, curve, seed=seed)
    for minutes in range(30, 91, 3):
        assert forecast(samples[: int(minutes * 60 / STEP)]) is None, minutes


def test_random_walks_are_no_alarm():
    for seed in range(100):
        noise = random.Random(seed)
        level = 6.0 * GIB
        samples = []
        for count in range(500):
            level += noise.gauss(0, 10 * MIB)
            samples.append(
                MemorySample(
                    time=count * STEP,
                    attempt=1,
                    total_steps=1,
                    host_bytes=int(level),
                    host_limit_bytes=LIMIT,
                )
            )
        found = forecast(samples)
        assert found is None or not found.advised, seed


def test_second_tooth_of_an_hour_is_known_by_then():
    samples = series(150, hourly_tooth)
    assert forecast(samples[: int(145 * 60 / STEP)]) is None


def leak(rate_mib_a_minute: float, start: float, tooth: float = 0.0) -> Curve:
    def curve(t: float, noise: random.Random) -> float:
        return (
            start
            + t / 60 * rate_mib_a_minute * MIB
            + (t % 47) / 47 * tooth
            + noise.uniform(0, 40 * MIB)
        )

    return curve


@pytest.mark.parametrize("tooth", [0.0, 1.0 * GIB])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_leak_is_foretold_and_a_restart_advised_in_time(tooth, seed):
    start = LIMIT - 60 * 100 * MIB - tooth
    samples = series(60, leak(100, start, tooth), seed=seed)
    early = forecast(samples[: int(40 * 60 / STEP)])
    assert early is not None
    assert early.what == "host"
    assert not early.advised
    assert early.left_seconds == pytest.approx(20 * 60, rel=0.2)
    assert early.bytes_per_second == pytest.approx(100 * MIB / 60, rel=0.1)
    late = forecast(samples[: int(57 * 60 / STEP)])
    assert late is not None
    assert late.advised
    assert late.cause == "gpu-memory-leak"
    assert "Main memory grows by" in late.text
    assert "MiB a minute" in late.text


def test_too_short_to_judge():
    assert forecast(series(11, leak(1000, 4 * GIB))) is None
    assert forecast([]) is None


def test_far_from_the_limit():
    assert forecast(series(30, leak(20, 4 * GIB))) is None


def test_no_limit_no_forecast():
    assert forecast(series(60, leak(200, 4 * GIB), limit=None)) is None


def test_before_the_first_step_nothing_counts():
    samples = [
        MemorySample(
            time=sample.time,
            attempt=1,
            host_bytes=sample.host_bytes,
            host_limit_bytes=LIMIT,
        )
        for sample in series(60, leak(200, 4 * GIB))
    ]
    assert forecast(samples) is None


def gpu_series(minutes: float, used: Curve, free: Curve) -> list[MemorySample]:
    noise = random.Random(5)
    return [
        MemorySample(
            time=count * STEP,
            attempt=1,
            total_steps=count + 1,
            allocator_bytes=int(used(count * STEP, noise)),
            largest_free_bytes=int(free(count * STEP, noise)),
        )
        for count in range(int(minutes * 60 / STEP))
    ]


def _limited(samples: list[MemorySample], limit_bytes: int) -> list[MemorySample]:
    replace = msgspec.structs.replace
    return [replace(sample, allocator_limit_bytes=limit_bytes) for sample in samples]


def busy(_: float, noise: random.Random) -> float:
    return 2 * GIB + noise.choice([0.0, 3.0]) * GIB


def block_of_a_step(_: float, noise: random.Random) -> float:
    return 10 * GIB - noise.choice([0.0, 3.0]) * GIB


def test_leak_of_the_allocator():
    samples = gpu_series(40, leak(100, 3 * GIB, GIB), lambda *_: 4.0 * GIB)
    found = forecast(_limited(samples, 8 * GIB + 50 * MIB))
    assert found is not None
    assert (found.what, found.cause) == ("allocator", "gpu-memory-leak")
    assert forecast(samples) is None


def test_fragmentation_is_a_block_that_shrinks_while_use_stays():
    def shrinking(t: float, noise: random.Random) -> float:
        return block_of_a_step(t, noise) - t / 60 * 160 * MIB

    samples = gpu_series(40, busy, shrinking)
    found = forecast(samples)
    assert found is not None
    assert found.what == "fragmentation"
    assert found.cause == "gpu-fragmentation"
    assert found.advised
    assert "largest free block" in found.text


def test_healthy_allocator():
    assert forecast(_limited(gpu_series(60, busy, block_of_a_step), 6 * GIB)) is None


def test_block_that_shrinks_because_more_is_in_use_is_no_fragmentation():
    def shrinking(t: float, noise: random.Random) -> float:
        return block_of_a_step(t, noise) - t / 60 * 160 * MIB

    samples = gpu_series(40, leak(160, 2 * GIB, GIB), shrinking)
    assert forecast(samples) is None
    found = forecast(_limited(samples, 10 * GIB))
    assert found is not None
    assert found.what == "allocator"
