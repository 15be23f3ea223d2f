"""All advice for a step: what is told when, in which order, and what is left out for time."""

import dataclasses

import keras
import pytest
import tf_keras
from memory.linear_estimator import Linear
from memory.small_models import convolutional, training

from fitguard.memory.advice import Question, advise
from fitguard.memory.cards import card
from fitguard.memory.training import Training

MIB = 2**20
SLUGS = [
    "micro-batch", "free-memory", "jit-compile", "mixed-precision", "optimizer", "recomputation",
    "smaller-input", "smaller-batch",
]  # fmt: skip


def estimator_of(given: Training) -> Linear:
    """As if each version needed less per sample than the one before."""
    model = given.model
    each = 100 * MIB
    if given.jit_compile:
        each = 80 * MIB
    if model is not None and model.dtype_policy.name == "mixed_float16":
        each = 60 * MIB
    if model is not None and any("recomputed" in layer.name for layer in model.layers):
        each = 50 * MIB
    if model is not None and model.inputs[0].shape[1] < 16:
        each = 40 * MIB
    return Linear(200 * MIB, each)


@pytest.fixture(scope="module")
def question():
    """5.1 GiB on a card that TensorFlow can have 3.9 GiB of."""
    given = training(convolutional(keras))
    return Question(
        training=given,
        batch_size=50,
        estimator=estimator_of(given),
        estimator_of=estimator_of,
        card=card(gpu_memory="7GiB", free="6GiB"),
    )


def test_all_advice_comes_in_the_order_of_its_cost(question):
    # The optimizer of so small a model has hardly any state.
    advised = advise(question)
    slugs = [one.slug for one in advised.advice]
    assert slugs == [slug for slug in SLUGS if slug != "optimizer"]
    assert advised.reasons == ()
    needed = question.required.likely
    for one in advised.advice:
        if one.slug != "free-memory":
            assert one.saved_bytes == needed - one.required_bytes > 0.02 * needed
        assert one.enough == (one.required_bytes * 1.1 <= question.card.usable_bytes)


def test_what_each_gives_is_computed(question):
    by_slug = {one.slug: one for one in advise(question).advice}
    assert by_slug["jit-compile"].required_bytes == (200 + 50 * 80) * MIB
    assert by_slug["mixed-precision"].required_bytes == (200 + 50 * 60) * MIB
    assert by_slug["recomputation"].required_bytes == (200 + 50 * 50) * MIB
    assert by_slug["smaller-input"].title == "Images of 12 × 12 in place of 16 × 16"
    usable = question.card.usable_bytes
    for slug, each in (("mixed-precision", 60), ("recomputation", 50), ("smaller-input", 40)):
        largest = by_slug[slug].largest_batch_size
        assert 1.1 * (200 + each * largest) * MIB <= usable
        assert 1.1 * (200 + each * (largest + 1)) * MIB > usable
    assert [slug for slug, one in by_slug.items() if one.changes_results] == [
        "micro-batch", "mixed-precision", "smaller-input", "smaller-batch",
    ]  # fmt: skip


def test_nothing_is_said_of_a_step_that_fits(question):
    roomy = dataclasses.replace(question, card=card("A100-80GB"), estimator_of=_refuse)
    assert advise(roomy).advice == ()
    assert advise(roomy).reasons == ()


def test_everything_can_be_asked_for(question):
    roomy = dataclasses.replace(question, card=card("A100-80GB"))
    slugs = [one.slug for one in advise(roomy, everything=True, trace_seconds=1000).advice]
    assert slugs == ["jit-compile", "mixed-precision", "recomputation", "smaller-input"]


def test_without_a_card_what_costs_no_time_is_told(question):
    bare = dataclasses.replace(question, card=None, estimator_of=_refuse)
    advised = advise(bare)
    assert [one.slug for one in advised.advice] == ["micro-batch", "smaller-batch"]
    assert {one.enough for one in advised.advice} == {None}
    assert {one.largest_batch_size for one in advised.advice} == {None}


def test_what_would_take_too_long_is_left_out_and_said(question):
    advised = advise(question, trace_seconds=7.0, budget_seconds=10.0, clock=lambda: 0.0)
    slugs = [one.slug for one in advised.advice]
    assert slugs == ["micro-batch", "free-memory", "mixed-precision", "smaller-input",
                     "smaller-batch"]  # fmt: skip
    assert advised.reasons == (
        "To save time these were not computed: The other setting of jit_compile, Recomputation. "
        "advice='full' computes all.",
    )


def test_the_clock_counts(question):
    seconds = iter(range(0, 1000, 9))
    advised = advise(question, trace_seconds=1.0, budget_seconds=10.0, clock=lambda: next(seconds))
    assert [one.slug for one in advised.advice] == ["micro-batch", "free-memory", "smaller-batch"]


def test_a_version_that_cannot_be_made_or_traced_is_a_reason(question):
    broken = dataclasses.replace(
        question,
        training=training(convolutional(tf_keras), tf_keras),
        estimator_of=_refuse,
        card=card(gpu_memory="4GiB"),
    )
    assert advise(broken).reasons == (
        "The other setting of jit_compile: not computed, as the changed model could not be traced "
        "(RuntimeError).",
        "Mixed precision: not computed, as the changed model could not be traced (RuntimeError).",
        f"Recomputation: not computed, as the model is of tf_keras {tf_keras.__version__}; Keras "
        "has keras.remat since 3.9.",
        "Smaller images: not computed, as the changed model could not be traced (RuntimeError).",
    )


def test_a_function_of_the_users_gets_what_needs_no_model(question):
    given = Training(model=None, data=(), jit_compile=True, step=lambda: None)
    own = dataclasses.replace(question, training=given, estimator_of=lambda _: Linear(0, MIB))
    slugs = [one.slug for one in advise(own).advice]
    assert slugs == ["free-memory", "jit-compile", "smaller-batch"]


def test_a_step_that_takes_one_size_keeps_it(question):
    bound = dataclasses.replace(question, training=question.training.bind_batch_size(50))
    advised = advise(bound).advice
    assert {"micro-batch", "smaller-batch"}.isdisjoint(one.slug for one in advised)
    assert {one.largest_batch_size for one in advised} == {None}


def _refuse(_):
    raise RuntimeError("nothing may be traced here")
