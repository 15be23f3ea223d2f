"""Files and backups of Keras' callbacks, with real ones."""

from pathlib import Path
from typing import Any

import pytest
from guarded.carrying import brought_back, kept

from fitguard.keras.state.callback_kinds import standing_back

LIBRARIES = ["keras", "tf_keras"]
HEADER = "epoch,loss,val_loss"


def library(name: str) -> Any:
    import keras
    import tf_keras

    return {"keras": keras, "tf_keras": tf_keras}[name]


def made(keras: Any) -> Any:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.5), "mse")
    return model


def begun(callback: Any, model: Any) -> Any:
    callback.set_params({"epochs": 3, "steps": 10, "verbose": 1})
    callback.set_model(model)
    callback.on_train_begin({})
    return callback


def log(callback: Any, *epochs: int) -> None:
    for epoch in epochs:
        callback.on_epoch_end(epoch, {"loss": epoch / 2, "val_loss": 1.0})


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("append", [False, True])
def test_rows_after_the_snapshot_are_cut_off(name: str, append: bool, tmp_path: Path) -> None:
    keras, path = library(name), tmp_path / "log.csv"
    path.write_text("of an earlier run\n")

    def logger() -> Any:
        return keras.callbacks.CSVLogger(str(path), append=append)

    old = begun(logger(), made(keras))
    log(old, 0, 1)
    content = kept([old])
    log(old, 2, 3)

    new = logger()
    with standing_back([new]):
        begun(new, made(keras))
    notes = brought_back([new], content)
    assert notes == []
    assert new.append is append
    log(new, 2)
    new.on_train_end()

    rows = path.read_text().split("\n")
    first = ["of an earlier run"] if append else [HEADER]
    assert rows == [*first, "0,0.0,1.0", "1,0.5,1.0", "2,1.0,1.0", ""]


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_snapshot_before_the_first_row(name: str, tmp_path: Path) -> None:
    keras, path = library(name), tmp_path / "log.csv"
    path.write_text("of an earlier run\n")
    old = begun(keras.callbacks.CSVLogger(str(path)), made(keras))
    content = kept([old])
    log(old, 0)

    new = keras.callbacks.CSVLogger(str(path))
    with standing_back([new]):
        begun(new, made(keras))
    assert brought_back([new], content) == []
    log(new, 0)

    assert path.read_text().split() == [HEADER, "0,0.0,1.0"]


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_end_of_a_fit_that_is_not_trained_again(name: str, tmp_path: Path) -> None:
    keras, path = library(name), tmp_path / "log.csv"
    old = begun(keras.callbacks.CSVLogger(str(path), append=True), made(keras))
    log(old, 0)
    old.on_train_end()
    content = kept([old])
    old.on_train_begin()
    log(old, 7)

    new = keras.callbacks.CSVLogger(str(path), append=True)
    assert brought_back([new], content) == []
    assert path.read_text().split() == [HEADER, "0,0.0,1.0"]
    begun(new, made(keras))
    log(new, 8)

    assert path.read_text().split() == [HEADER, "0,0.0,1.0", "8,4.0,1.0"]


def test_a_file_that_is_gone_is_made_again(tmp_path: Path) -> None:
    keras, path = library("keras"), tmp_path / "log.csv"
    old = begun(keras.callbacks.CSVLogger(str(path)), made(keras))
    log(old, 0)
    content = kept([old])
    new = begun(keras.callbacks.CSVLogger(str(path)), made(keras))
    path.unlink()

    assert brought_back([new], content) == []
    assert path.read_text().split() == [HEADER, "0,0.0,1.0"]


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    keras, path = library("keras"), tmp_path / "logs" / "log.csv"
    path.parent.mkdir()
    old = begun(keras.callbacks.CSVLogger(str(path)), made(keras))
    log(old, 0)
    content = kept([old])
    path.unlink()
    path.parent.rmdir()

    (note,) = brought_back([old], content)
    assert "CSVLogger could not go on with log.csv" in note


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("freq", ["epoch", "batch"])
def test_tensorboard_goes_on_counting_in_its_folder(name: str, freq: str, tmp_path: Path) -> None:
    keras = library(name)

    def board(folder: str) -> Any:
        return keras.callbacks.TensorBoard(
            str(tmp_path / folder), update_freq=freq, write_graph=False, profile_batch=0
        )

    old = begun(board("first"), made(keras))
    for batch in range(3):
        old.on_train_batch_begin(batch)
    content = kept([old])
    with old._train_writer.as_default():
        pass
    old.on_train_end()
    count = len(list((tmp_path / "first" / "train").iterdir()))

    new = begun(board("second"), made(keras))
    assert brought_back([new], content) == []
    new.on_train_batch_begin(3)
    with new._train_writer.as_default():
        pass
    new.on_train_end()

    assert new._global_train_batch == 4
    assert new.log_dir == str(tmp_path / "first")
    assert len(list((tmp_path / "first" / "train").iterdir())) > count


@pytest.mark.parametrize("name", LIBRARIES)
def test_backup_and_restore_stands_back(name: str, tmp_path: Path) -> None:
    keras = library(name)
    model = made(keras)
    backup = begun(keras.callbacks.BackupAndRestore(str(tmp_path / "backup")), model)
    backup.on_epoch_begin(0)
    backup.on_epoch_end(0)
    weights = [weight + 1 for weight in model.get_weights()]
    model.set_weights(weights)

    again = keras.callbacks.BackupAndRestore(str(tmp_path / "backup"))
    with standing_back([again]):
        begun(again, model)
    assert (model.get_weights()[0] == weights[0]).all()
    assert getattr(model, "_initial_epoch", None) is None
    again.on_epoch_begin(1)
    again.on_epoch_end(1)
    model.set_weights([weight * 0 for weight in weights])

    begun(keras.callbacks.BackupAndRestore(str(tmp_path / "backup")), model)
    assert (model.get_weights()[0] == weights[0]).all()


def test_weights_that_are_swapped_are_known_to_be() -> None:
    keras = library("keras")
    old, new = keras.callbacks.SwapEMAWeights(True), keras.callbacks.SwapEMAWeights(True)
    old._ema_weights_in_model = True

    assert brought_back([new], kept([old])) == []
    assert new._ema_weights_in_model
