"""The lines that advice prints, put into a script: they run, and train."""

import keras
import numpy as np
import pytest
from memory.advice.test_one_sample import MIB, deep, plan, wide


def run(lines, model=None):
    """As a user pastes them: with their own arguments for `...`."""
    own = 'loss="sparse_categorical_crossentropy", jit_compile=False'
    lines = lines.replace("model.compile(...)", f'model.compile("adam", {own})')
    names = {"keras": keras, "model": model, "learning_rate": 0.01}
    exec(lines.replace(", ...)", f", {own})"), names)
    return names["model"]


def train(model, *shape):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, *shape)).astype("float32")
    return model.fit(x, np.array([1, 2]), batch_size=1, verbose=0).history["loss"]


@pytest.fixture
def advised():
    return {one.slug: one for one in plan(deep(), 35 * MIB).advice}


@pytest.fixture(autouse=True)
def _same_policy():
    yield
    keras.mixed_precision.set_global_policy("float32")


def test_recomputation(advised):
    model = deep()
    run(advised["recomputation"].code, model)
    assert np.isfinite(train(model, 256, 256, 3)).all()


def test_mixed_precision_and_recomputation_together(advised):
    before, after = advised["together"].code.split("\n", 1)
    run(before)
    model = deep()
    assert model.dtype_policy.name == "mixed_float16"
    run(after, model)
    assert np.isfinite(train(model, 256, 256, 3)).all()


def test_another_optimizer():
    made = plan(wide(), 250 * MIB)
    model = wide()
    run(next(one.code for one in made.advice if one.slug == "optimizer"), model)
    assert type(model.optimizer).__name__ == "SGD"
    train(model, 1000)
