"""Trainings whose memory nobody told, on their way through `fitguard plan`."""

from collections.abc import Callable
from typing import Any

from fitguard.fleet.needing import Need, ask_need
from fitguard.fleet.trainings import Training
from fitguard.words import count, size


class Planning:
    """Asks Ray to plan, and hears the answers.

    Args:
        tell: Says one line to the user.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._asked: dict[str, tuple[Any, Training, int]] = {}
        self._tell = tell

    def ask(self, one: Training, largest_bytes: int, *, on_gpus: bool) -> None:
        """Plan a training, once.

        Args:
            largest_bytes: Memory of the largest card that it may use.
        """
        if one.name not in self._asked:
            promise = ask_need(one.job, largest_bytes, on_gpus=on_gpus)
            self._asked[one.name] = (promise, one, largest_bytes)

    def hear(self) -> list[Training]:
        """Those that are planned since."""
        import ray

        planned = []
        promises = {promise: name for name, (promise, _, _) in self._asked.items()}
        ready = (
            ray.wait(list(promises), num_returns=len(promises), timeout=0)[0] if promises else ()
        )
        for promise in ready:
            _, one, largest_bytes = self._asked.pop(promises[promise])
            try:
                need: Need = ray.get(promise)
            except ray.exceptions.RayError as error:
                need = Need(problem=f"the task was lost ({type(error).__name__})")
            self._tell(apply_need(one, need, largest_bytes))
            planned.append(one)
        return planned


def apply_need(one: Training, need: Need, largest_bytes: int) -> str:
    """What a training will ask for, and how to say it."""
    if need.memory_bytes is None:
        one.takes_whole, one.is_unknown = True, one.job.workers == 1
        return f"{one.name} gets a whole card: it could not be planned ({need.problem})."
    if need.memory_bytes > largest_bytes and need.may_fit:
        one.takes_whole = True
        return (
            f"{one.name} gets a whole card: it needs up to {size(need.memory_bytes)}, and the "
            f"largest card has {size(largest_bytes)}. If it does not fit, it trains with "
            "micro-batches."
        )
    if need.memory_bytes > largest_bytes and need.micro_batch is not None:
        one.takes_whole, one.micro_batch = True, need.micro_batch
        return (
            f"{one.name} needs {size(need.memory_bytes)}, more than any card has: it trains on a "
            f"whole card, with micro-batches of {count(need.micro_batch, 'row')}."
        )
    one.memory_bytes = need.memory_bytes
    return f"{one.name} needs {size(need.memory_bytes)} of a card, as planned."
