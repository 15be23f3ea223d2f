"""From a training and its cards to actors that train."""

from collections.abc import Sequence
from typing import Any

from fitguard.fleet.holding import Holder
from fitguard.fleet.inspecting import NodeCard
from fitguard.fleet.limiting import choose_devices, count_pool
from fitguard.fleet.requests import CardId
from fitguard.fleet.storage.opening import MarkedStorage
from fitguard.fleet.trainer import Order, Trainer
from fitguard.fleet.trainings import Training, Worker

_LEAST_BYTES = 2**20
_CALLS_AT_ONCE = 4
"""`leave`, `measure` and `listen` come while `train` runs."""


def launch(
    training: Training,
    cards: Sequence[tuple[CardId, NodeCard]],
    holder: Holder,
    storage: MarkedStorage,
) -> list[Worker] | tuple[CardId, ...]:
    """Start a training on these cards; where Ray does not give one of them, that card."""
    import ray

    taken: list[CardId] = []
    for key, _ in cards:
        if not holder.take(key):
            for one in taken:
                holder.give(one)
            return (key,)
        taken.append(key)
    workers = []
    for number, (key, card) in enumerate(cards):
        share = 1.0 if training.takes_whole else (training.memory_bytes or 0) / card.memory_bytes
        actor = (
            ray.remote(Trainer)
            .options(
                max_restarts=0, max_concurrency=_CALLS_AT_ONCE, **holder.place(key, min(share, 1.0))
            )
            .remote()
        )
        answer = actor.train.remote(make_order(training, number, card, storage))
        workers.append(Worker(actor=actor, answer=answer, card=key))
    return workers


def make_order(training: Training, worker: int, card: NodeCard, storage: MarkedStorage) -> Order:
    """What the actor of one worker is told."""
    job = training.job
    allotted = card.memory_bytes if training.takes_whole else training.memory_bytes or 0
    words = ["--resume=auto", *job.options]
    words.append(f"--memory-limit={max(count_pool(allotted, card), _LEAST_BYTES)}")
    if job.workers == 1:
        words.append(f"--name={job.name}")
    else:
        words += [f"--gang={job.name}", f"--worker={worker}", f"--workers={job.workers}"]
    if job.python:
        words.append(f"--python={job.python}")
    if training.micro_batch is not None:
        words.append(f"--micro-batch={training.micro_batch}")
    return Order(
        words=(*words, "--", *job.command),
        run=training.runs[worker],
        storage=storage.name,
        marker=storage.marker,
        folder=job.folder,
        environment=job.environment | choose_devices(card),
        parcels=job.parcels,
        card=f"{card.index} {card.name}",
    )


def ask_to_leave(training: Training, why: str) -> None:
    """Let all workers take a snapshot and leave."""
    training.asked = why
    for worker in training.workers:
        if worker.ended is None:
            worker.actor.leave.remote()


def kill(actor: Any) -> None:
    """End an actor that has nothing left to do, or does not leave."""
    import ray

    ray.kill(actor, no_restart=True)
