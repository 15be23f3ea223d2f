"""Where the workers of a gang meet: `fitguard-runs/<name>-gang/`, beside their own run folders.

    gang.json           what all have in common; the first worker writes it
    round-00007/        one round
        ready-1.json    worker 1 can begin it: its address, the snapshots that it has
        members.json    who trains in it; the first who writes it decides
        ended-1.json    how it ended for worker 1
        lost-1.json     worker 1 showed no sign of life any more, or came back from the dead
        wanted-1.json   what worker 1 wants all to do
        call.json       where all are to take a snapshot; only the first member writes it

Each file is written whole, and by one worker, but for `lost`, which says the same whoever writes
it, and `members`, which is written once. What cannot be read counts as not there: it may be on its
way.
"""

import contextlib
import os
import re
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from fitguard.monitor.regular_files import (
    UNDECODABLE,
    create_file,
    make_folder,
    read_regular,
    replace_file,
)
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.gang import Called, Ended, GangPlan, Members, Ready, Wanted

_FOLDER = "-gang"
_ROUND = re.compile(r"round-(\d{5,12})")
_FILE = re.compile(r"(ready|ended|lost|wanted)-(\d{1,6})\.json|(call)\.json")
_MEMBERS = "members.json"
_MOST_BYTES = 4 << 20
_KEPT_ROUNDS = 2
_YOUNG_SECONDS = 3600.0
_Told = TypeVar("_Told")
_FromWorker = TypeVar("_FromWorker", Ready, Ended, Wanted)


@dataclass(frozen=True)
class RoundState:
    """What the workers have told so far of one round, by worker.

    Args:
        members: Who trains in it; None as long as that is not settled. Then `ended` and `wanted`
            are theirs alone.
    """

    ready: dict[int, Ready] = field(default_factory=dict)
    ended: dict[int, Ended] = field(default_factory=dict)
    wanted: dict[int, Wanted] = field(default_factory=dict)
    called: Called | None = None
    members: Members | None = None

    @property
    def is_settled(self) -> bool:
        return self.members is not None

    def list_members(self, workers: int) -> tuple[int, ...]:
        """Who trains in it, as far as is known; `workers`: how many there are."""
        return self.members.workers if self.members is not None else tuple(range(workers))


@dataclass(frozen=True)
class RoundFolder:
    """The files of one round."""

    path: Path
    number: int
    workers: int

    def read(self) -> RoundState:
        """What was told so far; nothing where the folder is gone."""
        state, lost = RoundState(), RoundState()
        called = None
        for match in self._list_files():
            path = self.path / match[0]
            if match[3]:
                called = _read(path, Called)
            elif match[1] == "ready":
                self._keep(state.ready, _read(path, Ready), match[2])
            elif match[1] == "wanted":
                self._keep(state.wanted, _read(path, Wanted), match[2])
            else:
                into = state.ended if match[1] == "ended" else lost.ended
                self._keep(into, _read(path, Ended), match[2])
        members = self.read_members()
        ended, wanted = {**lost.ended, **state.ended}, state.wanted
        if members is not None:
            # Who does not train in it ends nothing, and has nothing to want.
            ended = {worker: ended[worker] for worker in ended if worker in members.workers}
            wanted = {worker: wanted[worker] for worker in wanted if worker in members.workers}
        return RoundState(state.ready, ended, wanted, called, members)

    def read_members(self) -> Members | None:
        """Who trains in it; None as long as that is not settled."""
        members = _read(self.path / _MEMBERS, Members)
        if members is None or not members.workers:
            return None
        ordered = tuple(sorted({*members.workers} & {*range(self.workers)}))
        return members if members.workers == ordered else None

    def settle(self, members: Members) -> None:
        """Write down who trains in it, unless somebody has: that counts.

        Raises:
            OSError: where it cannot be written.
        """
        with contextlib.suppress(FileExistsError):
            create_file(self.path / _MEMBERS, msgspec.json.encode(members))

    def _keep(self, into: dict[int, _FromWorker], told: _FromWorker | None, worker: str) -> None:
        """Each worker speaks for itself: what says otherwise is none of ours."""
        if told is not None and told.worker == int(worker) < self.workers:
            into[told.worker] = told

    def _list_files(self) -> list[re.Match[str]]:
        with contextlib.suppress(OSError):
            found = (_FILE.fullmatch(entry.name) for entry in os.scandir(self.path))
            return [match for match in found if match]
        return []

    def tell_ready(self, ready: Ready) -> None:
        _write(self.path / f"ready-{ready.worker}.json", ready)

    def tell_ended(self, ended: Ended) -> None:
        _write(self.path / f"ended-{ended.worker}.json", ended)

    def tell_lost(self, ended: Ended) -> None:
        _write(self.path / f"lost-{ended.worker}.json", ended)

    def want(self, wanted: Wanted) -> None:
        _write(self.path / f"wanted-{wanted.worker}.json", wanted)

    def call(self, called: Called) -> None:
        _write(self.path / "call.json", called)


@dataclass(frozen=True)
class GangFolder:
    """The files of one gang.

    Args:
        runs_folder: That of all runs, which all workers see.
    """

    runs_folder: Path
    name: str

    @property
    def path(self) -> Path:
        return self.runs_folder / f"{self.name}{_FOLDER}"

    @property
    def plan(self) -> Path:
        return self.path / "gang.json"

    def find_worker(self, worker: int) -> RunFolder:
        """The run folder of one worker."""
        return RunFolder(self.runs_folder / name_worker(self.name, worker))

    def read_plan(self) -> GangPlan | None:
        """What all have in common; None where nobody has written it yet."""
        return _read(self.plan, GangPlan)

    def create_plan(self, plan: GangPlan) -> bool:
        """Write what all have in common; False where somebody else was first.

        Raises:
            OSError: where it cannot be written.
        """
        make_folder(self.path, self.runs_folder)
        try:
            create_file(self.plan, msgspec.json.encode(plan))
        except FileExistsError:
            return False
        return True

    def find_round(self) -> int:
        """The newest round; 0 where there was none."""
        return max(self._list_rounds(), default=0)

    def find_members(self, before: int, workers: int) -> Members | None:
        """Who trained in the last round before this one that was settled."""
        for number in sorted(self._list_rounds(), reverse=True):
            if number < before:
                members = self.open_round(number, workers).read_members()
                if members is not None:
                    return members
        return None

    def _list_rounds(self) -> list[int]:
        with contextlib.suppress(OSError):
            found = (_ROUND.fullmatch(entry.name) for entry in os.scandir(self.path))
            return [int(match[1]) for match in found if match]
        return []

    def open_round(self, number: int, workers: int, *, create: bool = False) -> RoundFolder:
        """One round; where it is made, those that nobody needs any more are removed.

        Raises:
            OSError: where it cannot be made.
        """
        folder = RoundFolder(self.path / f"round-{number:05d}", number, workers)
        if create:
            make_folder(folder.path, self.runs_folder)
            self._remove_before(number - _KEPT_ROUNDS)
        return folder

    def _remove_before(self, number: int) -> None:
        """Remove old rounds; the last settled one stays: it tells who has what is newest."""
        newest_first = sorted(self._list_rounds(), reverse=True)
        paths = {one: self.path / f"round-{one:05d}" for one in newest_first}
        settled = (one for one in newest_first if (paths[one] / _MEMBERS).exists())
        kept = next(settled, number)
        for one, path in paths.items():
            if one < number and one != kept and path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)


def name_worker(gang: str, worker: int) -> str:
    """The name of the run of one worker."""
    return f"{gang}-worker-{worker}"


def list_gangs(runs_folder: Path) -> list[tuple[float, GangPlan]]:
    """The gangs that met in a folder, with the time when each began, the newest first."""
    found = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(runs_folder):
            folder = GangFolder(runs_folder, entry.name.removesuffix(_FOLDER))
            plan = folder.read_plan() if entry.name.endswith(_FOLDER) else None
            if plan is not None and plan.name == folder.name:
                found.append((folder.plan.stat().st_mtime, plan))
    return sorted(found, key=lambda one: one[0], reverse=True)


def remove_deserted_gangs(runs_folder: Path) -> None:
    """Remove the folders of gangs whose workers have no runs any more, or never came."""
    for began, plan in list_gangs(runs_folder):
        folder = GangFolder(runs_folder, plan.name)
        workers = (folder.find_worker(number).path for number in range(plan.workers))
        # A young one may wait for its first worker.
        if time.time() - began > _YOUNG_SECONDS and not any(path.exists() for path in workers):
            shutil.rmtree(folder.path, ignore_errors=True)


def _read(path: Path, kind: type[_Told]) -> _Told | None:
    with contextlib.suppress(OSError, *UNDECODABLE):
        return msgspec.json.decode(read_regular(path, _MOST_BYTES), type=kind)
    return None


def _write(path: Path, told: msgspec.Struct) -> None:
    replace_file(path, msgspec.json.encode(told))
