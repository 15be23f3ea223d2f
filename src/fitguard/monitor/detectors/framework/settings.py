"""All thresholds of the detectors, with their reasons.

`bench/detector_rates.py` measures what they are good for: false alarms in simulated healthy
trainings, and how soon injected leaks are found. Change one, and run it.
"""

import msgspec


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """When something counts as wrong.

    Args:
        bucket_seconds: A flight record is judged in pieces of this length: some steps long, and
            as the ring of four hours has them.
        warm_up_seconds: After the first step. Optimizers make their slots, XLA compiles, caches of
            the framework fill.
        quick_warm_up_seconds: The same where memory ends within minutes.

        leak_spans_seconds: Growth of GPU memory must be steady over one of these. 12 minutes and
            the warm-up find within 20 minutes what leaks 1 % of the card in an hour; longer ones
            find slower leaks.
        quick_leak_spans_seconds: The same where memory ends in less than half of the span; the
            longest first, which proves most.
        quick_leak_share: Of the memory, that is in use by then: a cache that fills stops before.
        least_leak_share: Of the memory, that must have gone: less is noise of the framework.
        least_leak_bytes: The same for small limits.
        longest_leak_seconds: Until memory ends. What would take longer than a week is no trouble.
        host_leak_spans_seconds: As above for main memory, where the allocator of the C library
            breathes, and libraries keep what they have read.
        least_host_leak_share: Of main memory, that must have gone.
        longest_host_leak_seconds: Until main memory ends. Data that are kept there while they are
            read for the first time look the same; of those, few need more than there is.

        act_share: Of the memory, that must be in use before something is done about growth.
        act_seconds: Until it ends: enough for the longest snapshot, too short for hope.
        act_span_seconds: Growth must have been steady for so long: a restart costs time.

        pressure_share: Of what can be had. Above it, one larger batch is enough for a crash.
        pressure_seconds: For so long; a single peak at the start is none.
        fall_share: Of the largest free block at first, that must be gone for fragmentation.
        least_free_share: Of the memory, that was free when an allocation failed all the same.

        wait_share: Of the time of a step, that it waits for its data.
        wait_seconds: For so long. A shuffle buffer that fills takes less.
        throttled_seconds: For so long, half of it at least: a moment of heat is normal.
        power_cap_clock_share: Of the highest clock. The power cap alone is normal under load.
        clock_fall_share: That clocks fall below their own past. Heat swings by a few percent.
        corrected_errors: In an hour; single ones are what ECC is for.
        slow_ratio: Steps take so many times what they took before.
        slow_seconds: For so long.
        past_seconds: So much of the past must be there to compare with.
        flat_seconds: The loss does not move for so long,
        flat_steps: and over so many steps,
        flat_share: by more than this share of itself. Noise of a loss that is still computed from
            other data each step is much larger, also as the mean that Keras logs.
        stall_seconds: Without a sign of life, at least. `fitguard run` ends a hang later.
        stall_steps: And so many times what a step usually takes,
        stall_pauses: and so many times the longest pause so far.
    """

    bucket_seconds: float = 5.0
    warm_up_seconds: float = 120.0
    quick_warm_up_seconds: float = 20.0

    leak_spans_seconds: tuple[float, ...] = (720.0, 3600.0, 14400.0)
    quick_leak_spans_seconds: tuple[float, ...] = (600.0, 180.0, 60.0)
    quick_leak_share: float = 0.66
    least_leak_share: float = 0.001
    least_leak_bytes: float = 2**20
    longest_leak_seconds: float = 7 * 86400.0
    host_leak_spans_seconds: tuple[float, ...] = (3600.0, 14400.0)
    least_host_leak_share: float = 0.005
    longest_host_leak_seconds: float = 6 * 3600.0

    act_share: float = 0.8
    act_seconds: float = 300.0
    act_span_seconds: float = 600.0

    pressure_share: float = 0.9
    pressure_seconds: float = 60.0
    fall_share: float = 0.3
    least_free_share: float = 0.2

    wait_share: float = 0.3
    wait_seconds: float = 300.0
    throttled_seconds: float = 180.0
    power_cap_clock_share: float = 0.6
    clock_fall_share: float = 0.15
    corrected_errors: int = 10
    slow_ratio: float = 1.5
    slow_seconds: float = 300.0
    past_seconds: float = 900.0
    flat_seconds: float = 900.0
    flat_steps: int = 500
    flat_share: float = 1e-6
    stall_seconds: float = 120.0
    stall_steps: float = 10.0
    stall_pauses: float = 2.0


SETTINGS = Settings()
"""What `fitguard run` judges by."""
