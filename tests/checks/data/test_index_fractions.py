import numpy as np
from checks.data.made_facts import facts_of, field, model_of, spotted, table_input, token_input
from checks.data.tiny_training import BATCH, losses, of_words, only, tokens

import fitguard
from fitguard.checks.framework.testing import run_data


def test_scaled_indices_all_read_row_0():
    x, y = tokens()
    scaled = (x / 10).astype("float32")
    model = of_words(dtype="float32")
    found = only(fitguard.check_data(model, scaled, y, batch_size=BATCH), "FG652")
    assert found.title.startswith(f"x holds {x.size} fractions instead of indices of words")
    assert "the first at sample 0, column 0" in found.title
    before = model.get_layer("words").get_weights()[0]
    losses(model, scaled, y)
    moved = (model.get_layer("words").get_weights()[0] != before).any(axis=1)
    assert moved[0]
    assert not moved[1:].any()
    assert np.ptp(model.predict(scaled, verbose=0)) == 0


def test_whole_numbers_as_floats_train_in_silence():
    x, y = tokens()
    whole = x.astype("float32")
    model = of_words(dtype="float32")
    assert fitguard.check_data(model, whole, y, batch_size=BATCH).findings == ()
    before = model.get_layer("words").get_weights()[0]
    losses(model, whole, y)
    moved = (model.get_layer("words").get_weights()[0] != before).any(axis=1)
    assert moved[1:].all()


def test_fractions_below_0_are_not_called_out_of_range_too():
    one = field(minimum=-0.5, fractions=spotted(6), outside=spotted(6), allowed=(0.0, 9.0))
    facts = facts_of(one, model=model_of(token_input()))
    assert run_data("FG652", facts).findings
    x, y = tokens()
    report = fitguard.check_data(of_words(dtype="float32"), x / 10 - 0.5, y, batch_size=BATCH)
    only(report, "FG652")


def test_fractions_without_an_embedding_are_fine():
    facts = facts_of(field(fractions=spotted(6)), model=model_of(table_input()))
    assert run_data("FG652", facts).findings == ()
