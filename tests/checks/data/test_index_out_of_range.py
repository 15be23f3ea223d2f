import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, sampled, spotted, token_input
from checks.data.tiny_training import BATCH, changed, losses, of_words, only, tokens

import fitguard
from fitguard.checks.framework.testing import run_data


def test_an_index_beyond_the_table_stops_the_step_on_the_cpu():
    import tensorflow as tf

    x, y = tokens()
    bad = changed(x, (21, 4), 10)
    model = of_words()
    found = only(fitguard.check_data(model, bad, y, batch_size=BATCH), "FG643")
    assert "x holds 1 index that words, with 10 rows, does not have" in found.title
    assert "at sample 21, column 4" in found.title
    assert "input_dim=11" in found.fix.text
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"= 10 is not in \[0, 10\)"):
        losses(model, bad, y)


def test_xla_says_nothing_and_reads_the_last_row():
    import tensorflow as tf

    model = of_words(jit_compile=True)
    words = model.get_layer("words")
    read = tf.function(words, jit_compile=True)(tf.constant([[10, 500]])).numpy()
    np.testing.assert_array_equal(read[0], np.tile(words.get_weights()[0][9], (2, 1)))
    x, y = tokens()
    bad = changed(x, (21, 4), 10)
    assert np.isfinite(losses(model, bad, y)).all()
    only(fitguard.check_data(model, bad, y, batch_size=BATCH), "FG643")


def test_a_negative_index_reads_from_the_end():
    x, y = tokens()
    bad = changed(x, (0, 0), -1)
    model = of_words()
    np.testing.assert_array_equal(
        model.predict(bad[:1], verbose=0), model.predict(changed(x, (0, 0), 9)[:1], verbose=0)
    )
    found = only(fitguard.check_data(model, bad, y, batch_size=BATCH), "FG643")
    assert found.evidence[0].text == "-1 at sample 0, column 0"
    assert "The lowest index is -1" in found.fix.text


def test_healthy_twin_trains_in_silence():
    x, y = tokens()
    model = of_words()
    highest = changed(x, (21, 4), 9)
    assert fitguard.check_data(model, highest, y, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(model, highest, y)).all()


def test_indices_that_count_from_1_get_one_more_row():
    one = field(minimum=1.0, maximum=10.0, allowed=(0.0, 9.0), outside=spotted(8, 2, 1))
    found = run_data("FG643", facts_of(one, model=model_of(token_input()))).findings[0]
    assert "count from 1" in found.fix.text
    assert "input_dim=11" in found.fix.text


def test_validation_stops_the_run_as_well():
    one = field(split="validation", maximum=12.0, outside=spotted(2, 7, 0))
    found = run_data("FG643", facts_of(field(), one, model=model_of(token_input()))).findings[0]
    assert found.severity == "error"
    assert found.title.startswith("validation x holds 2 indices")


def test_a_stream_says_how_much_was_read():
    one = sampled(field(maximum=12.0, outside=spotted(2, 700, 0, batch=21)))
    found = run_data("FG643", facts_of(one, model=model_of(token_input()))).findings[0]
    assert "batch 21 (of the 2,048 samples that were read)" in found.title


def test_unknown_inputs_are_no_verdict():
    facts = facts_of(field(outside=spotted(2)), model=model_of(inputs=None))
    assert "does not tell its inputs" in run_data("FG643", facts).skipped[0].reason
