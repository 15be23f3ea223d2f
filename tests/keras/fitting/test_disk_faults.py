"""A disk that fails in the middle of a training, and is well again."""

import pytest
from guarded.attempts import attempt, events
from guarded.faulty_disk import ERRORS, faulty

from fitguard.keras.snapshots.file import read_snapshot
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.schema.journal import SnapshotWritten

BROKEN = range(6, 11)
"""Steps of 15, after each of which a snapshot is written or fails."""


def breaking_callback(library, fits, disk, fault, seen):
    """Breaks the disk and mends it; `seen` gets the steps of the snapshots that are whole then."""

    class Breaking(library.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            del batch, logs
            fits.writer.wait()
            step = fits.outermost.place.total_steps
            before, disk.fault = disk.fault, fault if step in BROKEN else ""
            if before != disk.fault:
                files = sorted(fits.session.folder.snapshots.iterdir())
                places = [read_snapshot(path).document["place"] for path in files]
                seen.append([place["total_steps"] for place in places])

    return Breaking()


def plain(trainee):
    return trainee.fit()


@pytest.mark.parametrize("fault", [*ERRORS, "short", "slow"])
def test_the_training_goes_on_and_so_do_snapshots(
    keras_trainee, tmp_path, assert_same, capfd, fault
):
    expected, _ = keras_trainee.undisturbed(plain)
    folder, seen = tmp_path / "run", []
    with faulty(folder) as disk, attempt(folder, snapshot_seconds=0.0) as fits:
        breaking = breaking_callback(keras_trainee.library, fits, disk, fault, seen)
        keras_trainee.fit(callbacks=[breaking])
        fits.writer.wait()

    assert_same(keras_trainee.values(), expected)
    assert disk.hits > len(BROKEN)
    before, after = seen
    assert len(before) == 2
    assert (before == after) == (fault in ERRORS)
    said = capfd.readouterr().err
    assert said.count("a snapshot could not be written") == (fault in ERRORS)
    steps = [event.place.total_steps for event in events(fits, SnapshotWritten)]
    assert any(BROKEN.stop <= step < 15 for step in steps)
    newest = SnapshotStore(fits.session.folder.snapshots).newest()
    assert newest.document["end"]
