import inspect
import linecache
import sys

import pytest
from notebook.parcel.sending import Notebook, Sent

from fitguard.notebook.carried_globals import find_carried_names
from fitguard.state.not_carried import CannotCarry

CELL = '''
import functools
import math as maths
import numpy as np
from dataclasses import dataclass

SCALE = 3.0
TABLE = np.arange(1000.0)
calls = []


@dataclass
class Settings:
    rate: float = 0.5


settings = Settings(0.25)


class Base:
    def scaled(self):
        return Special().size * SCALE


class Special(Base):
    size = 2


class Empty:
    pass


def counted(function):
    @functools.wraps(function)
    def wrapper(*args):
        calls.append(function.__name__)
        return function(*args)

    return wrapper


@counted
def loss(a, b=SCALE):
    """The text
    of a function."""
    return a * b + TABLE[3] + settings.rate + maths.floor(1.5)


later = counted(loss)


def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)


def multiplied_by(factor):
    offset = 10

    def inner(x):
        return x * factor + offset + factorial(3)

    return inner


tripled = multiplied_by(3)
first, second = lambda x: x + 1, lambda x: (x * SCALE,
                                             len(calls))


def count():
    global total
    total = total + 1
    return total


total = 5


def local_name(x):
    TABLE = 1
    return x + TABLE
'''


@pytest.fixture
def notebook():
    made = Notebook()
    made.run(CELL)
    return made


def test_a_decorated_function_with_all_that_it_uses(notebook, tmp_path):
    sent = Sent(notebook["loss"], tmp_path, notebook)
    assert sent.value(2) == notebook["loss"](2) == 10.25
    assert (sent.value.__name__, sent.value.__doc__) == ("loss", "The text\n    of a function.")
    assert sent.other["calls"] == ["loss"]
    assert "TABLE" in vars(sent.other.main)
    assert "first" not in vars(sent.other.main)


def test_a_decorator_around_a_decorated_function(notebook, tmp_path):
    sent = Sent(notebook["later"], tmp_path, notebook)
    assert sent.value(2) == 10.25
    assert sent.other["calls"] == ["loss", "loss"]


def test_classes_that_use_each_other(notebook, tmp_path):
    special = Sent(notebook["Special"], tmp_path, notebook).value
    assert special().scaled() == 6.0
    assert special.__mro__[1].__name__ == "Base"


def test_an_instance_brings_its_class(notebook, tmp_path):
    settings = Sent(notebook["settings"], tmp_path, notebook).value
    assert (type(settings).__name__, settings.rate) == ("Settings", 0.25)
    assert settings == type(settings)(0.25)


def test_a_class_without_methods_is_found_by_its_name(notebook, tmp_path):
    assert Sent(notebook["Empty"], tmp_path, notebook).value.__name__ == "Empty"


def test_a_closure_keeps_what_it_closed_over(notebook, tmp_path):
    assert Sent(notebook["tripled"], tmp_path, notebook).value(2) == 22


def test_two_lambdas_in_one_statement_are_told_apart(notebook, tmp_path):
    first, second = Sent((notebook["first"], notebook["second"]), tmp_path, notebook).value
    assert first(2) == 3
    assert second(2) == (6.0, 0)


def test_a_name_that_is_local_takes_nothing_with_it(notebook, tmp_path):
    sent = Sent(notebook["local_name"], tmp_path, notebook)
    assert sent.value(2) == 3
    assert "TABLE" not in vars(sent.other.main)


def test_global_values_are_told_so_that_they_can_come_back(notebook, tmp_path):
    sent = Sent([notebook["count"], notebook["loss"]], tmp_path, notebook)
    assert sent.value[0]() == 6
    with sent.other.as_main():
        assert set(find_carried_names()) == {"total", "calls", "TABLE", "settings"}
    sent.value[1](1)
    calls = notebook["calls"]
    assert sent.back(sent.other["calls"]) is calls
    assert calls == ["loss"]


def test_the_source_can_be_read_over_there(notebook, tmp_path):
    expected = inspect.getsource(notebook["factorial"])
    sent = Sent(notebook["factorial"], tmp_path, notebook)
    (file, lines), *_ = sent.packer.sources.items()
    assert linecache.getlines(file) == lines
    assert inspect.getsource(sent.value) == expected


def test_a_later_definition_of_the_same_name_wins(notebook, tmp_path):
    notebook.run("SCALE = 100.0\nclass Empty:\n    size = 1\n")
    empty, second = Sent([notebook["Empty"], notebook["second"]], tmp_path, notebook).value
    assert (empty.size, second(1)[0]) == (1, 100.0)


def test_what_a_library_has_is_imported_and_not_copied(notebook, tmp_path):
    import keras

    notebook.run(
        "from keras.losses import MeanSquaredError\ndef make():\n    return MeanSquaredError"
    )
    sent = Sent(notebook["make"], tmp_path, notebook)
    assert sent.value() is keras.losses.MeanSquaredError


def test_what_a_function_uses_and_cannot_go_over_is_named(notebook, tmp_path):
    notebook.run("import threading\nlock = threading.Lock()\ndef held():\n    return lock")
    with pytest.raises(CannotCarry, match=r"lock \(used by held\) cannot be taken"):
        Sent(notebook["held"], tmp_path, notebook)


def test_code_without_source(tmp_path):
    notebook = Notebook()
    exec("def made():\n    return 1", vars(notebook.main))
    assert Sent(notebook["made"], tmp_path, notebook).value() == 1


def test_an_open_file_is_refused(tmp_path):
    wanted = pytest.raises(CannotCarry, match=r"value\[0\] cannot be taken .*: it is an open file")
    with (tmp_path / "log").open("w") as file, wanted:
        Sent([file], tmp_path)


def test_what_prints_prints_over_there(tmp_path, capsys):
    Sent([sys.stdout], tmp_path).value[0].write("seen")
    assert capsys.readouterr().out == "seen"
