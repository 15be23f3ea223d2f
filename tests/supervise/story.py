"""Runs that go wrong, as decisions see them."""

from typing import Any

import msgspec

from fitguard.environment.machine import MachineView
from fitguard.schema.hardware import Gpu
from fitguard.schema.journal import Orders
from fitguard.schema.run import Place
from fitguard.supervise.deciding import DecideOptions, Next, decide
from fitguard.supervise.past_attempts import PastAttempt

GIB = 2**30
NO_GPU = MachineView()


def gpu(index: int, used: int = 0, **fields: Any) -> Gpu:
    return Gpu(
        index=index,
        uuid=f"GPU-{index}",
        pci_address=f"0000:0{index}:00.0",
        memory_bytes=80 * GIB,
        used_bytes=used,
        **fields,
    )


ONE_GPU = MachineView(gpus=(gpu(0),))
TWO_GPUS = MachineView(gpus=(gpu(0), gpu(1)))


def at(step: int, fit: int = 1) -> Place:
    return Place(fit=fit, epoch=step // 10, step=step % 10, total_steps=step)


def end(outcome: str = "crashed", step: int = 12, saved: int = 10, **fields: Any) -> PastAttempt:
    told = {
        "number": 1,
        "started": 0.0,
        "steps_done": 5,
        "batch_size": 64,
        "confidence": "high",
    } | fields
    return PastAttempt(outcome=outcome, last=at(step), saved=at(saved), **told)


class Story:
    """Lives through a run: each end gets the orders of the decision before."""

    def __init__(self, machine: MachineView = NO_GPU, **options: Any) -> None:
        self.machine = machine
        self.options = DecideOptions(**options)
        self.orders = Orders(seed=7)
        self.ends: list[PastAttempt] = []

    def ends_with(self, last: PastAttempt) -> Next:
        told = msgspec.structs.replace(
            last,
            number=self.orders.attempt,
            orders=self.orders,
            ended=last.ended or 100.0 * len(self.ends),
        )
        following = decide([*self.ends, told], self.orders, self.options, self.machine)
        self.ends.append(msgspec.structs.replace(told, action=following.action))
        self.orders = following.orders
        return following

    def until_it_stops(self, last: PastAttempt, most: int = 100) -> list[str]:
        """What is done while attempts go on ending like this."""
        actions = []
        for _ in range(most):
            following = self.ends_with(last)
            actions.append(following.action)
            if following.stop:
                return actions
        raise AssertionError(f"it never stops: {actions}")
