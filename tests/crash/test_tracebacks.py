"""The error that ended a program, out of its traceback."""

import pytest

from fitguard.crash.tracebacks import read_traceback
from fitguard.schema.crash import Line, Traceback

KERAS = "/env/lib/python3.11/site-packages/keras/src/trainers/trainer.py"
PLAIN = f"""\
Epoch 1/3
Traceback (most recent call last):
  File "/srv/train.py", line 40, in <module>
    main()
  File "/srv/train.py", line 31, in main
    model.fit(x, y)
    ~~~~~~~~~^^^^^^
  File "{KERAS}", line 371, in fit
    raise KeyError(name)
KeyError: 'val_acc'
"""


def read(text: str) -> Traceback | None:
    return read_traceback(
        [Line(number, line, "run.log") for number, line in enumerate(text.splitlines(), 1) if line]
    )


def test_type_message_and_the_last_line_of_the_users_own_code() -> None:
    found = read(PLAIN)
    assert found is not None
    assert (found.type, found.message) == ("KeyError", "'val_acc'")
    assert (found.evidence.text, found.evidence.line) == ("KeyError: 'val_acc'", 10)
    assert (found.raised_in.file, found.raised_in.number) == ("/srv/train.py", 31)
    assert [frame.own for frame in found.frames] == [True, True, False]


def test_the_last_error_of_a_chain_counts() -> None:
    chain = "\nDuring handling of the above exception, another exception occurred:\n\n"
    found = read(PLAIN + chain + PLAIN.replace("KeyError", "my.module.DataError"))
    assert found is not None
    assert found.type == "DataError"


@pytest.mark.parametrize(
    "line", ["queue.Empty", "subprocess.TimeoutExpired: after 5 s", "SystemExit: 3"]
)
def test_errors_of_any_name(line: str) -> None:
    found = read(PLAIN.replace("KeyError: 'val_acc'", line))
    assert found is not None
    assert found.type == line.partition(":")[0].rpartition(".")[2]


def test_what_python_ignored_does_not_count() -> None:
    ignored = (
        "Exception ignored in: <function Pool.__del__ at 0x7f>\n"
        "Traceback (most recent call last):\n"
        '  File "/srv/pool.py", line 1, in __del__\nTypeError: no\n'
    )
    found = read(PLAIN + ignored)
    assert found is not None
    assert found.type == "KeyError"


@pytest.mark.parametrize(
    ("frame", "place"),
    [
        ("Cell In[5], line 3", ("Cell In[5]", 3)),
        ("File ~/work/model.py:12, in build(size)", ("~/work/model.py", 12)),
        ('  File "C:\\Users\\x\\train.py", line 7, in <module>', ("C:\\Users\\x\\train.py", 7)),
        ('  File "<ipython-input-3-9f>", line 2, in <module>', ("<ipython-input-3-9f>", 2)),
    ],
)
def test_other_kinds_of_tracebacks(frame: str, place: tuple[str, int]) -> None:
    found = read(
        f"ZeroDivisionError          Traceback (most recent call last)\n{frame}\n----> 3 1 / 0\n"
        "ZeroDivisionError: division by zero\n"
    )
    assert found is not None
    assert found.raised_in.own
    assert (found.raised_in.file, found.raised_in.number) == place


@pytest.mark.parametrize(
    "file",
    [
        "/usr/lib/python3.11/runpy.py",
        "C:\\Python311\\Lib\\runpy.py",
        "<frozen importlib._bootstrap>",
        "/env/lib/python3.11/site-packages/fitguard/keras/bootstrap.py",
    ],
)
def test_python_and_packages_are_not_the_users_own(file: str) -> None:
    found = read(f'Traceback (most recent call last):\n  File "{file}", line 7\nValueError: no\n')
    assert found is not None
    assert not found.raised_in.own


def test_the_run_that_training_died_tells_of() -> None:
    found = read(
        'Traceback (most recent call last):\n  File "/work/a.py", line 7, in <module>\n'
        "fitguard.schema.exit_codes.TrainingDied: The training ended after 1 attempt with exit "
        "code 1.\n  exception: unknown.\n  All of it: fitguard report 20261115-142500-fit-4f2a\n"
    )
    assert found is not None
    assert (found.type, found.run) == ("TrainingDied", "20261115-142500-fit-4f2a")


@pytest.mark.parametrize(
    "text", ["", "KeyError: 'x'\n", "Traceback (most recent call last):\n  no frames\n"]
)
def test_no_traceback(text: str) -> None:
    assert read(text) is None
