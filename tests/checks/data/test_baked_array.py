import numpy as np
import pytest
from checks.data.made_pipelines import piped, stages
from checks.data.tiny_streams import dataset
from checks.data.tiny_training import only, regression

import fitguard
from fitguard.checks.framework.testing import run_data

MIB = 2**20


def graph_bytes(pipeline) -> int:
    """The size of a pipeline that is written as a graph."""
    import tensorflow as tf

    return len(tf.raw_ops.DatasetToGraphV2(input_dataset=pipeline._variant_tensor).numpy())


def test_a_graph_over_two_gib_fails():
    import tensorflow as tf

    # Zeros that are never touched take no memory.
    large = np.zeros(2**29, "float32")
    with pytest.raises(ValueError, match="tensor proto whose content is larger than 2GB"):
        tf.data.Dataset.range(4).map(lambda number: tf.gather(large, number))


def test_the_array_is_written_with_the_pipeline(tmp_path):
    import tensorflow as tf

    array = np.ones((MIB // 4, 4), "float32")
    baked = tf.data.Dataset.from_tensor_slices(array)
    assert graph_bytes(baked) > array.nbytes
    array.tofile(tmp_path / "array")
    read = tf.data.FixedLengthRecordDataset(str(tmp_path / "array"), 16)
    assert graph_bytes(read) < 10_000


def test_found_in_a_real_pipeline():
    import tensorflow as tf

    x = np.zeros((13_000_000, 4), "float32")
    x[:, :] = np.arange(4)
    large = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(64).prefetch(1)
    report = fitguard.check_data(regression(), large, ignore=("FG631", "FG650"))
    finding = only(report, "FG670")
    assert finding.severity == "warning"
    assert finding.title == "The training pipeline carries 248.0 MiB of arrays in itself"
    assert finding.evidence[0].text == "from_tensor_slices() holds 248.0 MiB"


def test_a_small_array_is_fine():
    assert fitguard.check_data(regression(), dataset()).findings == ()


@pytest.mark.parametrize(
    ("baked_bytes", "severity"),
    [(199 * 10**6, None), (200 * 10**6, "warning"), (2**31 - 1, "warning"), (2**31, "error")],
)
def test_limits(baked_bytes, severity):
    facts = piped(stages(("from_tensor_slices", {"baked_bytes": baked_bytes}), "batch"))
    assert [item.severity for item in run_data("FG670", facts).findings] == [severity] * bool(
        severity
    )


def test_functions_and_sources_count_together():
    facts = piped(
        stages(
            ("from_tensor_slices", {"baked_bytes": 150 * MIB}),
            ("map", {"baked_bytes": 100 * MIB, "function": "look_up"}),
        )
    )
    finding = only(run_data("FG670", facts), "FG670")
    assert [item.text for item in finding.evidence] == [
        "from_tensor_slices() holds 150.0 MiB",
        "map(look_up) holds 100.0 MiB",
    ]
