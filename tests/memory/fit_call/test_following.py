"""Scripts that go on after a `fit` which did not train."""

import math
import sqlite3
import tempfile

import pytest

from fitguard.memory.fit_call import pretending, read_fit, visit_fits
from fitguard.schema.exit_codes import UsageError


def test_both_phases_of_transfer_learning_are_seen(followed):
    calls, ended = followed(
        """
        model = build()
        model.layers[0].trainable = False
        model.compile("adam", "mse", metrics=["mae", keras.metrics.RootMeanSquaredError()])
        history = model.fit(x, y, epochs=3, validation_split=0.5)
        assert len(history.history["val_loss"]) == len(history.epoch) == 3
        loss, mae, rmse = model.evaluate(x, y)
        assert "root_mean_squared_error" in model.evaluate(x, y, return_dict=True)
        assert loss != loss and model.history is history
        model.load_weights("best.weights.h5")
        model.layers[0].trainable = True
        model.compile("adam", "mse", jit_compile=True)
        model.fit(x, y, batch_size=4)
        """
    )
    assert ended == ""
    assert [call.number for call in calls] == [1, 2]
    assert [call.jit_compile for call in calls] == ["auto", True]
    assert calls[1].arguments["batch_size"] == 4
    assert int(calls[1].model.optimizer.iterations) == 0


def test_the_model_is_shown_as_it_is_at_the_call(script):
    seen = []

    def visit(call):
        seen.append(len(call.model.trainable_variables))
        return True

    file = script(
        "model = build()\nmodel.layers[0].trainable = False\nmodel.fit(x, y)\n"
        "model.layers[0].trainable = True\nmodel.fit(x, y)"
    )
    visit_fits(file, (), visit)
    assert seen == [0, 2]


def test_keras_works_while_a_call_is_looked_at(script):
    losses = []

    def visit(call):
        history = call.model.fit(call.arguments["x"], call.arguments["y"], verbose=0)
        losses.append(history.history["loss"][0])
        return True

    visit_fits(script("build().fit(x, y)\nbuild().fit(x, y)"), (), visit)
    assert len(losses) == 2
    assert not any(map(math.isnan, losses))


def test_nothing_of_the_users_is_written(followed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "best.keras").write_text("trained for days")
    (tmp_path / "log.csv").write_text("epoch,loss\n")
    calls, ended = followed(
        """
        import pathlib, tempfile
        model = build()
        model.fit(x, y)
        model.save("best.keras")
        model.save_weights("best.weights.h5")
        with open("log.csv", "a") as log:
            log.write("1,nan")
        assert pathlib.Path("loss.txt").write_text("nan") == 3
        np.save("loss.npy", np.ones(3))
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "a").write_text("b")
        model.fit(x, y)
        """
    )
    assert (len(calls), ended) == (2, "")
    assert {file.name for file in tmp_path.iterdir()} == {"train.py", "best.keras", "log.csv"}
    assert (tmp_path / "best.keras").read_text() == "trained for days"
    assert (tmp_path / "log.csv").read_text() == "epoch,loss\n"
    (tmp_path / "after").write_text("files are as ever")


@pytest.mark.parametrize(
    ("library", "file"), [("keras", "two.keras"), ("keras", "two.h5"), ("tf_keras", "two.keras")]
)
def test_what_was_saved_can_be_loaded(followed, tmp_path, monkeypatch, library, file):
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_text("of another training")
    calls, ended = followed(
        f"""
        from {library}.models import load_model
        model = build()
        model.fit(x, y)
        model.save({file!r})
        del model
        model = load_model({file!r}, compile={file.endswith(".keras")})
        model.fit(x[:9], y[:9])
        """,
        library=library,
        settings='metrics=["mae"]',
    )
    assert (len(calls), ended) == (2, "")
    assert calls[1].metrics == (("loss", "mae") if file.endswith(".keras") else ())
    assert calls[0].model is not calls[1].model
    assert (tmp_path / file).read_text() == "of another training"


def test_what_a_checkpoint_or_python_wrote_can_be_read(followed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls, ended = followed(
        """
        checkpoint = keras.callbacks.ModelCheckpoint("ck/best.keras", save_best_only=True)
        build().fit(x, y, callbacks=[checkpoint])
        np.save("labels.npy", y[:9])
        model = keras.models.load_model("ck/best.keras")
        model.fit(x[:9], np.load("labels.npy"))
        """
    )
    assert (len(calls), ended) == (2, "")
    assert [file.name for file in tmp_path.iterdir()] == ["train.py"]


def test_files_that_were_open_before_are_not_written_to(followed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("appended.log", "changed.bin", "cut.txt"):
        (tmp_path / name).write_text("kept")
    calls, ended = followed(
        """
        import os, sqlite3
        appended, changed = open("appended.log", "a"), open("changed.bin", "r+b")
        cut = os.open("cut.txt", os.O_RDWR)
        base = sqlite3.connect("base.db")
        base.execute("create table t(a)")
        base.execute("insert into t values(1)")
        base.commit()
        model = build()
        model.fit(x, y)
        appended.write("lost"), appended.flush()
        changed.write(b"LOST"), changed.flush()
        os.ftruncate(cut, 0), os.write(cut, b"x")
        base.execute("delete from t"), base.commit()
        model.fit(x, y)
        """
    )
    assert (len(calls), ended) == (2, "")
    for name in ("appended.log", "changed.bin", "cut.txt"):
        assert (tmp_path / name).read_text() == "kept"
    with sqlite3.connect(tmp_path / "base.db") as base:
        assert base.execute("select a from t").fetchall() == [(1,)]


def test_a_file_that_is_mapped_for_writing_ends_it(followed, tmp_path, monkeypatch):
    (tmp_path / "aside").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "aside"))
    kept = tmp_path / "kept.bin"
    kept.write_bytes(bytes(64))
    calls, ended = followed(
        f"held = np.memmap({str(kept)!r}, 'float32', 'r+')\nbuild().fit(x, y)\nheld[:] = 7"
    )
    assert len(calls) == 1
    assert "kept.bin mapped into memory" in ended
    assert kept.read_bytes() == bytes(64)
    assert not any((tmp_path / "aside").iterdir())


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import h5py; h5py.File(FILE, 'a')", "it would write an HDF5 file (h5py.File)"),
        (
            "import tensorflow as tf; tf.io.write_file(FILE, 'x')",
            "write a file (tf.io.write_file)",
        ),
        ("import tensorflow as tf; tf.io.gfile.GFile(FILE, 'w')", "it would write a file"),
        ("import tensorflow as tf; tf.io.gfile.remove(FILE)", "it would remove a file"),
        ("import tensorflow as tf; tf.data.Dataset.range(3).cache(FILE)", "tf.data.Dataset.cache"),
        ("import sqlite3; sqlite3.connect(FILE)", "it would open a database"),
        ("import os; os.remove(FILE)", "it would remove kept.txt"),
        ("import os; os.fork()", "it would start another program"),
        ("import os; os.kill(os.getppid(), 0)", "it would send a signal"),
        ("import multiprocessing as m; m.get_context('spawn').Process().start()", "another proc"),
        ("import os; os.replace(FILE, FILE + '2')", "it would rename kept.txt"),
        ("import subprocess; subprocess.run(['true'])", "it would start another program"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "it would use the network"),
        ("try:\n    import os; os.remove(FILE)\nexcept:\n    os.remove(FILE)", "it would remove"),
    ],
)
def test_what_cannot_be_undone_ends_it(followed, tmp_path, code, why):
    kept = tmp_path / "kept.txt"
    kept.write_text("a")
    calls, ended = followed(
        f"FILE = {str(kept)!r}\nmodel = build()\nmodel.fit(x, y)\n{code}\nmodel.fit(x, y)"
    )
    assert len(calls) == 1
    assert why in ended
    assert kept.read_text() == "a"


def test_a_script_that_needs_the_result_is_left_there(followed):
    calls, ended = followed(
        """
        model = build()
        model.fit(x, y)
        keras.models.load_model("nowhere.keras")
        model.fit(x, y)
        """
    )
    assert len(calls) == 1
    assert "nowhere.keras" in ended
    assert "line 15" in ended


def test_loops_over_batches_and_loops_of_its_own(followed):
    calls, ended = followed(
        """
        model = build()
        while True:
            loss = model.train_on_batch(x[:8], y[:8])
        """
    )
    assert len(calls) == 2
    assert "trains on single batches in a loop" in ended
    calls, ended = followed(
        """
        import tensorflow as tf
        model = build()
        model.fit(x, y)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x) ** 2)
        variables = model.trainable_variables
        model.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """
    )
    assert len(calls) == 1
    assert "line 19, where it trains in a loop of its own" in ended


def test_what_takes_long_is_left(followed, monkeypatch):
    monkeypatch.setattr(pretending, "FOLLOW_SECONDS", 0.2)
    _, ended = followed("import time\nbuild().fit(x, y)\nwhile True:\n    time.sleep(0.01)")
    assert "it takes longer than" in ended


def test_a_call_by_its_number(found, script):
    code = "for size in (4, 8):\n    build().fit(x, y, batch_size=size)"
    assert found(code, number=2).arguments["batch_size"] == 8
    with pytest.raises(UsageError, match=r"--fit 3, but train\.py has 2 calls of fit"):
        read_fit(script(code), (), number=3)


def test_a_function_that_calls_fit_itself_does_not_train(script):
    file = script(
        "def main():\n    model = build()\n    model.fit(x, y, batch_size=7)\n    return model"
    )
    call = read_fit(f"{file}:main", ())
    assert (call.arguments["batch_size"], call.line) == (7, 14)
    assert int(call.model.optimizer.iterations) == 0
