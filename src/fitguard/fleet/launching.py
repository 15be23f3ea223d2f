"""From a training and its cards to actors that train."""

from collections.abc import Sequence
from typing import Any

from fitguard.fleet.holding import CardKey, Holder
from fitguard.fleet.inspecting import NodeCard
from fitguard.fleet.trainer import Order, Trainer
from fitguard.fleet.trainings import Training, Worker

_MIB = 2**20
_WITH_LEAVING = 2
"""Calls at once: `leave` comes while `train` runs."""


def launch(
    training: Training, cards: Sequence[tuple[CardKey, NodeCard]], holder: Holder, storage: str
) -> list[Worker] | None:
    """Start a training on these cards; None where Ray does not give one of them."""
    import ray

    taken: list[CardKey] = []
    for key, _ in cards:
        if not holder.take(key):
            for one in taken:
                holder.give(one)
            return None
        taken.append(key)
    workers = []
    for number, (key, card) in enumerate(cards):
        share = 1.0 if training.takes_whole else (training.memory_bytes or 0) / card.memory_bytes
        actor = (
            ray.remote(Trainer)
            .options(
                max_restarts=0, max_concurrency=_WITH_LEAVING, **holder.place(key, min(share, 1.0))
            )
            .remote()
        )
        answer = actor.train.remote(make_order(training, number, card, storage))
        workers.append(Worker(actor=actor, answer=answer, card=key))
    return workers


def make_order(training: Training, worker: int, card: NodeCard, storage: str) -> Order:
    """What the actor of one worker is told."""
    job = training.job
    words = ["--resume=auto", f"--runs-folder={storage}", *job.options]
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
        storage=storage,
        folder=job.folder,
        environment=limit_memory(training, card) | job.environment,
    )


def limit_memory(training: Training, card: NodeCard) -> dict[str, str]:
    """What keeps a training to its part of a card."""
    allotted = card.memory_bytes if training.takes_whole else training.memory_bytes or 0
    return {
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPU_ALLOCATOR_USE_BFC": "1",
        "TF_CPU_BFC_MEM_LIMIT_IN_MB": str(max(allotted // _MIB, 1)),
    } if card.is_declared else {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


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
