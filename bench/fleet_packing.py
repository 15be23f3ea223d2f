"""How fast the fleet decides, and how well it packs.

    make bench
    .venv/bin/python bench/fleet_packing.py --seeds 100

*Decisions*: 10,000 trainings wait for 1,000 cards. A decision is what happens when one training
ends: its room is free, and those that start now are chosen. The time is that of the processor, so
that other work on the machine does not count. *The first* is the call that fills all cards. The
worst case for the line gives each training a priority of its own.

*Packing*: sets of 60 trainings of mixed sizes on seven cards of four nodes, for several spreads of
how long they take. The packer does not know how long. Its makespan is divided by that of the best
packing that was found with the times known (three rules, then a search over orders), and by a
lower bound that is proven. An order drawn by chance is shown beside it.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable

from fleet.reference import bound_below, pack_in_order, pack_offline, play
from fleet.sets import (
    ISSUE_CARDS,
    SPREADS,
    draw_issue,
    draw_requests,
    make_cards,
    make_large_fleet,
)

from fitguard.fleet.packing import Packer

WAITING = 10_000
CARDS = 1_000
DECISIONS = 1_000
TARGET_SECONDS = 0.050


def measure_decisions(*, own_priorities: bool) -> None:
    """Print how long decisions take with ten thousand waiting."""
    packer = Packer()
    for card in make_large_fleet(CARDS):
        packer.add_card(card)
    drawn = random.Random(7)
    line = draw_requests(1, WAITING + 2 * CARDS + DECISIONS, own_priorities=own_priorities)
    spare = iter(line[WAITING:])
    for request in line[:WAITING]:
        packer.add(request)
    seconds, placed = measure(packer.place)
    print(f"  the first: {len(placed):,} start in {1000 * seconds:.0f} ms, "
          f"{1e6 * seconds / len(placed):.0f} µs for each")  # fmt: skip
    for _ in range(WAITING - packer.waiting):
        packer.add(next(spare))
    taken = []
    for _ in range(DECISIONS):
        packer.release(drawn.choice(packer.list_running()))
        seconds, placed = measure(packer.place)
        taken.append(seconds)
        for _ in placed:
            request = next(spare, None)
            if request is not None:
                packer.add(request)
    show("a training ends", taken)
    highest = packer.list_waiting()[:300]
    taken = []
    for request in highest:
        seconds, _ = measure(lambda request=request: packer.choose_victims(request.name))
        taken.append(seconds)
    show("who has to leave", taken)


def measure(decide: Callable[[], tuple]) -> tuple[float, tuple]:
    begin = time.process_time()
    found = decide()
    return time.process_time() - begin, found


def show(what: str, taken: list[float]) -> None:
    taken.sort()
    median, late, worst = statistics.median(taken), taken[int(0.99 * len(taken))], taken[-1]
    print(f"  {what + ':':18} median {1000 * median:5.2f} ms, p99 {1000 * late:5.2f} ms, worst "
          f"{1000 * worst:5.2f} ms: {worst / TARGET_SECONDS:.2f} of 50 ms")  # fmt: skip


def compare_packing(seeds: int, tries: int) -> None:
    """Print the makespan beside that of a packing that knows the times."""
    cards = make_cards(ISSUE_CARDS)
    print(f"\n{seeds} sets of 60 trainings on 7 cards; makespan divided by that of the reference")
    print(f"{'they take':24} {'mean':>6} {'median':>7} {'p95':>6} {'worst':>6}"
          f" {'≤1.15':>6} {'/bound':>7} {'by chance':>10}")  # fmt: skip
    for spread in SPREADS:
        ratios, bounds, chance = [], [], []
        for seed in range(seeds):
            trainings = draw_issue(seed, spread)
            ours = play(trainings, cards)
            shuffled = random.Random(seed).sample(trainings, len(trainings))
            order_only = pack_in_order(shuffled, cards)
            reference = min(pack_offline(trainings, cards, seed, tries), ours, order_only)
            ratios.append(ours / reference)
            chance.append(order_only / reference)
            bounds.append(ours / bound_below(trainings, cards))
        ratios.sort()
        within = sum(ratio <= 1.15 for ratio in ratios) / seeds
        print(
            f"{spread:24} {statistics.mean(ratios):6.3f} {statistics.median(ratios):7.3f} "
            f"{ratios[int(0.95 * seeds)]:6.3f} {ratios[-1]:6.3f} {within:6.0%} "
            f"{statistics.mean(bounds):7.3f} {statistics.mean(chance):10.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--tries", type=int, default=300, help="orders that the reference tries")
    parser.add_argument("--decisions-only", action="store_true")
    given = parser.parse_args()
    print(f"{WAITING:,} waiting, {CARDS:,} cards; four priorities, gangs, names of cards")
    measure_decisions(own_priorities=False)
    print(f"{WAITING:,} waiting, {CARDS:,} cards; each with a priority of its own")
    measure_decisions(own_priorities=True)
    if not given.decisions_only:
        compare_packing(given.seeds, given.tries)


if __name__ == "__main__":
    main()
