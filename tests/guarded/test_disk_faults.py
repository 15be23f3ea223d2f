"""A disk that fails below the parent and the child of a run, and is well again."""

import time

import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.preloaded_disk import FAULTS, PreloadedDisk, compile_disk
from guarded.results import difference

from fitguard.schema.journal import SnapshotWritten

OFTEN = ("--snapshot-seconds", 0.05)
HITS = 30


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_disk(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    out = tmp_path_factory.mktemp("plain") / "plain.npz"
    ended = run_plain("several_fits.py", out)
    assert ended.code == 0, ended.text
    return out


@pytest.mark.soak
@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_outlives_it(fault, library, plain, tmp_path):
    disk = PreloadedDisk(library, tmp_path / "runs", tmp_path / "orders")
    with GuardedRun(
        tmp_path, "several_fits.py", options=OFTEN, environment=disk.environment
    ) as run:
        child = run.next_child()
        assert child.wait_for(lambda: child.beat().saved_steps > 0)
        disk.fail(fault)
        failed = child.wait_for(lambda: disk.hits >= HITS)
        good = {path.name for path in run.folder.snapshots.glob("*.snapshot")}
        mended = time.time()
        disk.mend()
        ended = run.wait()
    assert failed, "the training was over before the disk failed often"
    assert good
    assert ended.code == 0, ended.text
    assert difference(plain, run.out) == ""
    assert ended.text.count("a snapshot could not be written") <= 1
    later = [event for event in run.events(SnapshotWritten) if event.time > mended]
    assert later, "no snapshot was written after the disk was well again"
