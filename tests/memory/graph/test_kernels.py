"""The memory that kernels take while they run."""

from collections.abc import Callable

import pytest
import tensorflow as tf
from memory.graph.graphs import BATCH, nodes_of, the

from fitguard.memory.graph.kernels import temporary
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.workspace import convolution_bytes

IMAGES = (BATCH, 32, 32, 3)
IMAGE_BYTES = 32 * 32 * 3 * 4


def convolution(side: int, strides: int, padding: str) -> Callable[[tf.Tensor], tf.Tensor]:
    filters = tf.ones((side, side, 3, 8))
    return lambda images: tf.nn.conv2d(images, filters, strides, padding)


def test_filters_are_copied_to_another_order() -> None:
    node = the(nodes_of(convolution(3, 1, "SAME"), IMAGES), "Conv2D")
    assert temporary(node) == [Size(3 * 3 * 3 * 8 * 4)]


def test_filters_of_one_pixel_are_in_that_order() -> None:
    assert temporary(the(nodes_of(convolution(1, 1, "SAME"), IMAGES), "Conv2D")) == []


@pytest.mark.parametrize(
    ("side", "strides", "padding", "padded"),
    [
        (3, 2, "SAME", 33),
        (3, 1, "SAME", None),
        (4, 1, "SAME", 33),
        (4, 2, "SAME", None),
        (3, 2, "VALID", None),
    ],
)
def test_images_are_copied_where_the_padding_is_not_even(
    side: int, strides: int, padding: str, padded: int | None
) -> None:
    node = the(nodes_of(convolution(side, strides, padding), IMAGES), "Conv2D")
    batched = [size.factor for size in temporary(node) if size.power]
    assert batched == ([] if padded is None else [pytest.approx(padded**2 * 3 * 4, rel=0.001)])


def test_the_gradient_of_the_input_is_computed_elsewhere_first() -> None:
    filters = tf.ones((3, 3, 8, 3))

    def function(images: tf.Tensor) -> tf.Tensor:
        return tf.nn.conv2d_transpose(images, filters, (BATCH, 64, 64, 8), 2)

    node = the(nodes_of(function, IMAGES), "Conv2DBackpropInput")
    assert temporary(node)[0] == node.sizes[0] == Size(64 * 64 * 8 * 4, 1)


@pytest.mark.parametrize(
    ("axes", "scattered"), [((1, 2), False), ((0, 3), False), ((0,), False), ((0, 2), True)]
)
def test_sums_over_axes_that_lie_apart_turn_the_data_first(
    axes: tuple[int, ...], scattered: bool
) -> None:
    node = the(nodes_of(lambda images: tf.reduce_sum(images, axes), IMAGES), "Sum")
    assert temporary(node) == ([Size(IMAGE_BYTES, 1)] if scattered else [])


def test_softmax_of_half_precision_sums_in_single_precision() -> None:
    def function(images: tf.Tensor) -> tf.Tensor:
        return tf.nn.softmax(tf.cast(images, tf.float16))

    given = Size(IMAGE_BYTES // 2, 1)
    assert temporary(the(nodes_of(function, IMAGES), "Softmax")) == [given, Size(IMAGE_BYTES, 1)]


def test_other_kernels_take_nothing() -> None:
    assert temporary(the(nodes_of(tf.exp, IMAGES), "Exp")) == []


def test_what_a_convolution_reads_and_writes() -> None:
    nodes = nodes_of(lambda images: tf.exp(convolution(3, 1, "SAME")(images)), IMAGES)
    assert convolution_bytes(the(nodes, "Conv2D")) == Size(IMAGE_BYTES + 32 * 32 * 8 * 4, 1)
    assert convolution_bytes(the(nodes, "Exp")).factor == 0
