"""What to do when a training has died, one row a cause: what to try, how often, when to stop."""

from collections.abc import Iterable
from functools import cached_property
from typing import Literal, get_args

import msgspec

from fitguard.knowledge.table import Table
from fitguard.schema.diagnosis import CauseSlug
from fitguard.schema.run import Action, Outcome


class Remedy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing to try.

    Args:
        times: How often, until the training gets further than before.
        wait_seconds: Before the next attempt; twice as long each time.
        changes_results: Only with `--allow` and the name of the action.
        environment: Variables to set. One that the user has set stays as it is.
        after_steps: Only where the attempt has made steps: what fails at the start fails again.
        cleared_by_restart: Only where NVIDIA's catalogue says of each Xid that was logged that
            starting the program again clears it.
        any_xid: To leave out a GPU, any Xid is enough; else only one that no program can bring
            about.
        free_share: Of the memory of each GPU, to wait for.
    """

    action: Action
    times: int = 1
    wait_seconds: float = 0.0
    changes_results: bool = False
    environment: dict[str, str] = {}
    after_steps: bool = False
    cleared_by_restart: bool = False
    any_xid: bool = False
    free_share: float = 0.0


class PolicyRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to do about one cause.

    Args:
        outcome: The row holds only for attempts that ended so; empty for all others.
        fallout: The row holds only where another worker failed first, whatever the outcome.
        like: The cause whose row holds here too.
        tries: In this order. None: stop at once.
        stop: Why no further attempt is made, once all has been tried.
        only_at_start: It cannot be the cause once steps have been made; then `unknown` holds.
        from_outside: It says nothing of the step at which it came: another try there may succeed.
        probe: What is probed before the training starts again: `gpus`, where it sees some;
            `machine`, the processor too where it sees none.
        elsewhere: Where a fleet starts it again once it was given up here: on another `card`, on
            another `node`, or on a `whole` card; empty for nowhere.
    """

    cause: CauseSlug
    outcome: Outcome | Literal[""] = ""
    fallout: bool = False
    like: CauseSlug | Literal[""] = ""
    tries: tuple[Remedy, ...] = ()
    stop: str = ""
    only_at_start: bool = False
    from_outside: bool = False
    probe: Literal["", "gpus", "machine"] = ""
    elsewhere: Literal["", "card", "node", "whole"] = ""
    source: str


class Policy:
    """Finds the row of a cause.

    Args:
        rows: Those of the table, unless told otherwise.

    Raises:
        ValueError: where a cause has no row, or a row says something that cannot be.
    """

    def __init__(self, rows: Iterable[PolicyRow] | None = None) -> None:
        found = self.table.rows if rows is None else tuple(rows)
        for row in found:
            _check(row)
        usual = [row for row in found if not row.fallout]
        self._rows: dict[tuple[str, str], PolicyRow] = {
            (row.cause, row.outcome): row for row in usual
        }
        self._of_fallout: dict[str, PolicyRow] = {row.cause: row for row in found if row.fallout}
        if len(self._rows) + len(self._of_fallout) < len(found):
            raise ValueError("Received two rows for one cause and outcome. Expected one of each.")
        missing = [cause for cause in get_args(CauseSlug) if (cause, "") not in self._rows]
        if missing:
            raise ValueError(
                f"Received no row for {', '.join(missing)}. Expected one without an outcome for "
                "each cause of schema/diagnosis.py."
            )

    @cached_property
    def table(self) -> Table[PolicyRow]:
        """All rows."""
        return Table("policy", PolicyRow)

    def row(self, cause: str, outcome: str, *, fallout: bool = False) -> PolicyRow:
        """What holds for an attempt that ended so; a cause without a name is unknown.

        Args:
            fallout: Whether another worker failed first.
        """
        if fallout and cause in self._of_fallout:
            return self._of_fallout[cause]
        named = cause if cause in get_args(CauseSlug) else "unknown"
        passed: list[str] = []
        while True:
            row = self._rows.get((named, outcome)) or self._rows[(named, "")]
            if not row.like:
                return row
            passed.append(named)
            if row.like in passed:
                raise ValueError(f"Received rows that are like each other: {', '.join(passed)}.")
            named = row.like

    def row_of_fallout(self, cause: str) -> PolicyRow | None:
        """What holds where another worker failed first, if that is something else."""
        return self._of_fallout.get(cause)

    def outcomes(self, cause: str) -> tuple[Outcome, ...]:
        """The outcomes for which this cause has a row of its own."""
        return tuple(
            row.outcome for row in self._rows.values() if row.cause == cause and row.outcome
        )


def _check(row: PolicyRow) -> None:
    where = f"the row of {row.cause}" + (f" with outcome {row.outcome}" if row.outcome else "")
    if row.fallout and row.outcome:
        raise ValueError(f"Received {where} with `fallout`. Expected one of them only.")
    if bool(row.like) == bool(row.stop):
        raise ValueError(f"Received {where} with both or none of `like` and `stop`. Expected one.")
    if row.like and (row.tries or row.like == row.cause):
        raise ValueError(
            f"Received {where} with `like` and tries of its own. Expected `like` only."
        )
    for remedy in row.tries:
        if remedy.action == "stop":
            raise ValueError(f"Received the try `stop` in {where}. Expected the sentence `stop`.")
        if remedy.times < 1:
            raise ValueError(f"Received times = {remedy.times} in {where}. Expected 1 or more.")
