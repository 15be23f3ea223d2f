"""The micro-batch to begin with: ordered, remembered, planned; and the card that it is for."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from guarded.attempts import attempt, events

from fitguard.keras.card import Card, card_here
from fitguard.keras.fitting import planned_rows as planning
from fitguard.keras.fitting.first_rows import FirstRows, first_rows
from fitguard.keras.fitting.planned_rows import plan_rows
from fitguard.keras.fitting.remembered_rows import RememberedRows
from fitguard.schema.journal import MicroBatchChosen, Orders

MIB = 2**20
LIMIT = {"TF_CPU_ALLOCATOR_USE_BFC": "1", "TF_CPU_BFC_MEM_LIMIT_IN_MB": "200"}


def cpu_card(megabytes):
    return Card("CPU allocator", megabytes * MIB, megabytes * MIB, is_gpu=False)


@pytest.fixture(scope="module")
def wide_model():
    """Some 2 MB of activations for each row, and hardly any weights."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((64, 64, 1)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(1),
        ]
    )
    model.compile("sgd", "mse", jit_compile=False)
    return model


def batch_of(rows):
    return tf.zeros((rows, 64, 64, 1)), tf.zeros((rows, 1))


def test_the_limit_of_the_cpu_allocator_stands_for_a_card():
    assert card_here(LIMIT) == cpu_card(200)


@pytest.mark.parametrize(
    "surrounding",
    [
        {},
        {"TF_CPU_ALLOCATOR_USE_BFC": "1"},
        {**LIMIT, "TF_CPU_ALLOCATOR_USE_BFC": "0"},
        {**LIMIT, "TF_CPU_BFC_MEM_LIMIT_IN_MB": "much"},
    ],
)
def test_without_a_limit_there_is_no_card(surrounding):
    assert card_here({**surrounding, "CUDA_VISIBLE_DEVICES": ""}) is None


class TestOrders:
    def test_they_go_first(self, wide_model):
        orders = Orders(micro_batches={"0": 5, "2": 3})
        batch = batch_of(8)
        assert first_rows(orders, 1, wide_model, batch, cpu_card(1)) == FirstRows(5, "as ordered")
        assert first_rows(orders, 2, wide_model, batch, cpu_card(1)) == FirstRows(
            3, "it did not fit into memory", is_remedy=True
        )

    def test_a_short_batch_at_the_beginning_does_not_undo_what_larger_ones_need(self, wide_model):
        orders = Orders(micro_batches={"0": 5, "2": 3})
        assert first_rows(orders, 1, wide_model, batch_of(5), cpu_card(1)).rows is None
        assert first_rows(orders, 2, wide_model, batch_of(3), cpu_card(1)).rows == 3

    def test_without_a_card_or_a_plan_it_begins_whole(self, wide_model):
        for orders, card in ((Orders(), None), (Orders(plan=False), cpu_card(1))):
            assert first_rows(orders, 1, wide_model, batch_of(8), card) == FirstRows(None)


class TestMemory:
    def test_what_worked_is_known_again(self, wide_model, tmp_path):
        memory = RememberedRows(tmp_path / "sizes", wide_model, batch_of(8), cpu_card(100))
        assert memory.find() is None
        memory.keep(3)
        again = RememberedRows(tmp_path / "sizes", wide_model, batch_of(8), cpu_card(100))
        assert again.find().rows == 3
        assert len(list((tmp_path / "sizes").iterdir())) == 1

    def test_other_batches_cards_and_models_are_not_mixed_up(self, wide_model, tmp_path):
        RememberedRows(tmp_path, wide_model, batch_of(8), cpu_card(100)).keep(3)
        for batch, card in ((batch_of(9), cpu_card(100)), (batch_of(8), cpu_card(101))):
            assert RememberedRows(tmp_path, wide_model, batch, card).find() is None
        other = keras.Sequential([keras.layers.Input((64, 64, 1)), keras.layers.Flatten()])
        assert RememberedRows(tmp_path, other, batch_of(8), cpu_card(100)).find() is None

    def test_with_more_free_memory_than_then_it_is_tried_anew(self, wide_model, tmp_path):
        def of(free):
            card = Card("A100", 1000, free)
            return RememberedRows(tmp_path, wide_model, batch_of(8), card)

        of(500).keep(3)
        assert of(540).find().rows == 3
        assert of(600).find() is None

    @pytest.mark.parametrize("content", [b"", b"{", b'{"rows": 0, "free_bytes": 9}', b"[1]"])
    def test_a_broken_file_is_as_none(self, wide_model, tmp_path, content):
        memory = RememberedRows(tmp_path, wide_model, batch_of(8), cpu_card(100))
        memory.keep(3)
        (file,) = tmp_path.iterdir()
        file.write_bytes(content)
        assert memory.find() is None

    def test_a_folder_that_cannot_be_written_is_no_loss(self, wide_model, tmp_path):
        (tmp_path / "file").write_text("in the way")
        memory = RememberedRows(tmp_path / "file" / "sizes", wide_model, batch_of(8), cpu_card(100))
        memory.keep(3)
        assert memory.find() is None

    def test_a_model_of_tf_keras_that_is_not_built(self, tmp_path):
        model = tf_keras.Sequential([tf_keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        memory = RememberedRows(tmp_path, model, batch_of(2), cpu_card(1))
        memory.keep(1)
        assert memory.find().rows == 1


@pytest.fixture
def _alone(monkeypatch):
    """What other tests of this process still hold is not there."""
    monkeypatch.setattr(planning, "read_allocator", lambda _: None)


@pytest.mark.usefixtures("_alone")
class TestPlan:
    def test_a_batch_that_surely_does_not_fit_is_split(self, wide_model):
        card = cpu_card(24)
        first = first_rows(Orders(), 1, wide_model, batch_of(32), card)
        assert 1 <= first.rows < 32
        assert "by the plan" in first.why
        planned = plan_rows(wide_model, batch_of(32), 32, card, split=True, recompute=False)
        assert planned.way.rows == first.rows
        assert planned.whole_fits is False

    def test_a_batch_that_fits_is_not(self, wide_model):
        assert first_rows(Orders(), 1, wide_model, batch_of(4), cpu_card(4000)).rows is None
        plan = plan_rows(wide_model, batch_of(4), 4, cpu_card(4000), split=True, recompute=True)
        assert (plan.whole_fits, plan.way) == (True, None)

    def test_a_plan_that_fails_is_none(self):
        class Broken(keras.Model):
            def train_step(self, data):
                raise RuntimeError(data)

        model = Broken()
        model.compile("sgd", "mse")
        card = cpu_card(24)
        assert plan_rows(model, batch_of(4), 4, card, split=True, recompute=False) is None

    def test_fit_trains_as_planned_and_remembers_it(self, wide_model, tmp_path, monkeypatch):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        x, y = (np.asarray(one) for one in batch_of(32))
        for number, why in ((1, "by the plan"), (2, "before")):
            with attempt(tmp_path / f"run{number}", plan=True) as fits:
                fits.card = cpu_card(24)
                wide_model.fit(x, y, batch_size=32, verbose=0)
            (chosen,) = events(fits, MicroBatchChosen)
            assert chosen.rows < 32
            assert why in chosen.why
