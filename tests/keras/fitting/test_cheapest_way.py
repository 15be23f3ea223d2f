"""A fit that does not fit a fast card: parts would leave it idle, so the batch stays whole."""

import keras
import numpy as np
import pytest
from guarded.attempts import attempt, events
from memory.recomputing.deep_network import SIDE

from fitguard.keras.card import Card
from fitguard.keras.fitting import planned_rows
from fitguard.memory.cards import card as planned_card
from fitguard.schema.journal import MicroBatchChosen, RecomputationChosen

MIB = 2**20
ROWS = 512


def make_model():
    """Blocks that look at each row by itself."""
    keras.utils.set_random_seed(4)
    layers = keras.layers
    given = value = keras.Input((SIDE, SIDE, 3))
    for _ in range(5):
        value = layers.LayerNormalization()(layers.Conv2D(8, 3, padding="same")(value))
        value = layers.Dropout(0.1)(layers.Activation("gelu")(value))
    value = layers.Dense(1)(layers.GlobalAveragePooling2D()(value))
    model = keras.Model(given, value)
    model.compile(keras.optimizers.SGD(0.05), "mse", jit_compile=False)
    return model


def train(model):
    random = np.random.default_rng(4)
    x = random.random((ROWS + 40, SIDE, SIDE, 3), dtype="float32")
    history = model.fit(x, x.mean(axis=(1, 2, 3)), batch_size=ROWS, verbose=0, shuffle=False)
    return history.history["loss"], model.get_weights()


def fast_card(usable_bytes):
    """An H200 of which so much can be used."""
    free = usable_bytes
    while planned_card(gpu_memory=free + 2**30, free=free).usable_bytes < usable_bytes:
        free += 8 * MIB
    return Card("NVIDIA H200", free + 2**30, free)


@pytest.mark.parametrize("mebibytes", [450, 250], ids=["whole", "in parts"])
def test_what_is_chosen_gives_the_same(mebibytes, tmp_path, monkeypatch):
    # What other tests of this process still hold is not there.
    monkeypatch.setattr(planned_rows, "read_allocator", lambda _: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    losses, weights = train(make_model())
    with attempt(tmp_path / "run", plan=True) as fits:
        fits.card = fast_card(mebibytes * MIB)
        found = train(make_model())
    np.testing.assert_allclose(found[0], losses, rtol=1e-5)
    for one, other in zip(found[1], weights, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-6)
    whole, parts = events(fits, RecomputationChosen), events(fits, MicroBatchChosen)
    if mebibytes == 450:
        assert [event.fit for event in whole] == [1]
        assert 0 < whole[0].share < 1
        assert parts == []
    else:
        assert whole == []
        assert {(event.of, event.share is not None) for event in parts} == {(ROWS, True)}
        assert ROWS / 8 < parts[0].rows < ROWS
