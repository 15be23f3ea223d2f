"""How fast the fleet decides, and how well it packs.

    make bench
    .venv/bin/python bench/fleet_packing.py --seeds 100

*Decisions*: 10,000 trainings wait for 1,000 cards. A decision is what happens when one training
ends: its room is free, and those that start now are chosen. The time is that of the processor, so
that other work on the machine does not count. *The first* is the call that fills all cards. The
worst case for the line gives each training a priority of its own.

*Packing*: sets of 60 trainings of mixed sizes on seven cards of four nodes, for several spreads of
how long they take. The packer knows nothing of that, or it is told exactly, or off by up to a
factor of 1.5, or it learns from those that have ended. Its makespan is divided by that of the best
packing that was found with the times known (three rules, then a search over orders), and by a
lower bound that is proven. An order drawn by chance is shown beside it. *One learns* is what the
fleet does with all that it expects when the first of 10,000 alike has ended, and all move.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable
from functools import partial

from fleet.reference import bound_below, pack_in_order, pack_offline, play
from fleet.sets import (
    ISSUE_CARDS,
    SCRIPTS,
    SPREADS,
    Training,
    draw_issue,
    draw_requests,
    draw_scripts,
    make_cards,
    make_jobs,
    make_large_fleet,
)

from fitguard.fleet.expecting import Expecting
from fitguard.fleet.packing import Packer
from fitguard.schema.fleet import FleetJob

WAITING = 10_000
CARDS = 1_000
DECISIONS = 1_000
TARGET_SECONDS = 0.050
TARGET = 1.15
Know = Callable[[list[Training], int], Expecting | None]
Draw = Callable[[int, str], list[Training]]


def know_nothing(_: list[Training], __: int) -> None:
    """Nobody told, and nothing is learned."""


def know_exactly(trainings: list[Training], _: int) -> Expecting:
    """`takes` of each is what it takes."""
    return Expecting(make_jobs(trainings, lambda one: one.seconds))


def know_about(trainings: list[Training], seed: int) -> Expecting:
    """`takes` of each is up to 1.5 times too long or too short."""
    drawn = random.Random(seed)
    return Expecting(make_jobs(trainings, lambda one: one.seconds * 1.5 ** drawn.uniform(-1, 1)))


def learn(trainings: list[Training], _: int) -> Expecting:
    """Nobody told."""
    return Expecting(make_jobs(trainings))


WAYS: dict[str, Know] = {
    "unknown": know_nothing, "within 1.5": know_about, "exact": know_exactly,
}  # fmt: skip
LEARNED: dict[str, Know] = {"learned": learn}


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


def measure_learning() -> None:
    """Print how long it takes to move all that wait, because one like them has ended."""
    taken = []
    for seed in range(5):
        packer = Packer()
        for card in make_large_fleet(CARDS):
            packer.add_card(card)
        line = draw_requests(seed, WAITING)
        for request in line:
            packer.add(request)
        jobs = [FleetJob(name=one.name, command=("train.py",), folder="/project") for one in line]
        taken.append(measure(partial(move_all, packer, Expecting(jobs), line[0].name))[0])
    show("one learns", taken)


def move_all(packer: Packer, expecting: Expecting, ended: str) -> tuple:
    changed = expecting.learn(ended, 100.0)
    packer.retime({name: expecting.expect(name) for name in changed})
    return ()


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
    print(f"\n{seeds} sets of 60 trainings on 7 cards; makespan divided by that of the reference,")
    print(f"on average, and how many are within {TARGET}")
    show_table(WAYS, seeds, tries, draw_issue)
    print(f"\nThe same with {SCRIPTS} scripts: ten trainings of each take about as long")
    show_table({name: WAYS[name] for name in ("unknown", "exact")} | LEARNED, seeds, tries,
               draw_scripts)  # fmt: skip


def show_table(ways: dict[str, Know], seeds: int, tries: int, draw: Draw) -> None:
    """A row for each spread of times, a column for each way of knowing them."""
    cards = make_cards(ISSUE_CARDS)
    names = (*ways, "by chance")
    print(f"{'they take':24}" + "".join(f"{name:>14}" for name in names) + f"{'exact/bound':>13}")
    for spread in SPREADS:
        ratios: dict[str, list[float]] = {name: [] for name in names}
        bounds = []
        for seed in range(seeds):
            trainings = draw(seed, spread)
            taken = {name: play(trainings, cards, know(trainings, seed))
                     for name, know in ways.items()}  # fmt: skip
            shuffled = random.Random(seed).sample(trainings, len(trainings))
            taken["by chance"] = pack_in_order(shuffled, cards)
            reference = min(pack_offline(trainings, cards, seed, tries), *taken.values())
            bounds.append(taken["exact"] / bound_below(trainings, cards))
            for name, seconds in taken.items():
                ratios[name].append(seconds / reference)
        row = "".join(
            f"{statistics.mean(found):8.3f} {sum(one <= TARGET for one in found) / seeds:5.0%}"
            for found in ratios.values()
        )
        print(f"{spread:24}{row}{statistics.mean(bounds):13.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--tries", type=int, default=300, help="orders that the reference tries")
    parser.add_argument("--decisions-only", action="store_true")
    given = parser.parse_args()
    print(f"{WAITING:,} waiting, {CARDS:,} cards; four priorities, gangs, names of cards")
    measure_decisions(own_priorities=False)
    measure_learning()
    print(f"{WAITING:,} waiting, {CARDS:,} cards; each with a priority of its own")
    measure_decisions(own_priorities=True)
    if not given.decisions_only:
        compare_packing(given.seeds, given.tries)


if __name__ == "__main__":
    main()
