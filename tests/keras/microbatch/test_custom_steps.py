"""Models with a `train_step` or `compute_loss` of their own."""

from typing import Any

import pytest


def made(cls: Any, optimizer: str = "adam") -> Any:
    import keras

    given = keras.Input((6,))
    hidden = keras.layers.Dropout(0.3)(given)
    model = cls(given, keras.layers.Dense(3, kernel_regularizer="l2")(hidden))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"])
    return model


def test_own_compute_loss(compare, table):
    import keras

    class Own(keras.Model):
        def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
            loss = super().compute_loss(x, y, y_pred, sample_weight, training)
            return loss + keras.ops.mean(keras.ops.square(y_pred))

    found = compare(lambda: made(Own), *table)
    assert found.weights < 1e-6
    assert found.logs < 1e-6
    assert not found.notes


def test_own_train_step(compare, table):
    import keras
    import tensorflow as tf

    from fitguard.keras.microbatch import describe_batchwise, describe_unsupported

    class Own(keras.Model):
        def train_step(self, data: Any) -> Any:
            x, y, _ = keras.utils.unpack_x_y_sample_weight(data)
            with tf.GradientTape() as tape:
                predicted = self(x, training=True)
                loss = self.compute_loss(x, y, predicted)
            gradients = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply(gradients, self.trainable_weights)
            for metric in self.metrics:
                if metric.name == "loss":
                    metric.update_state(loss)
                else:
                    metric.update_state(y, predicted)
            return {**self.get_metrics_result(), "twice": 2 * loss}

    found = compare(lambda: made(Own), *table)
    assert found.weights < 1e-6
    assert found.logs < 1e-6
    assert describe_unsupported(found.micro) == ""
    assert "has its own train_step" in describe_batchwise(found.micro)[0]
    assert int(found.micro.optimizer.iterations) == 3


def test_plain_loss_under_the_name_of_a_metric_is_a_mean(compare, table):
    import keras
    import tensorflow as tf

    class Own(keras.Model):
        def train_step(self, data: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = keras.ops.mean(keras.ops.square(self(data[0], training=True)))
            gradients = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
            return {"loss": loss}

    found = compare(lambda: made(Own), *table)
    assert found.weights < 1e-6
    assert found.logs < 1e-6


def test_two_applications_are_refused(table):
    import keras
    import tensorflow as tf

    from fitguard.keras.microbatch import MicroTrainStep, describe_unsupported
    from fitguard.schema.exit_codes import UsageError

    class Twice(keras.Model):
        def train_step(self, data: Any) -> Any:
            for _ in range(2):
                with tf.GradientTape() as tape:
                    loss = keras.ops.mean(self(data[0]))
                gradients = tape.gradient(loss, self.trainable_weights)
                self.optimizer.apply(gradients, self.trainable_weights)
            return {"loss": loss}

    model = made(Twice)
    with pytest.raises(UsageError, match="2 times"):
        MicroTrainStep(model)(table, 4)
    model.train_on_batch(*table)
    assert int(model.optimizer.iterations) == 2

    class TwoPlaces(keras.Model):
        def train_step(self, data: Any) -> Any:
            self.optimizer.apply(data)
            self.other_optimizer.apply(data)

    assert "at 2 places" in describe_unsupported(made(TwoPlaces))


@pytest.mark.parametrize(("kind", "noted"), [("sum", False), ("spread", True)])
def test_whether_the_loss_is_a_sum_over_rows_is_tried(compare, table, kind, noted):
    import keras
    import tensorflow as tf

    reduce = {"sum": tf.reduce_sum, "spread": tf.math.reduce_std}[kind]

    class Own(keras.Model):
        def train_step(self, data: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = reduce(keras.ops.square(self(data[0], training=True)))
            gradients = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
            return {"loss": loss}

    found = compare(lambda: made(Own), *table)
    assert (found.weights > 1e-3) == noted
    assert any("neither the mean nor the sum" in note for note in found.notes) == noted
