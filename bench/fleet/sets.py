"""Cards and trainings, drawn at random from a seed."""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fitguard.fleet.requests import Request
from fitguard.schema.fleet import FleetCard, FleetJob

GIB = 2**30
KINDS = (("NVIDIA H200", 140), ("NVIDIA A100-SXM4-80GB", 80), ("NVIDIA GeForce RTX 4090", 24))
ISSUE_CARDS = (80, 80, 48, 48, 24, 24, 12)
"""GiB of seven cards on four nodes."""
ISSUE_SIZES = (2, 4, 6, 8, 10, 13, 16, 20, 30, 40, 60)

SPREADS: dict[str, Callable[[random.Random], float]] = {
    "all the same": lambda _: 60.0,
    "0.8 to 1.2 of the mean": lambda drawn: drawn.uniform(48, 72),
    "1 to 3": lambda drawn: drawn.uniform(30, 90),
    "1 to 10": lambda drawn: drawn.uniform(10, 100),
    "lognormal, sigma 0.6": lambda drawn: 60 * drawn.lognormvariate(0, 0.6),
    "lognormal, sigma 1.0": lambda drawn: 60 * drawn.lognormvariate(0, 1.0),
}
"""How long trainings take, in seconds."""
SCRIPTS = 6
WITHIN = 0.15
"""Trainings of one script differ by so much from what is usual for it."""


class Training(NamedTuple):
    """Memory, which the packer is told, and the time that it really takes."""

    name: str
    memory_bytes: int
    seconds: float


Takes = Callable[[Training], float | None]
"""What the user tells of the time that a training takes."""


def make_cards(sizes: tuple[int, ...]) -> list[FleetCard]:
    """Two cards on each node."""
    return [
        FleetCard(node=f"n{n // 2}", host=f"n{n // 2}", index=n % 2, name="NVIDIA",
                  memory_bytes=size * GIB)
        for n, size in enumerate(sizes)
    ]  # fmt: skip


def make_large_fleet(count: int) -> list[FleetCard]:
    """Eight cards on each node, nodes of three kinds in turn."""
    cards = []
    for n in range(count):
        name, size = KINDS[n // 8 % len(KINDS)]
        node = f"n{n // 8}"
        cards.append(
            FleetCard(node=node, host=node, index=n % 8, name=name, memory_bytes=size * GIB)
        )
    return cards


def draw_issue(seed: int, spread: str) -> list[Training]:
    """Sixty trainings of mixed sizes."""
    drawn = random.Random(seed)
    return [
        Training(f"t{n}", drawn.choice(ISSUE_SIZES) * GIB, SPREADS[spread](drawn))
        for n in range(60)
    ]


def draw_scripts(seed: int, spread: str) -> list[Training]:
    """Sixty trainings of mixed sizes, ten of each script: those take about as long."""
    drawn = random.Random(seed)
    usual = [SPREADS[spread](drawn) for _ in range(SCRIPTS)]
    return [
        Training(
            f"t{n}",
            drawn.choice(ISSUE_SIZES) * GIB,
            usual[n % SCRIPTS] * drawn.uniform(1 - WITHIN, 1 + WITHIN),
        )
        for n in range(60)
    ]


def make_jobs(trainings: Sequence[Training], takes: Takes = lambda _: None) -> list[FleetJob]:
    """As a user would write them: a script of its own for each that is drawn with others."""
    return [
        FleetJob(
            name=one.name,
            command=(f"script{n % SCRIPTS}.py", "--seed", str(n)),
            folder="/project",
            takes_seconds=takes(one),
        )
        for n, one in enumerate(trainings)
    ]


def draw_requests(seed: int, count: int, *, own_priorities: bool = False) -> list[Request]:
    """Sizes of 2 to 70 GiB; one in twenty is a gang, one in five names its cards.

    Args:
        own_priorities: Each has a priority of its own: the worst for whoever sorts them.
    """
    drawn = random.Random(seed)
    return [
        Request(
            name=f"r{seed}-{n}",
            memory_bytes=drawn.randint(2 * GIB, 70 * GIB),
            priority=n if own_priorities else drawn.randint(0, 3),
            workers=drawn.randint(2, 8) if drawn.random() < 0.05 else 1,
            cards=("*H200*",) if drawn.random() < 0.2 else (),
        )
        for n in range(count)
    ]
