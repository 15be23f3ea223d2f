"""The least memory in which a step runs."""

import pytest
from memory.graph.tiny_steps import run_of, step_of

from fitguard.memory.graph.buffers import Buffer, Event
from fitguard.memory.graph.fitting import PRECISION, ample_bytes, least_bytes, peak_bytes
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.step import Run

MIB = 2**20


def buffer(mib: int) -> Buffer:
    return Buffer(Size(mib * MIB), "activations")


def run(*events: tuple[Buffer, bool], kept: tuple[Buffer, ...] = ()) -> Run:
    written: list[Event] = [(one, is_new, None) for one, is_new in events]
    return Run([*kept], [*kept], [], written, complete=True)


def test_the_peak_counts_variables_inputs_and_what_is_alive() -> None:
    weight, first, second = buffer(1), buffer(3), buffer(4)
    made = run((first, True), (first, False), (second, True), (second, False), kept=(weight,))
    assert peak_bytes(made, 1) == 5 * MIB
    assert peak_bytes(made, 1, kept_bytes=100) == 5 * MIB + 100
    given = Run([weight], [weight], [Buffer(Size(1000, 1), "input")], made.events, complete=True)
    assert peak_bytes(given, 64) == 5 * MIB + 64_000


def test_a_step_without_holes_runs_in_its_peak() -> None:
    one, two = buffer(16), buffer(16)
    made = run((one, True), (two, True), (one, False), (two, False))
    assert least_bytes(made, made, 1) == peak_bytes(made, 1) == 32 * MIB


def test_holes_cost_memory() -> None:
    """Between what stays, only pieces are free when the large one is wanted."""
    parts = [buffer(8) for _ in range(8)]
    large = buffer(24)
    events = [(part, True) for part in parts]
    events += [(part, False) for part in parts[::2]]
    events += [(large, True), (large, False)]
    events += [(part, False) for part in parts[1::2]]
    made = run(*events)
    assert peak_bytes(made, 1) == 64 * MIB
    assert least_bytes(made, made, 1) == pytest.approx((64 + 24) * MIB, rel=2 * PRECISION)


@pytest.mark.parametrize("name", ["dense", "convolutions", "loop of 5"])
@pytest.mark.parametrize("batch_size", [1, 64, 5000])
def test_real_steps_need_their_peak_and_not_much_more(name: str, batch_size: int) -> None:
    first, later = step_of(name).run(first=True), run_of(name)
    peak = peak_bytes(later, batch_size)
    assert peak <= least_bytes(first, later, batch_size) < 1.5 * peak


def test_a_workspace_counts_while_its_convolution_runs() -> None:
    later = run_of("convolutions")
    peak = peak_bytes(later, 1000)
    amples = ample_bytes(later, 1000, 0, (0, 1, 3))
    assert amples[0] == peak
    assert list(amples) == sorted(amples)
    assert amples[2] > peak
    without = run_of("dense")
    assert ample_bytes(without, 1000, 0, (24,)) == (peak_bytes(without, 1000),)
