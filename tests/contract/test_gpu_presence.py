"""A GPU that is only supposed."""

from typing import Any

import keras
import pytest
import tensorflow as tf
import tf_keras

from fitguard.contract.gpu_presence import gpu_supposed


def gpus() -> list[str]:
    return [device.name for device in tf.config.list_logical_devices("GPU")]


def operations_of(layer: Any) -> set[str]:
    layer.build((None, 5, 3))
    function = tf.function(lambda given: layer(given))
    graph = function.get_concrete_function(tf.TensorSpec((2, 5, 3), tf.float32)).graph
    return {operation.type for operation in graph.get_operations()}


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_the_rnn_of_cudnn_is_taken_inside_and_not_outside(kind: str, library: Any) -> None:
    make = getattr(library.layers, kind)
    with gpu_supposed():
        inside = operations_of(make(4))
    assert "CudnnRNNV3" in inside
    assert "CudnnRNNV3" not in operations_of(make(4))


def test_the_list_of_devices_is_as_before() -> None:
    before = tf.config.list_logical_devices
    with gpu_supposed():
        assert gpus() == ["/device:GPU:0"]
        assert len(tf.config.list_logical_devices()) == len(before()) + 1
        assert [one.device_type for one in tf.config.list_logical_devices("CPU")] == ["CPU"]
    assert tf.config.list_logical_devices is before
    with pytest.raises(RuntimeError, match="in between"), gpu_supposed():
        raise RuntimeError("in between")
    assert tf.config.list_logical_devices is before
    assert gpus() == []
