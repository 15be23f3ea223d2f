"""A card on which not even one sample fits: which part is too large, and what would help."""

import keras
import pytest

import fitguard
from fitguard.memory.cards import card

MIB = 2**20


def deep():
    """Images through twelve convolutions that all keep what they give."""
    layers = keras.layers
    image = value = keras.Input((256, 256, 3))
    for _ in range(12):
        value = layers.Conv2D(16, 3, padding="same", activation="tanh")(value)
    return keras.Model(image, layers.Dense(10)(layers.GlobalAveragePooling2D()(value)))


def wide():
    """Weights, and hardly anything else."""
    layers = keras.layers
    return keras.Sequential(
        [keras.Input((1000,)), *(layers.Dense(1000, "relu") for _ in range(20)), layers.Dense(10)]
    )


def at_once():
    """One convolution whose result is larger than all else."""
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((512, 512, 3)),
            layers.Conv2D(64, 3, activation="relu", name="large"),
            layers.GlobalAveragePooling2D(name="mean"),
            layers.Dense(10),
        ]
    )


def plan(model, usable_bytes, **options):
    """On a card of which so much can be had, as others hold the rest."""
    model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
    small = card(gpu_memory="8GiB", free="1GiB")
    beside = small.free_bytes - small.usable_bytes
    return fitguard.plan(
        model, 16, gpu_memory="8GiB", free=usable_bytes + beside, jit_compile=False, **options
    )


def test_weights_and_the_optimizer_are_too_large():
    made = plan(wide(), 250 * MIB)
    shortage = made.shortage
    assert (made.fits, made.largest_batch_size, shortage.batch_size) == (False, 0, 1)
    assert shortage.too_large == "state"
    parts, weights = shortage.breakdown, 4 * (20 * 1001 * 1000 + 10010)
    assert parts.weights == pytest.approx(weights, rel=0.01)
    assert parts.optimizer == pytest.approx(2 * weights, rel=0.01)
    assert parts.gradients == pytest.approx(weights, rel=0.05)
    assert shortage.required_bytes.low > shortage.usable_bytes == 250 * MIB
    # The card has 8 GiB, which others hold: a larger one is not needed.
    assert shortage.card_bytes is None
    optimizer = next(one for one in made.advice if one.slug == "optimizer")
    assert optimizer.saved_bytes == pytest.approx(weights, rel=0.01)


def test_a_card_that_is_too_small_gets_the_size_of_one_that_is_not():
    made = fitguard.plan(wide(), 16, gpu_memory="900MiB", jit_compile=False, advice=False)
    larger = card(gpu_memory=made.shortage.card_bytes)
    assert larger.usable_bytes >= made.shortage.required_bytes.high > made.card.usable_bytes


def test_one_layer_is_too_large():
    made = plan(at_once(), 60 * MIB)
    assert made.shortage.too_large == "layer"
    dearest = made.shortage.layers[0]
    assert dearest.activations_bytes > made.shortage.usable_bytes
    assert dearest.name in ("large", "mean")
    images = next(one for one in made.advice if one.slug == "smaller-input")
    # As many pixels as there is room for, not half of them.
    assert images.enough
    assert images.required_bytes < made.shortage.required_bytes.likely / 3


def test_one_sample_fits_with_recomputation():
    made = plan(deep(), 62 * MIB)
    assert made.shortage.too_large == "sum"
    by_slug = {one.slug: one for one in made.advice}
    one = by_slug["recomputation"]
    assert (one.enough, one.changes_results) == (True, False)
    assert one.required_bytes + one.saved_bytes == made.shortage.required_bytes.likely
    assert "% longer" in one.text
    assert "together" not in by_slug


def test_what_is_not_enough_alone_is_enough_together():
    made = plan(deep(), 35 * MIB)
    alone = [one for one in made.advice if one.slug in ("mixed-precision", "recomputation")]
    assert [one.enough for one in alone] == [False, False]
    (both,) = [one for one in made.advice if one.slug == "together"]
    assert both.enough
    assert both.changes_results
    assert "mixed_float16" in both.title
    assert "Recompute" in both.title
    assert "Images" not in both.title
    assert both.code.index("set_global_policy") < both.code.index("fitguard.keras.recompute")
    assert "% longer" in both.text
    assert both.required_bytes < min(one.required_bytes for one in alone)


def test_where_nothing_helps_nothing_is_promised():
    made = plan(deep(), 9 * MIB)
    assert not any(one.enough for one in made.advice if one.slug != "free-memory")
    assert "together" not in [one.slug for one in made.advice]


def test_one_sample_that_fits_is_no_shortage():
    assert plan(deep(), 120 * MIB, advice=False).shortage is None
    assert fitguard.plan(deep(), 16, jit_compile=False, advice=False).shortage is None
