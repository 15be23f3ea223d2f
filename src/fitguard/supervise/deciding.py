"""What to do when an attempt has ended: pure, from what happened to what comes next.

The policy names, for each cause, what to try and how often. What was tried counts until the
training gets further: as soon as a snapshot holds more than before, a run has all its chances
again, so one that is killed each hour for a week comes to its end.
"""

from collections.abc import Mapping, Sequence

import msgspec

from fitguard.environment.machine import MachineView
from fitguard.knowledge import knowledge
from fitguard.knowledge.policy import PolicyRow, Remedy
from fitguard.schema.journal import OWN_FAULT, NotSplit, Orders
from fitguard.schema.probe import ProbeResult
from fitguard.schema.run import Action
from fitguard.supervise.attribution import find_row
from fitguard.supervise.past_attempts import PastAttempt
from fitguard.supervise.progress import count_recent_restarts, find_last_progress, has_same_end
from fitguard.supervise.remedies import Change, Situation, apply
from fitguard.supervise.sick_gpus import find_failures
from fitguard.supervise.wording import (
    choose_exit_code,
    describe_attempt,
    describe_failures,
    describe_not_split,
    describe_place,
    describe_refused,
    describe_restart,
    is_out_of_sight,
)

_LONGEST_PAUSE_SECONDS = 600.0
_SAME_END_ENOUGH = 2
_CREEPING_ENOUGH = 3

_NEEDS_A_GUARDED_FIT = ("gpu-oom", "gpu-fragmentation")
"""Causes whose remedy is a smaller micro-batch."""


class DecideOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the user allows.

    Args:
        max_attempts: Attempts in a row that get no further, until the run is given up.
        restarts_per_hour: More than so many, and it is given up although it gets on.
        allow: What may change results: remedies such as `jit-off`, and other words of `Allowed`.
        exact_only: None of them, whatever `allow` says, and no change of the GPUs.
        wait_seconds: How long to wait at most for memory that others hold.
        from_outside_only: Start again only after an end that came from outside.
    """

    max_attempts: int = 20
    restarts_per_hour: int = 60
    allow: tuple[str, ...] = ()
    exact_only: bool = False
    wait_seconds: float = 3600.0
    from_outside_only: bool = False


class Next(msgspec.Struct, frozen=True, kw_only=True):
    """What comes next.

    Args:
        action: What the journal calls it.
        stop: Whether no further attempt is made; `exit_code` is then that of the run.
        orders: For the next attempt, `orders.environment` included.
        wait_seconds: Before it starts. With `wait-for-memory`: at most so long, until
            `needed_share` of the memory of each GPU is free.
        text: One line: what happened, and what is done now.
        cause: That the decision rests on.
        explained: Whether the text tells what would help, by the numbers of this very training.
        probe: Whether the machine is to be probed first, and then decided again.
    """

    action: Action
    stop: bool = False
    exit_code: int = 0
    orders: Orders
    wait_seconds: float = 0.0
    needed_share: float = 0.0
    text: str
    cause: str = ""
    explained: bool = False
    changes_results: bool = False
    probe: bool = False


def decide(
    ends: Sequence[PastAttempt], orders: Orders, options: DecideOptions, machine: MachineView
) -> Next:
    """What to do after the last of these attempts, which died.

    Args:
        ends: As `list_past_attempts` gives them: at least one.
        orders: Those of the last attempt.
    """
    last = ends[-1]
    rows = [find_row(end, knowledge().policy) for end in ends]
    past = _Past(ends, rows)
    too_often = _explain_too_often(past, options)
    if too_often:
        return _stop(past, orders, too_often)
    if last.failed is not None and last.failed.remedy:
        return _stop(past, orders, last.failed.remedy)
    if options.from_outside_only and not past.row.from_outside:
        return _stop(past, orders, _explain_result(past))
    if failures := find_failures(machine.probed):
        return _leave_out_failed(past, Situation(last, orders, machine), options, failures)
    refused = [past.not_split.allow] if past.not_split and past.not_split.allow else []
    for remedy in past.row.tries:
        if past.is_used_up(remedy):
            continue
        change = apply(remedy, Situation(last, orders, machine))
        if change is None:
            continue
        if _is_allowed(remedy, options):
            return _join_probes(_go_on(past, options, remedy, change), past.row, machine)
        if remedy.changes_results:
            refused.append(remedy.action)
    return _stop(past, orders, _explain_stop(past, refused))


def _join_probes(following: Next, row: PolicyRow, machine: MachineView) -> Next:
    """Probes come before it; where they have passed, there is nothing to wait for."""
    if machine.probed is None:
        wanted = row.probe == "machine" or (row.probe == "gpus" and bool(machine.gpus))
        return msgspec.structs.replace(following, probe=wanted)
    waits = 0.0 if machine.probed.ok else following.wait_seconds
    return msgspec.structs.replace(following, wait_seconds=waits)


def _leave_out_failed(
    past: "_Past",
    situation: Situation,
    options: DecideOptions,
    failures: Mapping[str, ProbeResult],
) -> Next:
    """Whatever the policy would try: no training goes on where a probe fails."""
    remedy = Remedy(action="leave-out-gpu")
    change = apply(remedy, situation)
    if change is not None and _is_allowed(remedy, options):
        return _go_on(past, options, remedy, change)
    why = describe_failures(failures, forbidden=change is not None)
    return _stop(past, situation.orders, why)


def _explain_stop(past: "_Past", refused: list[str]) -> str:
    if past.last.outcome == "exited" and past.last.failed is not None and past.last.failed.error:
        return past.last.failed.error
    if past.last.failed is not None and past.last.failed.kind == OWN_FAULT:
        return "This is a fault of fitguard itself. See above."
    if is_out_of_sight(past.last) and past.row.cause in _NEEDS_A_GUARDED_FIT:
        return "Training that is not guarded cannot go on in less memory. See above for why."
    if past.not_split is not None and past.row.cause in _NEEDS_A_GUARDED_FIT:
        why = describe_not_split(past.not_split)
    else:
        why = past.row.stop
    room = f" {past.last.no_room}" if past.row.cause in _NEEDS_A_GUARDED_FIT else ""
    return why + room.rstrip() + describe_refused(refused)


def _explain_result(past: "_Past") -> str:
    failed = past.last.failed
    return failed.error if failed is not None and failed.error else "That is the result."


class _Past:
    """What was tried for the cause at hand since the training last got further.

    Args:
        rows: Of the policy, one for each end.
    """

    def __init__(self, ends: Sequence[PastAttempt], rows: Sequence[PolicyRow]) -> None:
        self.ends = ends
        self.last = ends[-1]
        self.row = rows[-1]
        since = find_last_progress(ends)
        self.stalled = len(ends) - since
        alike = [n for n, row in enumerate(rows) if row is self.row]
        self._tried = [ends[n].action for n in alike if since <= n < len(ends) - 1]
        self.repeats = not self.row.from_outside and self._ends_the_same(alike, since)

    def _ends_the_same(self, alike: Sequence[int], since: int) -> bool:
        """Two with the same orders ended at the same step, and nothing was saved in between.

        Or three, however much they saved on their way there.
        """
        same = [n for n in alike if has_same_end(self.ends[n], self.last)]
        return sum(n >= since for n in same) >= _SAME_END_ENOUGH or len(same) >= _CREEPING_ENOUGH

    @property
    def not_split(self) -> NotSplit | None:
        """Why the batch stays whole, where smaller parts of it would help."""
        splits = any(remedy.action == "smaller-micro-batch" for remedy in self.row.tries)
        return self.last.not_split if splits else None

    def count_tries(self, remedy: Remedy) -> int:
        return self._tried.count(remedy.action)

    def is_used_up(self, remedy: Remedy) -> bool:
        unchanged = remedy.action in ("restart", "planned-restart") and not remedy.environment
        return self.count_tries(remedy) >= remedy.times or (unchanged and self.repeats)


def _explain_too_often(past: _Past, options: DecideOptions) -> str:
    """Why it ends, whatever could still be tried; empty where it need not."""
    if past.stalled >= options.max_attempts:
        if past.last.soak:
            return "It starts again only once."
        saved = describe_place(past.last.saved, end=past.last.saved_end)
        return f"{past.stalled} attempts got no further than {saved}."
    count = count_recent_restarts(past.ends)
    if count >= options.restarts_per_hour:
        return f"{count} attempts within one hour are too many."
    return ""


def _is_allowed(remedy: Remedy, options: DecideOptions) -> bool:
    if options.exact_only and (remedy.changes_results or remedy.action == "leave-out-gpu"):
        return False
    return not remedy.changes_results or remedy.action in options.allow


def _go_on(past: _Past, options: DecideOptions, remedy: Remedy, change: Change) -> Next:
    waits = remedy.action == "wait-for-memory"
    pause = min(remedy.wait_seconds * 2 ** past.count_tries(remedy), _LONGEST_PAUSE_SECONDS)
    wait_seconds = options.wait_seconds if waits else pause
    happened = describe_attempt(past.last, past.row.cause)
    return Next(
        action=remedy.action,
        orders=msgspec.structs.replace(
            change.orders,
            attempt=past.last.number + 1,
            micro_batches=_remember_rows(past.last, change.orders, remedy),
            recompute=_remember_shares(past.last, change.orders),
        ),
        wait_seconds=wait_seconds,
        needed_share=remedy.free_share,
        text=f"{happened}. {change.text}{describe_restart(past.last)}{change.note}",
        cause=past.row.cause,
        changes_results=remedy.changes_results,
    )


def _remember_rows(last: PastAttempt, orders: Orders, remedy: Remedy) -> dict[str, int]:
    """Parts stay as they were in the attempt, unless they are what did not fit."""
    if remedy.action == "smaller-micro-batch" or last.micro_batch is None:
        return orders.micro_batches
    return orders.micro_batches | {str(last.last.fit): last.micro_batch}


def _remember_shares(last: PastAttempt, orders: Orders) -> dict[str, float]:
    """What the child has found out need not be found out again; what was decided now is newer."""
    found = {str(fit): share for fit, share in last.shares.items()}
    decided = {
        fit: share for fit, share in orders.recompute.items() if found.get(fit, 1) is not None
    }
    return {fit: share for fit, share in (found | decided).items() if share is not None}


def _stop(past: _Past, orders: Orders, why: str) -> Next:
    same = "again" if past.last.after_fit else "again, at the same step"
    repeated = f" {same}" if past.repeats else ""
    return Next(
        action="stop",
        stop=True,
        exit_code=choose_exit_code(past.last),
        orders=orders,
        text=f"{describe_attempt(past.last, past.row.cause)}{repeated}. fitguard stops here: {why}",
        cause=past.row.cause,
        explained=bool(past.last.no_room),
    )
