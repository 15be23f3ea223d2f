import msgspec
import numpy as np
import pytest
from checks.data.made_facts import facts_of, field
from checks.data.made_pipelines import piped, source, stages
from checks.data.memory_growth import MIB, own_bytes, settled_bytes
from checks.data.tiny_training import only

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.hardware import Host

SAMPLES, COLUMNS = 256, MIB // 4
ARRAYS = source(kind="arrays", container="numpy.ndarray")


def wide():
    import keras

    model = keras.Sequential([keras.Input((COLUMNS,)), keras.layers.Dense(1, name="price")])
    model.compile(keras.optimizers.SGD(1e-6), "mse")
    return model


@pytest.fixture
def mapped(tmp_path):
    """256 MiB in a file."""
    x = np.memmap(tmp_path / "x", "float32", "w+", shape=(SAMPLES, COLUMNS))
    x[:] = np.linspace(-1, 1, COLUMNS, dtype="float32")
    x[:, 0] = np.arange(SAMPLES)
    x.flush()
    return np.memmap(tmp_path / "x", "float32", "r", shape=x.shape)


def growth(model, *data) -> int:
    """The most that the process gained in a training of a few small steps."""
    import keras

    before, most = settled_bytes(), 0

    class Watch(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
            nonlocal most
            most = max(most, own_bytes() - before)

    sizes = {"batch_size": 1} if len(data) > 1 else {}
    model.fit(*data, steps_per_epoch=3, verbose=0, callbacks=[Watch()], **sizes)
    return most


def slices(x, y):
    import keras

    class Slices(keras.utils.PyDataset):
        def __len__(self):
            return len(x)

        def __getitem__(self, number):
            return x[number : number + 1], y[number : number + 1]

    return Slices()


def test_fit_reads_a_whole_memory_map(mapped):
    y = np.arange(SAMPLES, dtype="float32")[:, np.newaxis]
    assert growth(wide(), mapped, y) > 0.7 * mapped.nbytes
    assert growth(wide(), slices(mapped, y)) < 0.5 * mapped.nbytes
    report = fitguard.check_data(wide(), mapped, y, ignore="FG61")
    assert report.findings == ()
    small = msgspec.structs.replace(report.facts, host=Host(available_bytes=200 * MIB))
    finding = only(run_data("FG678", small), "FG678")
    assert finding.severity == "error"
    assert finding.title.startswith("fit copies 256.0 MiB of arrays, and 200.0 MiB of memory")
    assert finding.evidence[0].text == "float32, 256.0 MiB, a memory map"
    report = fitguard.check_data(wide(), slices(mapped, y), ignore="FG61")
    small = msgspec.structs.replace(report.facts, host=Host(available_bytes=200 * MIB))
    assert run_data("FG678", small).findings == ()


def test_a_shuffle_fills_its_buffer_first():
    import tensorflow as tf

    def first(buffer: int) -> int:
        numbers = tf.data.Dataset.range(64)
        made = numbers.map(lambda number: tf.fill((4 * COLUMNS,), tf.cast(number, tf.float32)))
        before = settled_bytes()
        iterator = iter(made.shuffle(buffer))
        next(iterator)
        return own_bytes() - before

    assert first(64) > 180 * MIB  # of 256; memory that earlier tests give back counts against it
    assert first(2) < 90 * MIB


@pytest.mark.parametrize(
    ("dtype", "size_bytes", "severity"),
    [
        ("float32", 101 * MIB, "error"),
        ("float32", 81 * MIB, "warning"),
        ("float32", 80 * MIB, None),
        ("float64", 150 * MIB, None),
        ("float32", None, None),
    ],
)
def test_arrays(dtype, size_bytes, severity):
    facts = facts_of(
        field(dtype=dtype, size_bytes=size_bytes),
        sources=(ARRAYS,),
        host=Host(available_bytes=100 * MIB),
    )
    found = [item.severity for item in run_data("FG678", facts).findings]
    assert found == [severity] * bool(severity)


def test_training_and_validation_count_together():
    facts = facts_of(
        field(size_bytes=60 * MIB),
        field(split="validation", size_bytes=60 * MIB),
        sources=(ARRAYS, msgspec.structs.replace(ARRAYS, split="validation")),
        host=Host(available_bytes=100 * MIB),
    )
    assert "120.0 MiB" in only(run_data("FG678", facts), "FG678").title


@pytest.mark.parametrize(
    ("buffer", "elements", "count"), [(200, 1000, 1), (200, 50, 0), (200, None, 1), (50, -1, 0)]
)
def test_shuffle_buffers(buffer, elements, count):
    pipeline = stages(
        ("from_tensor_slices", {"elements": elements}),
        ("shuffle", {"buffer_size": buffer, "element_bytes": MIB}),
    )
    facts = piped(pipeline, host=Host(available_bytes=100 * MIB))
    assert len(run_data("FG678", facts).findings) == count


def test_skipped_where_memory_is_not_known():
    assert run_data("FG678", facts_of(field(), sources=(ARRAYS,))).skipped
