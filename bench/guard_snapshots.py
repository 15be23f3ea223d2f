"""How long a training stands still for a snapshot, and what its writing takes beside it.

make bench
.venv/bin/python bench/guard_snapshots.py --mib 100 1000
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from guard import trainings

from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import SnapshotWritten

_SNAPSHOTS = 5


def main() -> None:
    """Measure and print; there is no target but the 2 % of all time that fitguard keeps to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, nargs="+", default=[100, 1000], help="of state")
    given = parser.parse_args()
    for mib in given.mib:
        with tempfile.TemporaryDirectory() as name:
            measure(Path(name), mib)


def measure(folder: Path, mib: int) -> None:
    """One training; its first snapshot has no memory of an earlier one."""
    apart = max(1.0, mib / 100)
    words = ("large_state.py", mib, _SNAPSHOTS * apart)
    options = ("--snapshot-seconds", str(apart))
    trainings.seconds(trainings.guarded(folder, *words, options=options), folder)
    (run,) = (path for path in (folder / "runs").iterdir() if path.is_dir())
    events = Journal(RunFolder(run).journal).read()
    written = [event for event in events if isinstance(event, SnapshotWritten)]
    size = statistics.median(event.bytes for event in written)
    first, *others = (event.taking_seconds for event in written)
    taking = min(others)
    writing = statistics.median(event.writing_seconds for event in written)
    print(
        f"{size / 1e6:.0f} MB: at best, the training stands still for {taking * 1e3:.0f} ms ("
        f"{size / taking / 1e9:.1f} GB/s), {statistics.median(others) * 1e3:.0f} ms in the median, "
        f"{first * 1e3:.0f} ms for the first one; written in {writing:.2f} s beside it; "
        f"{len(written)} snapshots",
        flush=True,
    )


if __name__ == "__main__":
    main()
