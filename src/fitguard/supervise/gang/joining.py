"""A run becomes a worker of a gang: all must mean the same training."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from fitguard.monitor.gang_folder import GangFolder
from fitguard.monitor.run_folder import create_runs_folder
from fitguard.monitor.trust import require_safe_parent, require_trusted
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.gang import GangPlan
from fitguard.supervise.claim import Claim, draw_seed
from fitguard.supervise.command import EXPECTED, Command
from fitguard.supervise.gang.member import GangMember
from fitguard.supervise.options import GangPlace, RunOptions

_WRITING_SECONDS = 2.0


@dataclass(frozen=True)
class Gang:
    """A gang that this run belongs to."""

    folder: GangFolder
    plan: GangPlan
    place: GangPlace
    options: RunOptions

    def enroll(self, claim: Claim, say: Callable[[str], None]) -> GangMember:
        """Take part in it; the run is claimed."""
        return GangMember(self.folder, self.plan, self.place, self.options, claim.record, say)


def join_gang(command: Command | None, place: GangPlace, options: RunOptions) -> Gang:
    """The gang of this name; the first worker makes it.

    Raises:
        UsageError: where it is of another size or command, or its folder cannot be written.
        UnreadableInput: where others could have written what the worker would obey.
    """
    runs_folder = options.runs_folder.absolute()
    folder = GangFolder(runs_folder, place.name)
    require_safe_parent(runs_folder, trust_folder=options.trust_folder)
    require_trusted(folder.path, trust_folder=options.trust_folder)
    plan = folder.read_plan()
    if plan is None:
        if command is None:
            raise UsageError(
                f"Received the gang {place.name}, which is none in {runs_folder}, and no command. "
                f"{EXPECTED}"
            )
        plan = _create(folder, place, command)
    _require_same(plan, place, command, folder)
    return Gang(folder, plan, place, options)


def _create(folder: GangFolder, place: GangPlace, command: Command) -> GangPlan:
    plan = GangPlan(
        name=place.name,
        workers=place.workers,
        command=command.as_given,
        seed=draw_seed(),
    )
    try:
        create_runs_folder(folder.runs_folder)
        if folder.create_plan(plan):
            return plan
    except OSError as error:
        raise UsageError(
            f"Received {folder.runs_folder} as the folder in which the gang {place.name} meets: "
            f"{error.strerror}. Expected one that all workers can write: "
            "fitguard run --runs-folder FOLDER …"
        ) from error
    until = time.monotonic() + _WRITING_SECONDS
    while time.monotonic() < until:
        if (found := folder.read_plan()) is not None:
            return found
        time.sleep(0.1)
    raise UnreadableInput(
        f"{folder.plan}: it cannot be read. Expected what the first worker of a gang writes. If "
        "the gang is to begin anew, remove it"
    )


def _require_same(
    plan: GangPlan, place: GangPlace, command: Command | None, folder: GangFolder
) -> None:
    if plan.workers != place.workers:
        raise UsageError(
            f"Received --workers {place.workers} for the gang {place.name}, which has "
            f"{plan.workers} ({folder.plan}). Expected --workers {plan.workers}, or another name"
        )
    if command is not None and plan.command != command.as_given:
        raise UsageError(
            f"Received `{' '.join(command.as_given)}` for the gang {place.name}, which was started "
            f"with `{' '.join(plan.command)}`. Expected the same command for all workers, or "
            "another name"
        )
