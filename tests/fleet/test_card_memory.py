"""How much of a card was in use at the same time: a figure of the bench and the soak."""

from fleet.card_memory import Use, find_fullest, list_cards, list_uses, sum_most

from fitguard.schema.run import Attempt, MemorySample, Run

CARDS = list_cards(["A:400MiB,A:200MiB", "B:100MiB"])
MIB = 2**20


def sample(time, peak, attempt=1):
    return MemorySample(time=time, attempt=attempt, allocator_peak_bytes=peak)


def run_on(*cards, samples):
    attempts = tuple(
        Attempt(number=number, started=0.0, card=f"host/{card}")
        for number, card in enumerate(cards, 1)
    )
    return Run(
        id="a",
        command=("train.py",),
        folder="/runs/a",
        started=0.0,
        state="finished",
        attempts=attempts,
        samples=tuple(samples),
    )


def test_cards_by_index_and_name():
    assert CARDS == {"0 A": 400 * MIB, "1 A": 200 * MIB, "0 B": 100 * MIB}


def test_what_overlaps_is_added():
    assert sum_most([Use(0, 10, 100), Use(10, 20, 300), Use(5, 12, 50)]) == 350


def test_one_after_the_other_is_not():
    assert sum_most([Use(0, 10, 100), Use(10, 20, 300)]) == 300


def test_a_sample_stands_for_the_time_since_the_one_before():
    samples = [sample(3.0, None), sample(4.0, 9), sample(6.0, 5)]
    assert list_uses(2.0, samples) == [Use(2.0, 4.0, 9), Use(4.0, 6.0, 5)]


def test_each_attempt_counts_on_its_own_card():
    moved = run_on("0 A", "0 B", samples=[sample(1.0, 100 * MIB), sample(2.0, 50 * MIB, attempt=2)])
    beside = run_on("0 A", samples=[sample(1.0, 200 * MIB)])
    assert find_fullest([moved, beside], CARDS) == {"0 A": 0.75, "0 B": 0.5}
