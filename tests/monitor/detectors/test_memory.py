"""Leaks, fragmentation and pressure are found with their numbers; what looks like them is not."""

import math
import random

import pytest
from monitor.detectors.made_records import GIB, LIMIT, find, find_one, make_record

MIB = 2.0**20


def make_gpu(minutes, low, peak=None, **curves):
    peak = peak or (lambda t: low(t) + 2 * GIB)
    return make_record(
        minutes,
        allocator_low_bytes=low,
        allocator_peak_bytes=peak,
        allocator_limit_bytes=LIMIT,
        **curves,
    )


def leak(a_minute, start=4 * GIB):
    return lambda t: start + t / 60 * a_minute


def test_a_leak_with_its_pace_and_its_end():
    alert = find_one("FG410", make_gpu(20, leak(10 * MIB)))
    assert alert.cause == "gpu-memory-leak"
    assert alert.severity == "warning"
    assert not alert.act
    assert alert.numbers["bytes_per_hour"] == pytest.approx(600 * MIB, rel=0.02)
    assert alert.numbers["bytes_per_thousand_steps"] == pytest.approx(83.3 * MIB, rel=0.1)
    assert alert.numbers["left_seconds"] == pytest.approx(
        (10 * GIB - 200 * MIB) / (10 * MIB) * 60, rel=0.05
    )
    assert "in 1,000 steps" in alert.text
    assert "memory ends in 16 h" in alert.text


def test_shortly_before_the_end_it_is_time_to_act():
    alert = find_one("FG410", make_gpu(20, leak(400 * MIB, start=5.2 * GIB)))
    assert alert.severity == "error"
    assert alert.act


def test_quick_leak_is_told_after_a_minute():
    alert = find_one("FG410", make_gpu(2, leak(5 * GIB, start=2 * GIB)))
    assert alert.numbers["left_seconds"] < 60
    assert not alert.act, "a cache may fill as quickly: no restart for that"


def test_no_limit_no_leak():
    assert not find("FG410", make_record(30, allocator_low_bytes=leak(10 * MIB)))


def test_before_the_first_step_nothing_counts():
    assert not find("FG410", make_gpu(30, leak(10 * MIB), step_seconds=math.inf))


@pytest.mark.parametrize(
    "low",
    [
        lambda _: 4 * GIB,
        lambda t: 4 * GIB + (t > 900) * GIB,
        lambda t: 4 * GIB + min(t, 500) * MIB,
        lambda t: 6 * GIB - t * MIB / 10,
        lambda t: 4 * GIB + random.Random(t).random() * GIB,
        lambda t: 4 * GIB + t % 47 * 20 * MIB,
    ],
    ids=["even", "a jump", "fills", "falls", "noise", "a tooth of each minute"],
)
def test_healthy_memory(low):
    for minutes in (15, 20, 25, 30):
        assert not find("FG410", make_gpu(minutes, low))


def test_memory_that_goes_with_the_size_of_the_batch():
    def size(t):
        return 1000 + 200 * (t // 150 % 5)

    low = make_gpu(
        30, lambda t: 4 * GIB + size(t) * MIB / 4, batch_elements=size, epoch=lambda t: t // 750
    )
    assert not find("FG410", low)
    leaking = make_gpu(
        30,
        lambda t: 4 * GIB + (size(t) + t) * MIB / 4,
        batch_elements=size,
        epoch=lambda t: t // 750,
    )
    assert find_one("FG410", leaking).numbers["bytes_per_hour"] == pytest.approx(900 * MIB, rel=0.1)


def test_a_leak_that_each_epoch_hides():
    def low(t):
        return 4 * GIB + t % 200 * 10 * MIB + t / 6 * MIB

    found = find_one("FG410", make_gpu(30, low, epoch=lambda t: t // 200))
    assert found.numbers["bytes_per_hour"] == pytest.approx(600 * MIB, rel=0.2)
    given_back = make_gpu(30, lambda t: 4 * GIB + t % 200 * 10 * MIB, epoch=lambda t: t // 200)
    assert not find("FG410", given_back)


def test_a_second_call_of_fit_begins_to_count_anew():
    def steps(record):
        for column in record.columns.values():
            for i, count in enumerate(column.steps):
                column.steps[i] = count % 1000
        return record

    assert (
        find_one("FG410", steps(make_gpu(20, leak(10 * MIB)))).numbers["bytes_per_thousand_steps"]
        > 0
    )


def test_main_memory_not_in_the_first_epoch():
    curves = {"host_bytes": leak(60 * MIB), "host_limit_bytes": LIMIT}
    assert not find("FG413", make_record(90, **curves, epoch=0.0))
    later = make_record(90, **curves, epoch=lambda t: t // 600)
    alert = find_one("FG413", later)
    assert alert.cause == "gpu-memory-leak"
    assert "Main memory grows by 3.5 GiB an hour" in alert.title


def test_main_memory_that_is_about_to_end_in_the_first_epoch():
    record = make_record(20, host_bytes=leak(500 * MIB), host_limit_bytes=14.2 * GIB, epoch=0.0)
    assert find_one("FG413", record).act


def test_fragmentation_is_a_block_that_shrinks_while_use_stays():
    def block(t):
        return 10 * GIB - t / 60 * 200 * MIB

    alert = find_one("FG411", make_gpu(40, lambda _: 4 * GIB, largest_free_bytes=block))
    assert alert.cause == "gpu-fragmentation"
    assert "fell from 9.6 GiB" in alert.text
    assert not find("FG411", make_gpu(40, leak(200 * MIB, GIB), largest_free_bytes=block))
    assert not find("FG411", make_gpu(40, lambda _: 4 * GIB, largest_free_bytes=6 * GIB))


def test_allocations_that_fail_although_memory_is_free():
    def failures(t):
        return float(t > 1700)

    alert = find_one("FG411", make_gpu(30, lambda _: 4 * GIB, allocation_failures=failures))
    assert "1 allocation failed" in alert.text
    assert "10.0 GiB of 16.0 GiB were free" in alert.text
    full = make_gpu(30, lambda _: 4 * GIB, lambda _: 15 * GIB, allocation_failures=failures)
    assert not find("FG411", full)


def test_pressure_of_what_can_be_had():
    assert find_one("FG412", make_gpu(5, lambda _: GIB, lambda _: 14.5 * GIB)).cause == "gpu-oom"
    assert not find("FG412", make_gpu(5, lambda _: GIB, lambda _: 14 * GIB))
    # Without a GPU it is the allocator of the CPU that has a limit.
    alone = find_one("FG412", make_gpu(5, lambda _: GIB, lambda _: 14.5 * GIB))
    assert alone.title == "TensorFlow's memory is 91 % full"
    assert "fitguard.keras.recompute" in alone.fix.text
    others = {"gpu0_process_bytes": 8 * GIB, "gpu0_used_bytes": 15 * GIB, "gpu0_total_bytes": LIMIT}
    alert = find_one("FG412", make_gpu(5, lambda _: GIB, lambda _: 8.5 * GIB, **others))
    assert alert.numbers["room_bytes"] == 9 * GIB
    assert alert.title.startswith("GPU memory is ")


def test_pressure_that_rises_calls_for_smaller_parts():
    steady = find_one("FG412", make_gpu(20, lambda _: GIB, lambda _: 15 * GIB))
    assert not steady.act
    rising = find_one("FG412", make_gpu(20, lambda _: GIB, lambda t: 5 * GIB + t / 60 * 0.5 * GIB))
    assert rising.act
    assert "memory ends in" in rising.text


def test_pressure_of_main_memory():
    curves = {"host_bytes": 5 * GIB, "host_limit_bytes": LIMIT}
    alert = find_one("FG414", make_record(5, **curves, cgroup_bytes=15 * GIB))
    assert "5.0 GiB of them by the training" in alert.text
    assert not find("FG414", make_record(5, **curves, cgroup_bytes=14 * GIB))
