import numpy as np
import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.tiny_streams import dataset, generator
from checks.data.tiny_training import only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Failure, Source


def stream_of(shape):
    """A generator of what `shape` makes of x and y."""
    return (shape(x, y) for x, y in generator())


def test_four_parts_stop_training():
    def four(x, y):
        return x, y, y[:, 0], y[:, 0]

    found = only(fitguard.check_data(regression(), stream_of(four)), "FG613")
    assert found.severity == "error"
    assert "Batch 0 of the generator" in found.title
    assert "4 parts" in found.title
    with pytest.raises(ValueError, match="Data is expected to be in format"):
        regression().fit(stream_of(four), verbose=0)


def test_dataset_of_four_parts_stops_training():
    four = dataset().map(lambda x, y: (x, y, y[:, 0], y[:, 0])).prefetch(1)
    assert "4 parts" in only(fitguard.check_data(regression(), four), "FG613").title
    with pytest.raises(ValueError, match="Data is expected to be in format"):
        regression().fit(four, verbose=0)


@pytest.mark.parametrize(
    ("shape", "kind"), [(lambda x, y: [x, y], "list"), (lambda x, y: {"x": x, "y": y}, "dict")]
)
def test_generator_must_yield_tuples(shape, kind):
    report = fitguard.check_data(regression(), stream_of(shape), select="FG613")
    found = only(report, "FG613")
    assert found.title == f"The generator yields a {kind}; Keras 3 takes tuples only"
    with pytest.raises(ValueError, match="the generator must return a tuple"):
        regression().fit(stream_of(shape), verbose=0)


def test_list_is_the_only_finding():
    only(fitguard.check_data(regression(), stream_of(lambda x, y: [x, y])), "FG613")


def test_lists_of_numbers_stop_training():
    def lists(x, y):
        return x.tolist(), y.tolist()

    report = fitguard.check_data(regression(), stream_of(lists))
    assert only(report, "FG613").severity == "error"
    with pytest.raises(ValueError, match="must be at least rank 1"):
        regression().fit(stream_of(lists), verbose=0)


def test_tuples_train_in_silence():
    def three(x, y):
        return x, y, np.ones(len(x))

    report = fitguard.check_data(regression(), stream_of(three))
    assert report.findings == ()
    regression().fit(report.x, verbose=0)


def test_pydataset_may_return_a_list():
    import keras

    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 2

        def __getitem__(self, index):
            x, y = table()
            return [x[index::2], y[index::2]]

    report = fitguard.check_data(regression(), Batches())
    assert report.findings == ()
    regression().fit(Batches(), verbose=0)


def test_tf_keras_takes_lists_and_own_steps_take_anything():
    listed = Source(kind="generator", container="generator", element="list")
    data = facts_of(model=model_of(library="tf_keras 2.21.0"), sources=(listed,))
    assert run_data("FG613", data).findings == ()
    four = Source(kind="dataset", container="tf.data.Dataset", malformed=Failure(0, "4 parts"))
    data = facts_of(model=model_of(custom_step=True), sources=(four,))
    assert run_data("FG613", data).findings == ()


def test_nothing_read_is_nothing_said():
    unread = Source(kind="generator", container="torch.DataLoader", unread="not read")
    assert run_data("FG613", facts_of(sources=(unread,))).findings == ()


def of_lengths(*lengths):
    for length in lengths:
        yield np.zeros((8, length, 2), "float32"), np.zeros((8, 1), "float32")


def of_any_length(keras):
    layers = [keras.Input((None, 2)), keras.layers.LSTM(2), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile("sgd", "mse")
    return model


def test_first_two_batches_promise_the_shape_of_all():
    import keras

    report = fitguard.check_data(of_any_length(keras), of_lengths(5, 5, 6), steps_per_epoch=3)
    found = next(each for each in report.findings if each.severity == "error")
    assert found.code == "FG613"
    assert found.title == (
        "Batch 2 of the generator has x of shape (8, 6, 2); by the first two batches Keras 3 "
        "expects (None, 5, 2)"
    )
    with pytest.raises(Exception, match=r"where an element of shape \(None, 5, 2\)"):
        of_any_length(keras).fit(of_lengths(5, 5, 6), steps_per_epoch=3, verbose=0)


def test_first_two_batches_that_differ_leave_the_axis_open():
    import keras

    model = of_any_length(keras)
    report = fitguard.check_data(model, of_lengths(5, 6, 7, 5), steps_per_epoch=4)
    assert report.ok
    model.fit(report.x, steps_per_epoch=4, verbose=0)


def test_tf_keras_leaves_all_axes_open():
    import tf_keras

    model = of_any_length(tf_keras)
    assert fitguard.check_data(model, of_lengths(5, 5, 6), steps_per_epoch=3).ok
    model.fit(of_lengths(5, 5, 6), steps_per_epoch=3, verbose=0)


def test_first_batches_of_a_pydataset_that_were_not_read():
    source = Source(
        kind="pydataset",
        container="Rows",
        element="tuple",
        batch_shapes=((8, 5), (8, 6)),
        shapes_from=(0, 7),
    )
    assert run_data("FG613", facts_of(sources=(source,))).findings == ()


def test_nothing_at_all():
    import keras

    class Rows(keras.utils.PyDataset):
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return None if index == 1 else tuple(part[:8] for part in table())

    found = only(fitguard.check_data(regression(), Rows()), "FG613")
    assert "Batch 1 of the Rows" in found.title
    with pytest.raises(Exception, match="must return a tuple or a dict"):
        regression().fit(Rows(), verbose=0)


def two_inputs():
    import keras

    sides = [keras.Input((4,), name=name) for name in ("left", "right")]
    model = keras.Model(sides, keras.layers.Dense(1)(keras.layers.concatenate(sides)))
    model.compile("sgd", "mse")
    return model


def in_batches(together):
    import keras

    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 2

        def __getitem__(self, index):
            x, y = table()
            return together((x[index::2], x[index::2])), y[index::2]

    return Batches()


@pytest.mark.parametrize("made", ["generator", "pydataset"])
def test_a_list_of_inputs_stops_keras_3(made):
    def stream(together):
        if made == "pydataset":
            return in_batches(together)
        return stream_of(lambda x, y: (together((x, x)), y))

    found = only(fitguard.check_data(two_inputs(), stream(list)), "FG613")
    assert "yields a list of arrays inside its tuple" in found.title
    with pytest.raises(TypeError, match="found <class 'list'>"):
        two_inputs().fit(stream(list), verbose=0)
    assert fitguard.check_data(two_inputs(), stream(tuple)).findings == ()
    two_inputs().fit(stream(tuple), verbose=0)


def test_tf_keras_takes_a_list_of_inputs():
    listed = Source(kind="generator", container="generator", element="tuple with a list")
    facts = facts_of(model=model_of(library="tf_keras 2.21.0"), sources=(listed,))
    assert run_data("FG613", facts).findings == ()
