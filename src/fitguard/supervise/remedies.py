"""Remedies of the policy, put into orders for the next attempt.

Each remedy gets what is known of the attempt that ended, and gives orders, or None where it cannot
help here: there is nothing left to halve, no other GPU, no variable that is not set already.
"""

from collections.abc import Callable

import msgspec

from fitguard.environment.machine import MachineView
from fitguard.knowledge import knowledge
from fitguard.knowledge.policy import Remedy
from fitguard.schema.batch_parts import smaller_part
from fitguard.schema.journal import Orders
from fitguard.schema.run import Action
from fitguard.supervise.past_attempts import PastAttempt
from fitguard.supervise.sick_gpus import leave_out_sick_gpus
from fitguard.supervise.waiting import has_room

_SMALLER = 0.75
"""Of the share of memory that did not suffice."""
_CLEARED = ("RESTART_APP", "IGNORE", "WORKFLOW_XID_45")
"""What NVIDIA's catalogue asks for where a new process is enough."""


class Situation(msgspec.Struct, frozen=True):
    """What a remedy can look at; `orders` are those of the attempt that ended."""

    attempt: PastAttempt
    orders: Orders
    machine: MachineView


class Change(msgspec.Struct, frozen=True):
    """What a remedy does: orders for the next attempt, and how to say it.

    Args:
        text: The beginning of a sentence; from where it goes on comes after it.
        note: A sentence on what else changes.
    """

    orders: Orders
    text: str
    note: str = ""


def apply(remedy: Remedy, situation: Situation) -> Change | None:
    """What this remedy does here, None where it cannot help."""
    if remedy.after_steps and not situation.attempt.steps_done:
        return None
    if remedy.cleared_by_restart and not _clears_with_restart(situation.attempt):
        return None
    return _ACTIONS[remedy.action](remedy, situation)


def _restart(remedy: Remedy, situation: Situation) -> Change | None:
    if remedy.environment:
        return _set_variables(remedy, situation)
    attempt, orders = situation.attempt, situation.orders
    if attempt.outcome == "crashed" and orders.plan and not attempt.steps_done:
        # What is traced for the plan may be too much for a host with little memory.
        return Change(msgspec.structs.replace(orders, plan=False), "It starts again without a plan")
    return Change(orders, "It starts again")


def _recompute(_: Remedy, situation: Situation) -> Change | None:
    attempt, orders = situation.attempt, situation.orders
    fit, share = _find_share(attempt)
    if not share:
        return None
    shares = {**orders.recompute, str(fit): share}
    return Change(
        msgspec.structs.replace(orders, recompute=shares),
        "It starts again with the batch whole, and computes part of each step twice",
    )


def _find_share(attempt: PastAttempt) -> tuple[int, float]:
    """Of which `fit`, and the share of memory in which its step is to be recomputed; 0 for none."""
    if attempt.failed is not None:
        return attempt.failed.place.fit, attempt.failed.recompute
    # It crashed in memory that did not suffice, and could not say so.
    fit = attempt.last.fit
    return fit, _SMALLER * (attempt.shares.get(fit) or 0.0)


def _smaller_micro_batch(_: Remedy, situation: Situation) -> Change | None:
    return split_batch(situation.attempt, situation.orders)


def split_batch(attempt: PastAttempt, orders: Orders) -> Change | None:
    """Orders for smaller parts of the batch; None where it stays whole, or is one row."""
    failed = attempt.failed
    if attempt.not_split is not None or attempt.no_room or _find_share(attempt)[1]:
        return None
    if failed is not None and failed.rows and failed.of:
        return _halve(orders, failed.place.fit, failed.rows, failed.of, failed.evaluation)
    if not attempt.last.fit or not attempt.batch_size:
        return None
    rows = min(attempt.micro_batch or attempt.batch_size, attempt.batch_size)
    return _halve(orders, attempt.last.fit, rows, attempt.batch_size, evaluation=False)


def _halve(orders: Orders, fit: int, rows: int, batch_size: int, evaluation: bool) -> Change | None:
    smaller = smaller_part(rows, batch_size)
    if smaller is None:
        return None
    field = "evaluation_rows" if evaluation else "micro_batches"
    sizes = {**getattr(orders, field), str(fit): smaller}
    kind = "evaluation in parts" if evaluation else "micro-batches"
    return Change(
        msgspec.structs.replace(orders, **{field: sizes}),
        f"It starts again with {kind} of {smaller} of the {batch_size} rows",
    )


def _set_variables(remedy: Remedy, situation: Situation) -> Change | None:
    """Only what nobody has set: the user's own word stands."""
    environment = situation.machine.environment | situation.orders.environment
    missing = {name: value for name, value in remedy.environment.items() if name not in environment}
    if not missing or not situation.machine.gpus:
        return None
    named = " and ".join(f"{name}={value}" for name, value in missing.items())
    return Change(_add_environment(situation.orders, missing), f"It starts again with {named}")


def _other_allocator(remedy: Remedy, situation: Situation) -> Change | None:
    """It does not keep to a limit, be it the script's own."""
    failed = situation.attempt.failed
    limited = situation.orders.memory_limit_bytes is not None
    if limited or (failed is not None and failed.limited):
        return None
    return _set_variables(remedy, situation)


def _wait_for_memory(remedy: Remedy, situation: Situation) -> Change | None:
    needed_bytes = situation.orders.memory_limit_bytes
    if has_room(situation.machine.gpus, needed_bytes, remedy.free_share):
        return None
    return Change(situation.orders, "It starts again once the memory is free")


def _leave_out_gpu(remedy: Remedy, situation: Situation) -> Change | None:
    found = leave_out_sick_gpus(situation.machine, situation.attempt.xids, any_xid=remedy.any_xid)
    if found is None:
        return None
    environment, named = found
    return Change(
        _add_environment(situation.orders, environment),
        f"It starts again without {named}",
        " With fewer GPUs, sums are computed in another order, which changes the last digits.",
    )


def _jit_off(_: Remedy, situation: Situation) -> Change | None:
    failed = situation.attempt.failed
    if situation.orders.jit_off or (failed is not None and failed.mode == "graph"):
        return None
    return Change(
        msgspec.structs.replace(situation.orders, jit_off=True), "It starts again without XLA"
    )


def _mixed_precision(_: Remedy, situation: Situation) -> Change | None:
    if situation.orders.mixed_precision or not situation.machine.gpus:
        return None
    return Change(
        msgspec.structs.replace(situation.orders, mixed_precision=True),
        "It starts again with mixed precision",
    )


def _planned_restart(_: Remedy, situation: Situation) -> Change:
    return Change(situation.orders, "It starts again in a fresh process")


def _add_environment(orders: Orders, environment: dict[str, str]) -> Orders:
    return msgspec.structs.replace(orders, environment={**orders.environment, **environment})


def _clears_with_restart(attempt: PastAttempt) -> bool:
    meanings = [knowledge().xids.find(xid.number) for xid in attempt.xids]
    return all(meaning is not None and meaning.action in _CLEARED for meaning in meanings)


_ACTIONS: dict[Action, Callable[[Remedy, Situation], Change | None]] = {
    "restart": _restart,
    "recompute": _recompute,
    "smaller-micro-batch": _smaller_micro_batch,
    "other-allocator": _other_allocator,
    "wait-for-memory": _wait_for_memory,
    "leave-out-gpu": _leave_out_gpu,
    "jit-off": _jit_off,
    "mixed-precision": _mixed_precision,
    "planned-restart": _planned_restart,
}
