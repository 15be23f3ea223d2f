import pytest

from fitguard.notebook.cell_names import cell_names
from fitguard.schema.exit_codes import UsageError

CELL = """
import numpy as np
from keras import layers
model.fit(x, y, callbacks=[callback for _ in range(2)])
score = model.evaluate(x_test)
frame["new"] = score
runs += 1
thing.size.value += 1
later = lambda row: row * factor

def helper(a, b=default):
    global counter
    counter = counter + 1
    x_test = a
    return [x_test, other]

class Own(Base):
    size = width
"""


def test_names_that_come_from_outside_and_names_that_go_back():
    names = cell_names(CELL)
    outside = {"model", "x", "y", "callback", "x_test", "frame", "thing", "factor", "default"}
    assert outside | {"counter", "other", "Base", "width", "runs"} <= set(names.used)
    assert not {"row", "a", "b", "range", "_", "size"} & set(names.used)
    assert set(names.assigned) == {
        "np",
        "layers",
        "score",
        "runs",
        "later",
        "helper",
        "Own",
        "counter",
    }
    assert names.changed == ("frame", "thing")


def test_no_python_is_refused_with_its_line():
    with pytest.raises(UsageError, match="line 2"):
        cell_names("x = 1\ny = = 2\n")


def test_magics_are_refused():
    with pytest.raises(UsageError, match="Put the magic into a cell before it"):
        cell_names("get_ipython().run_line_magic('time', '')\n")
