"""`fitguard runs prune`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from fitguard.cli.runs import RunsFolder
from fitguard.cli.whole_numbers import WHOLE
from fitguard.monitor.run_folder import RUNS
from fitguard.schema.exit_codes import ExitCode
from fitguard.words import count, size

if TYPE_CHECKING:
    from fitguard.supervise.pruning import PrunedRun


def prune(
    *runs: Annotated[
        str, Parameter(name="ID", help="Runs to remove, by id or a part that no other has.")
    ],
    older_than: Annotated[
        str | None, Parameter(help="Nothing happened in it for so long: 30d, 12h, 2w.")
    ] = None,
    larger_than: Annotated[str | None, Parameter(help="Its folder takes more: 5GB.")] = None,
    keep: Annotated[int | None, WHOLE, Parameter(help="The newest so many stay.")] = None,
    finished: Annotated[
        bool, Parameter(negative="", help="Only runs whose script came to its end.")
    ] = False,
    dry_run: Annotated[
        bool, Parameter(negative="", help="Remove nothing; print what would go.")
    ] = False,
    runs_folder: RunsFolder = Path(RUNS),
) -> int:
    """Remove runs that you no longer need, with their snapshots and reports.

    Runs that you name are removed. Of the others, those are removed that meet all conditions you
    give. A run that is running is never removed. The newest run that is not finished is removed
    only if you name it.

    For example:

        fitguard runs prune --older-than 30d --finished --dry-run
        fitguard runs prune --keep 5
        fitguard runs prune 20261115-142500-train-4f2a
    """
    from fitguard.report.privacy.redaction import clean
    from fitguard.supervise.pruning import prune_runs

    pruned = prune_runs(
        *runs,
        runs_folder=runs_folder,
        older_than=older_than,
        larger_than=larger_than,
        keep=keep,
        finished=finished,
        dry_run=dry_run,
    )
    for one in pruned:
        sys.stdout.write(f"{clean(_describe(one, dry_run=dry_run))}\n")
    gone = [one for one in pruned if not one.why_not]
    freed = size(sum(one.disk_bytes for one in gone))
    verb = "would be removed" if dry_run else "removed"
    sys.stdout.write(f"{count(len(gone), 'run')} {verb}, {freed}\n")
    return ExitCode.FINE if len(gone) == len(pruned) else ExitCode.WRONG_USAGE


def _describe(one: "PrunedRun", *, dry_run: bool) -> str:
    verb = "would be removed" if dry_run else "removed"
    if one.why_not:
        verb = f"not removed, because {one.why_not}"
    return f"{one.id}  {one.state}, {size(one.disk_bytes)}: {verb}"
