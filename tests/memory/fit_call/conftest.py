"""Scripts as people write them, each run in this very process."""

import os
import sys
import textwrap

import pytest

from fitguard.memory.fit_call import FitCall, read_fit, visit_fits

MODEL = """
import sys
import numpy as np
import {library} as keras

def build():
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3)])
    model.compile("sgd", "mse", {settings})
    return model

x, y = np.zeros((40, 4), "float32"), np.zeros((40, 3), "float32")
"""


@pytest.fixture(autouse=True)
def own_surroundings():
    """Scripts are run with their folder on the path, and with TensorFlow made quiet."""
    environment, path = dict(os.environ), list(sys.path)
    yield
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = path


@pytest.fixture
def script(tmp_path):
    """Writes a script that has a model and data."""

    def write(code, library="keras", settings="", bare=False):
        file = tmp_path / "train.py"
        head = "" if bare else MODEL.format(library=library, settings=settings)
        file.write_text(head + textwrap.dedent(code))
        return str(file)

    return write


@pytest.fixture
def found(script):
    """Writes a script and finds its call of fit."""

    def find(code, *arguments, number=1, **how):
        return read_fit(script(code, **how), arguments, number=number)

    return find


@pytest.fixture
def followed(script):
    """Writes a script and follows it: its calls, and why it was left."""

    def follow(code, **how) -> tuple[list[FitCall], str]:
        calls: list[FitCall] = []

        def visit(call: FitCall) -> bool:
            calls.append(call)
            return True

        return calls, visit_fits(script(code, **how), (), visit)

    return follow
