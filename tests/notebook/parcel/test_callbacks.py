"""Stock callbacks go over, and come back with what they learned, before and after a training."""

import numpy as np
import pytest
from notebook.parcel.sending import Sent

X = np.random.default_rng(0).random((20, 4)).astype("float32")
Y = X.sum(axis=1, keepdims=True)


KINDS = {
    "stopping": lambda stock, _: stock.EarlyStopping("loss", restore_best_weights=True),
    "slower": lambda stock, _: stock.ReduceLROnPlateau("loss", patience=1),
    "checkpoint": lambda stock, folder: stock.ModelCheckpoint(folder / "best.keras", "loss"),
    "table": lambda stock, folder: stock.CSVLogger(str(folder / "log.csv"), append=True),
    "rate": lambda stock, _: stock.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1)),
    "own": lambda stock, _: stock.LambdaCallback(on_epoch_end=print),
    "backup": lambda stock, folder: stock.BackupAndRestore(str(folder / "backup")),
}


@pytest.mark.parametrize("name", KINDS)
def test_trained_over_there_and_here_again(name, tmp_path):
    import keras

    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile(loss="mse")
    callback = KINDS[name](keras.callbacks, tmp_path)
    for folder in ("first", "second"):
        sent = Sent([model, callback], tmp_path / folder)
        other, received = sent.value
        other.fit(X, Y, epochs=2, verbose=0, callbacks=[received])
        assert sent.back([other, received])[1] is callback
        assert callback.model is model
    if name == "stopping":
        assert all(map(np.array_equal, callback.best_weights, received.best_weights))
    if name in ("stopping", "slower"):
        assert callback.best == received.best < np.inf


def test_tensorboard_goes_over(tmp_path):
    import keras

    board = keras.callbacks.TensorBoard(str(tmp_path / "board"), histogram_freq=2)
    received = Sent(board, tmp_path).value
    assert (received.log_dir, received.histogram_freq) == (board.log_dir, 2)
