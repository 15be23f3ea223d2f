"""A killed process and a full disk, with real ones."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import programs

from fitguard.keras.snapshots.store import SnapshotStore

LOOP = """
import sys
from pathlib import Path
import numpy as np
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.schema.run import Place

store = SnapshotStore(Path(sys.argv[1]))
newest = store.newest()
step = newest.document["step"] if newest else 0
print("ready", flush=True)
while True:
    step += 1
    arrays = {str(i): np.full(100_000, step) for i in range(3)}
    store.save(Content({"step": step}, arrays), Place(fit=1, total_steps=step))
    print("saved", step, flush=True)
"""

FULL = """
import resource, sys
from pathlib import Path
import numpy as np
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.keras.snapshots.writer import SnapshotWriter
from fitguard.schema.run import Place

def submit(size):
    writer.submit(Content({}, {"x": np.ones(size)}), Place(fit=1, total_steps=size), 0.0)
    assert writer.wait(300)

writer = SnapshotWriter(
    SnapshotStore(Path(sys.argv[1])),
    on_written=lambda place, *_: print("written", place.total_steps, flush=True),
    on_failed=lambda place, error: print("failed", place.total_steps, error.errno, flush=True),
)
submit(10)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))
submit(100_000)
submit(20)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
submit(100_001)
"""


def test_a_killed_process_leaves_a_whole_snapshot(tmp_path: Path) -> None:
    before = 0
    for number in range(6):
        command = [sys.executable, "-c", LOOP, str(tmp_path)]
        child = programs.start(command, stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        assert [child.stdout.readline()[:5] for _ in range(2)] == [b"saved"] * 2
        time.sleep(0.017 * number)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()

        store = SnapshotStore(tmp_path)
        newest = store.newest()

        assert newest is not None
        assert not store.torn
        assert newest.document["step"] >= before + 2
        assert all((array == newest.document["step"]).all() for array in newest.arrays.values())
        assert len(list(tmp_path.iterdir())) <= 3
        before = newest.document["step"]


def test_a_full_disk_costs_the_snapshot_only(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    lines = ended.stdout.splitlines()
    assert ended.returncode == 0, ended.stderr
    assert lines[0] == "written 10"
    assert lines[1].startswith("failed 100000 ")
    assert lines[2:] == ["written 20", "written 100001"]
    assert not list(tmp_path.glob("*.part"))
