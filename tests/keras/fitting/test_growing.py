"""When larger parts are tried again: memory has become free since the batch did not fit."""

import pytest
import tensorflow as tf

from fitguard.keras.card import Card
from fitguard.keras.fitting import growing
from fitguard.keras.fitting.growing import Growing

CARD = Card("CPU allocator", 1000, 1000, is_gpu=False)
BATCH = tf.zeros(1, tf.int8)


@pytest.mark.parametrize(
    ("held", "grows"),
    [
        ([500, 500, 100], [False, True]),
        ([500, 500, 400], [False, False]),
        # It begins where the memory is not taken yet.
        ([100, 500, 500, 100], [False, False, True]),
        ([500, 100, 100], [True, False]),
    ],
)
def test_it_grows_when_there_is_clearly_more(held, grows, monkeypatch):
    read = iter(held)
    monkeypatch.setattr(growing, "read_allocator", lambda _: {"current": next(read)})
    looks = Growing(CARD)
    looks.note_shrunk()
    assert [bool(looks.find_more(epoch, BATCH)) for epoch in range(1, len(held))] == grows
