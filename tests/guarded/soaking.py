"""One script, killed again and again: what came of it."""

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import msgspec
from guarded.harness import GuardedRun, run_plain
from guarded.killing import Killer, Kills, find_orphans
from guarded.preloaded_disk import PreloadedDisk
from guarded.results import difference

from fitguard.schema.journal import AnyEvent, FitBegan, SnapshotWritten

MOST_KILLS_A_RUN = 5
OFTEN = ("--snapshot-seconds", "0.1")
_RESULT = "guarded.npz"
_OF_TENSORFLOW = "__autograph_generated_file"
"""What it leaves in the temporary folder where it is killed."""
_NOTES_FILES = "files_"
"""Scripts that may only make a file once: a note of it that a full disk refuses, and a kill before
the disk is well again, are one too many."""
_OWN = ("runs", "output.txt", "disk", "disk.hits")
"""Of the run, and of the test."""


@dataclass
class Row:
    """All runs of one script."""

    runs: int = 0
    kills: int = 0
    parents: int = 0
    torn: int = 0
    repeated: int = 0
    disk_faults: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, other: "Row") -> None:
        """Sum up."""
        for name in ("runs", "kills", "parents", "torn", "repeated", "disk_faults", "faults"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def soak(folder: Path, kind: str, wanted: int, seed: str, library: Path) -> Row:
    """Run one script again and again until so many kills have hit it, or one did harm.

    Args:
        kind: The script, and its words.
    """
    row, random, plain = Row(), Random(f"{seed} {kind}"), folder / "plain"
    plain.mkdir(parents=True)
    script, *words = kind.split()
    ended = run_plain(f"{script}.py", plain / _RESULT, *words, **_private(plain))
    assert ended.code == 0, ended.text
    while row.kills < wanted and not row.faults:
        most = min(MOST_KILLS_A_RUN, wanted - row.kills)
        row.add(_soak_once(folder / str(row.runs), kind, most, random, library, plain))
    return row


def _soak_once(
    folder: Path, kind: str, most: int, random: Random, library: Path, plain: Path
) -> Row:
    folder.mkdir()
    disk = PreloadedDisk(library, folder / "runs", folder / "disk")
    environment = {**_private(folder), **disk.environment}
    script, *words = kind.split()
    with GuardedRun(folder, f"{script}.py", *words, options=OFTEN, environment=environment) as run:
        killer = Killer(run, random, None if kind.startswith(_NOTES_FILES) else disk)
        killer.kill(most)
        ended = run.wait()
        faults = [] if ended.code == 0 else [f"exit code {ended.code}: {ended.text[-900:]}"]
        faults = faults or _find_faults(folder, plain)
        if not disk.hits:
            faults += _find_lost(run.events())
        repeated = sum(attempt.steps_lost for attempt in run.record.attempts)
    kills: Kills = killer.kills
    return Row(
        runs=1,
        kills=kills.count,
        parents=kills.parents,
        torn=kills.torn,
        repeated=repeated,
        disk_faults=disk.hits,
        faults=[f"{kind} {folder} {kills.moments}: {fault}" for fault in faults],
    )


def _private(folder: Path) -> dict[str, str]:
    """What is written into the home and the temporary folder is seen."""
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    return {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}


def _find_faults(folder: Path, plain: Path) -> list[str]:
    found = []
    if different := difference(plain / _RESULT, folder / _RESULT):
        found.append(different)
    if orphans := find_orphans(folder):
        found.append(f"orphans: {orphans}")
    if more := _list_files(folder) - _list_files(plain):
        found.append(f"files outside of the run folder: {sorted(more)}")
    return found


def _find_lost(events: list[AnyEvent]) -> list[str]:
    """Attempts that began before a snapshot that was reported as written."""
    saved: dict[int, int] = {}
    lost = []
    for event in events:
        if isinstance(event, SnapshotWritten):
            saved[event.place.fit] = max(saved.get(event.place.fit, 0), event.place.total_steps)
        elif isinstance(event, FitBegan) and not event.restored:
            before = saved.get(event.place.fit, 0)
            if event.place.total_steps < before:
                lost.append(f"attempt {event.attempt} began at {event.place}, saved was {before}")
    return lost


def _list_files(folder: Path) -> set[str]:
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {
        str(path)
        for path in paths
        if path.parts[0] not in _OWN and not path.name.startswith(_OF_TENSORFLOW)
    }


def describe(rows: dict[str, Row]) -> str:
    """One line a script, and the sum."""
    names = ("runs", "kills", "of the parent", "in writing", "disk faults", "repeated", "identical")
    lines = ["".join([f"{'script':28}", *(f"{name:>15}" for name in names)])]
    for kind, row in {**rows, "all": total(rows.values())}.items():
        numbers = (row.runs, row.kills, row.parents, row.torn, row.disk_faults, row.repeated)
        identical = f"{row.runs - len(row.faults)} of {row.runs}"
        lines.append("".join([f"{kind:28}", *(f"{one:15}" for one in numbers), f"{identical:>15}"]))
    return "\n".join(lines)


def total(rows) -> Row:
    """All scripts together."""
    whole = Row()
    for row in rows:
        whole.add(row)
    return whole


def add_to_tally(tally: Path, rows: dict[str, Row]) -> dict[str, Row]:
    """Write a slice down; the sum of all slices so far."""
    with tally.open("ab") as file:
        file.write(msgspec.json.encode(rows) + b"\n")
    sums: dict[str, Row] = {}
    for line in tally.read_bytes().splitlines():
        for kind, row in msgspec.json.decode(line, type=dict[str, Row]).items():
            sums.setdefault(kind, Row()).add(row)
    return sums
