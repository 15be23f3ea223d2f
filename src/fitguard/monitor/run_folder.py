"""Where a run keeps its files: `fitguard-runs/<id>/`."""

from dataclasses import dataclass
from pathlib import Path

from fitguard.monitor.regular_files import FOLDER_MODE, replace_file

RUNS = "fitguard-runs"
"""Folder of all runs, in the working directory unless told otherwise."""


def create_runs_folder(path: Path) -> None:
    """Make the folder of all runs, where there is none.

    Raises:
        OSError: where that cannot be done.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(FOLDER_MODE, exist_ok=True)
        # Snapshots are large, and nobody wants them in a repository.
        replace_file(path / ".gitignore", b"*\n")


@dataclass(frozen=True)
class RunFolder:
    """The files of one run.

    run.json        the document, made anew out of the journal after each event of the parent
    journal.jsonl   what happened, one event a line; only ever appended to
    output.log      the last megabytes of what the training wrote
    output.1.log    what output.log was before it was full; older than it
    flight/         the flight records: what was measured while it ran
    orders.json     what the next child is told
    heartbeat       how far the child is; where the memory is that parent and child share
    profiles/       traces that `--profile` took
    report.html     the page that `fitguard report` wrote
    stacks.txt      what all threads did when the child hung
    lock            held by the parent that guards the run
    lease.NUMBER    who that is, for other hosts: see lease_files.py
    snapshots/      the two newest, and the end of each finished `fit`; `aside` holds what is of
                    another script, or broken
    handed/         links to a snapshot that is being copied away
    after-snapshot.log
                    what the command that does so wrote last
    deeds.jsonl     what the attempts did to files and folders, one deed a line
    soak.json       how far `fitguard probe --level long` is, and what it found
    autotuned/      what XLA has found out about kernels: see supervise/autotuned
    files/          contents that may have to be put back, and what stood there when that was done
    """

    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def document(self) -> Path:
        return self.path / "run.json"

    @property
    def journal(self) -> Path:
        return self.path / "journal.jsonl"

    @property
    def output(self) -> Path:
        return self.path / "output.log"

    @property
    def older_output(self) -> Path:
        return self.path / "output.1.log"

    @property
    def orders(self) -> Path:
        return self.path / "orders.json"

    @property
    def heartbeat(self) -> Path:
        return self.path / "heartbeat"

    @property
    def report(self) -> Path:
        return self.path / "report.html"

    @property
    def stacks(self) -> Path:
        return self.path / "stacks.txt"

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def snapshots(self) -> Path:
        return self.path / "snapshots"

    @property
    def flight_records(self) -> Path:
        """A folder: `child.record` of the training process, `parent.record` of who guards it."""
        return self.path / "flight"

    @property
    def profiles(self) -> Path:
        return self.path / "profiles"

    @property
    def has_set_aside(self) -> bool:
        """Whether there are snapshots that only another version of the script can go on with."""
        return any((self.snapshots / "aside").glob("fit*"))

    @property
    def handed(self) -> Path:
        return self.path / "handed"

    @property
    def hook_log(self) -> Path:
        return self.path / "after-snapshot.log"

    @property
    def deeds(self) -> Path:
        return self.path / "deeds.jsonl"

    @property
    def soak(self) -> Path:
        return self.path / "soak.json"

    @property
    def autotuned(self) -> Path:
        return self.path / "autotuned"

    @property
    def files(self) -> Path:
        return self.path / "files"

    @property
    def kept_files(self) -> Path:
        return self.files / "kept"
