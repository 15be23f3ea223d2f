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
