"""Models with a `train_step` of their own: what the parts of a batch mean is the user's affair."""

import numpy as np
import pytest

import fitguard

CHANCE = np.random.default_rng(7)


def pictures(samples: int = 32) -> np.ndarray:
    """Values around 0, some below."""
    return CHANCE.normal(size=(samples, 8, 8, 3)).astype("float32")


def dataset(*parts, batch_size: int = 8):
    import tensorflow as tf

    samples = tf.data.Dataset.from_tensor_slices(parts if len(parts) > 1 else parts[0])
    return samples.shuffle(32).batch(batch_size).prefetch(1)


def encoder(prepare):
    """A model for pictures that trains on what `prepare` makes of a batch."""
    import keras
    import tensorflow as tf

    class Encoder(keras.Model):
        def train_step(self, batch):
            with tf.GradientTape() as tape:
                seen = [self(part, training=True) for part in prepare(batch)]
                loss = tf.reduce_mean([tf.reduce_mean(part**2) for part in seen])
            gradients = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
            return {"loss": loss}

    picture = keras.Input((8, 8, 3), name="picture")
    flat = keras.layers.Flatten()(picture)
    model = Encoder(picture, keras.layers.Dense(4, name="code")(flat))
    model.compile("sgd")
    return model


def triplets():
    """Anchor, like and unlike: three pictures, none of them a label or a weight."""
    return encoder(lambda batch: batch), dataset(pictures(), pictures(), pictures())


def dicts():
    """A dict with the label in it, as tensorflow_datasets gives it."""
    return encoder(lambda batch: [batch["image"]]), dataset(
        {"image": pictures(), "label": np.arange(32)}
    )


def pairs():
    """Two pictures a sample, along an axis of their own."""
    both = np.stack([pictures(), pictures()], axis=1)
    return encoder(lambda batch: [batch[:, 0], batch[:, 1]]), dataset(both)


def two_sizes():
    """Many unlabelled pictures beside few labelled ones."""
    import tensorflow as tf

    unlabelled = dataset(pictures(64), np.arange(64), batch_size=16)
    labelled = dataset(pictures(16), np.arange(16), batch_size=4)
    zipped = tf.data.Dataset.zip((unlabelled, labelled))
    return encoder(lambda batch: [batch[0][0], batch[1][0]]), zipped


@pytest.mark.parametrize("made", [triplets, dicts, pairs, two_sizes])
def test_trains_in_silence(made):
    model, data = made()
    report = fitguard.check_data(model, data)
    assert report.findings == ()
    assert report.facts.sources[0].samples_seen
    model.fit(data, verbose=0)


def test_what_fits_the_input_is_still_judged():
    model, _ = pairs()
    flawed = pictures()
    flawed[5, 0, 0, 0] = np.inf
    report = fitguard.check_data(model, dataset(flawed, flawed))
    assert {finding.code for finding in report.findings} == {"FG641"}
    assert [field.target for field in report.facts.fields] == ["picture", "code"]


def test_arrays_of_different_length_stop_fit_all_the_same():
    model, _ = pairs()
    report = fitguard.check_data(model, pictures(32), np.arange(30))
    assert [finding.code for finding in report.findings] == ["FG609"]
    with pytest.raises(ValueError, match="cardinality"):
        model.fit(pictures(32), np.arange(30), verbose=0)
