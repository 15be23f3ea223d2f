"""`read_fit` on scripts that train, or do not."""

import io
import subprocess
import sys
import threading
from multiprocessing.process import BaseProcess

import pytest

from fitguard.memory.fit_call import other_lines, read_fit
from fitguard.schema.exit_codes import UnreadableInput, UsageError

HEAD = 11
"""Lines in front of each script."""


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_the_call_with_its_arguments_by_name(found, library):
    call = found(
        """
        model = build()
        model.fit(x, y, 8, epochs=3, verbose=0)
        raise AssertionError("went on")
        """,
        library=library,
    )
    assert type(call.model).__module__.startswith(library + ".")
    assert call.method == "fit"
    assert call.arguments.keys() == {"x", "y", "batch_size", "epochs", "verbose"}
    assert (call.arguments["x"].shape, call.arguments["batch_size"]) == ((40, 4), 8)
    assert (call.line, call.notes) == (HEAD + 3, ())
    assert int(call.model.optimizer.iterations) == 0


def test_keras_trains_as_ever_afterwards(found):
    import numpy as np

    call = found("model = build()\nmodel.fit(x, y)")
    history = call.model.fit(np.ones((8, 4)), np.ones((8, 3)), verbose=0)
    assert history.history["loss"][0] > 0
    assert int(call.model.optimizer.iterations) == 1


def test_the_main_of_a_script(found, capsys):
    call = found(
        """
        import argparse

        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--size", type=int)
            model = build()
            print("printed")
            model.fit(x, y, batch_size=parser.parse_args().size)

        if __name__ == "__main__":
            sys.exit(main())
        """,
        *("--size", "16"),
    )
    assert call.arguments["batch_size"] == 16
    printed = capsys.readouterr()
    assert (printed.out, "printed" in printed.err) == ("", True)


def test_a_module_beside_the_script_calls_fit(found, tmp_path):
    (tmp_path / "trainer_beside.py").write_text("def go(model, x, y):\n    model.fit(x, y)\n")
    call = found("import trainer_beside\n\ntrainer_beside.go(build(), x, y)")
    assert call.line == HEAD + 3


def test_train_on_batch(found):
    call = found("model = build()\nfor _ in range(3):\n    model.train_on_batch(x[:10], y[:10])")
    assert (call.method, call.arguments["batch_size"]) == ("train_on_batch", 10)


def test_fit_of_a_subclass(found):
    call = found(
        """
        class Own(keras.Model):
            def __init__(self):
                super().__init__()
                self.layer = keras.layers.Dense(3)

            def call(self, x):
                return self.layer(x)

            def fit(self, data, **settings):
                return super().fit(*data, batch_size=5, **settings)

        model = Own()
        model.compile("sgd", "mse")
        model.fit((x, y), epochs=2)
        """
    )
    assert call.arguments.keys() == {"x", "y", "batch_size", "epochs"}


def test_where_the_others_are(found, tmp_path):
    call = found(
        """
        class Scaler:
            def fit(self, x):
                return x

        Scaler().fit(x)
        model = build()
        model.fit(
            x, y
        )
        model.fit(x, y, epochs=2)
        """
    )
    assert call.line == HEAD + 8
    assert other_lines(tmp_path / "train.py", call) == [HEAD + 11]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [("", "auto"), ("jit_compile=False", False), ("jit_compile=True", True)],
)
def test_what_compile_was_given(found, settings, expected):
    assert found("build().fit(x, y)", settings=settings).jit_compile == expected


@pytest.mark.parametrize(
    "code",
    [
        """
        try:
            build().fit(x, y)
        except:
            print("failed")
        history.missing
        """,
        """
        try:
            build().fit(x, y)
        finally:
            print("cleaned")
        """,
        """
        while True:
            try:
                build().fit(x, y)
            except:
                tried = True
        """,
        """
        try:
            build().fit(x, y)
        except BaseException:
            sys.exit(1)
        """,
    ],
    ids=["bare except", "finally", "endless", "exit"],
)
def test_scripts_that_catch_everything(found, code):
    tracing = sys.gettrace()
    assert found(code).method == "fit"
    assert sys.gettrace() is tracing


def test_fit_in_a_thread(found, capsys):
    hook = threading.excepthook
    call = found(
        """
        import threading

        worker = threading.Thread(target=lambda: build().fit(x, y), name="worker")
        worker.start()
        worker.join()
        """
    )
    assert call.line == HEAD + 4
    assert "in the thread worker" in call.notes[0]
    assert "Traceback" not in capsys.readouterr().err
    assert threading.excepthook is hook


def test_fit_in_a_child_process(found):
    """The script waits for an answer that never comes."""
    with pytest.raises(UsageError, match=rf"fit in a child process \(line {HEAD + 5}\)"):
        found(
            """
            import multiprocessing

            def train(answers):
                answers.put(model.fit(x, y))

            model = build()
            context = multiprocessing.get_context("fork")
            answers = context.Queue()
            context.Process(target=train, args=(answers,)).start()
            answers.get()
            """
        )


def test_a_loop_of_its_own(found):
    with pytest.raises(UsageError, match=f"loop of its own: line {HEAD + 6} gives gradients"):
        found(
            """
            import tensorflow as tf
            model = build()
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(x))
            model.optimizer.apply_gradients(
                zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
            )
            """
        )


def test_a_script_without_fit(found):
    with pytest.raises(UsageError, match=r"train\.py ends without a call of fit"):
        found("model = build()\nmodel.predict(x, verbose=0)")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("build(\n", r"SyntaxError: '\(' was never closed"),
        ("1 / 0\n", r"ZeroDivisionError: division by zero\n  line 1: 1 / 0"),
        ("raise SystemExit(3)\n", r"SystemExit: 3\n  line 1"),
        ("import nowhere_at_all\n", r"ModuleNotFoundError"),
    ],
)
def test_scripts_that_fail_before(found, code, message):
    with pytest.raises(UnreadableInput, match=rf"train.py raised {message}"):
        found(code, bare=True)


@pytest.mark.parametrize("code", ["sys.exit(0)", "sys.exit()", "raise SystemExit"])
def test_a_script_that_ends_by_itself(found, code):
    told = rf"train\.py ends by itself, with exit code 0, before it calls fit \(line {HEAD + 1}: "
    with pytest.raises(UsageError, match=told):
        found(code)


def test_wrong_arguments_are_the_scripts_own_error(found):
    with pytest.raises(UnreadableInput, match=r"TypeError.*batchsize"):
        found("build().fit(x, y, batchsize=3)")


def test_no_such_file(tmp_path):
    with pytest.raises(UnreadableInput, match=r"absent.py, which is no file"):
        read_fit(str(tmp_path / "absent.py"), ())


FRESH = """
import sys
from pathlib import Path
from fitguard.memory.fit_call import read_fit

call = read_fit(sys.argv[1], ())
print(call.line, type(call.model).__module__.split(".")[0], sys.argv[1:], __name__)
"""


def test_libraries_that_the_script_itself_loads(tmp_path):
    """Nothing of TensorFlow is loaded before: the script may still choose the library."""
    (tmp_path / "train.py").write_text(
        "import os, sys\n"
        "assert 'tensorflow' not in sys.modules and 'keras' not in sys.modules\n"
        "os.environ['TF_USE_LEGACY_KERAS'] = '1'\n"
        "import numpy as np, tensorflow as tf\n"
        "model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\n"
        "model.fit(np.zeros((4, 2)), np.zeros((4, 1)))\n"
    )
    command = [sys.executable, "-c", FRESH, str(tmp_path / "train.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:2] == ["7", "tf_keras"]
    assert done.stdout.split()[-1] == "__main__"


ASKS = "answer = input('\x1b[1mOverwrite?\x1b[0m ')\nprint(answer)\nbuild().fit(x, y)\n"


def test_a_script_that_asks_is_answered_from_standard_input(found, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    assert found(ASKS).method == "fit"
    asked = rf"asks for input in line {HEAD + 1} \(Overwrite\?\), .*\n.*train.py < answers.txt"
    with pytest.raises(UsageError, match=asked):
        found(ASKS)


def test_a_script_that_can_do_without_an_answer(found, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    code = "try:\n    input()\nexcept EOFError:\n    pass\nbuild().fit(x, y)\n"
    assert found(code).method == "fit"


def test_a_question_after_the_last_fit(followed, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    calls, ended = followed("build().fit(x, y)\ninput('Save?')")
    assert len(calls) == 1
    assert ended.startswith("The script was not followed to its end: train.py asks for input in ")


def test_a_module_of_a_package_is_no_script(found):
    with pytest.raises(UnreadableInput, match=r"Write a script beside that folder with `import .*"):
        found("from .settings import size\n", bare=True)


def test_a_process_that_is_started_anew_is_not_looked_into(found):
    start = BaseProcess.start
    code = "import multiprocessing\n\nmultiprocessing.get_context('spawn').Process().start()\n"
    with pytest.raises(UsageError, match=r"starts another process in line 3: if that one calls"):
        found(code, bare=True)
    found("build().fit(x, y)")
    assert BaseProcess.start is start
