"""What the training process writes into the folder of its run, and when it does so no more."""

import os
from pathlib import Path

import numpy as np
import pytest
from guarded.attempts import session_in

from fitguard.keras.session import Session
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.monitor.lease_files import Lease, create_lease, lease_path
from fitguard.schema.exit_codes import ExitCode
from fitguard.schema.journal import Logged
from fitguard.schema.run import Place


def record(session):
    session.record(Logged, place=Place(), logs={"loss": 1.0})


def save(session):
    store = SnapshotStore(session.folder.snapshots, permit=session.require_lease)
    store.save(Content({}, {"weights": np.zeros(3)}), Place(fit=1, total_steps=2))


@pytest.mark.parametrize("write", [record, save])
def test_it_leaves_at_once_where_another_host_goes_on_with_the_run(write, tmp_path, capfd):
    session = session_in(tmp_path / "run", lease=1)
    folder = session.folder.path
    create_lease(lease_path(folder, 1), Lease(number=1))
    write(session)
    before = list_written(folder)
    assert before
    create_lease(lease_path(folder, 2), Lease(number=2))
    pid = os.fork()
    if pid == 0:
        write(Session.of(session.folder))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == ExitCode.FITGUARD_FAILED
    assert "another process goes on with the run run" in capfd.readouterr().err
    assert list_written(folder) == before


def list_written(folder: Path) -> dict[str, bytes]:
    """Journal and snapshots; what has no name of its own yet does not count."""
    names = ("*.jsonl", "snapshots/*.snapshot")
    return {path.name: path.read_bytes() for name in names for path in folder.glob(name)}
