"""Goodput of 1,000 GPUs with 100,000 trainings and faults at published rates, in simulated time.

    .venv/bin/python bench/fleet_simulation.py
    .venv/bin/python bench/fleet_simulation.py --trainings 20000 --cards 200

The decisions are those of fitguard's own packer. What is simulated is time: how long a training
takes, when a card fails, what is left of the work. *Goodput* is the part of all memory of all
cards, over the time until the last training ends, that was taken by steps which are in a result.
*work per step* is what was computed for each second that is in a result: the price of faults alone.
Rates and their sources are in `bench/fleet/faults.py`, what a fault costs in
`bench/fleet/policies.py`. The lower rows have more faults than were published for good machines:
what that is in your room, or on spot machines, you know better.

Several trainings on one card do not slow each other down here; in truth they share its processors.
"""

import argparse
import time

from fleet.faults import AWAY_SECONDS, FAULTS_PER_GPU_SECOND
from fleet.policies import POLICIES, Policy
from fleet.sets import make_cards
from fleet.simulation import Simulation, Totals, draw_trainings

CARD_GIB = 80
TIMES = (10, 100, 1000)
SMALLER = 10
HEAD = ("goodput", "lost", "saving", "starting", "away", "unfilled", "tail")


def simulate(policy: Policy, given: argparse.Namespace, rate: float, part: int = 1) -> Totals:
    """One policy, with the same trainings and the same seed of faults as the others."""
    cards = make_cards((CARD_GIB,) * (given.cards // part))
    trainings = list(draw_trainings(1, given.trainings // part, given.hours))
    return Simulation(trainings, cards, policy, rate, AWAY_SECONDS).run()


def show(name: str, totals: Totals) -> None:
    """One row: shares of all card time, then what was computed for each second in a result."""
    parts = (totals.useful, totals.lost, totals.saving, totals.starting, totals.away,
             totals.unfilled, totals.tail)  # fmt: skip
    row = " ".join(f"{part / totals.card_seconds:8.2%}" for part in parts)
    worked = totals.useful + totals.lost + totals.saving + totals.starting
    days = totals.seconds / 86400
    print(f"{name:34} {row} {worked / totals.useful:9.4f} {totals.hits:7,} {days:6.1f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cards", type=int, default=1000)
    parser.add_argument("--trainings", type=int, default=100_000)
    parser.add_argument("--hours", type=float, default=3.0, help="median of a training")
    given = parser.parse_args()
    rate = FAULTS_PER_GPU_SECOND
    begin = time.perf_counter()
    print(f"{given.cards:,} cards of {CARD_GIB} GiB, {given.trainings:,} trainings, one fault in "
          f"{1 / rate / 86400 / 365:.1f} years of a card (a half to twice that)")  # fmt: skip
    heading = " ".join(f"{word:>8}" for word in HEAD)
    print(f"{'':34} {heading} {'work/step':>9} {'hit':>7} {'days':>6}")
    for number, policy in enumerate(POLICIES):
        show(policy.name, simulate(policy, given, 0.0 if number == 0 else rate))
    for times in TIMES:
        print(f"{times:,} times as many faults: one in {1 / rate / times / 86400:.0f} days of a "
              f"card; a {SMALLER}th of the fleet")  # fmt: skip
        for policy in POLICIES[1:4]:
            show(policy.name, simulate(policy, given, rate * times, SMALLER))
    print(f"simulated in {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
