"""What TensorFlow's GPU kernels allocate: outputs that are inputs again, and temporary memory.

Read off allocation logs of 24 trainings on an H200 (TensorFlow 2.21), see bench/plan/README.md.
"""

from collections.abc import Callable

from fitguard.memory.graph import recurrent
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.shapes import Shape
from fitguard.memory.graph.sizes import NOTHING, Size

VIEWS = frozenset(
    (
        *("Identity", "IdentityN", "StopGradient", "PreventGradient", "CheckNumerics", "Snapshot"),
        *("Reshape", "Squeeze", "ExpandDims", "Bitcast", "EnsureShape", "Placeholder", "_Arg"),
        *("Enter", "RefEnter", "Exit", "NextIteration", "Switch", "_SwitchN", "Merge", "_Retval"),
    )
)
"""Their output is their input."""

IN_PLACE = dict.fromkeys(
    (
        *("Add", "AddV2", "AddN", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "FloorDiv", "Pow"),
        *("Maximum", "Minimum", "SquaredDifference", "Neg", "Exp", "Expm1", "Log", "Log1p", "Abs"),
        *("Sqrt", "Rsqrt", "Square", "Reciprocal", "Sign", "Sin", "Cos", "Tanh", "Sigmoid", "Erf"),
        *("Erfc", "Softplus", "Softsign", "Floor", "Round", "Relu", "Relu6", "LeakyRelu", "Elu"),
        *("Selu", "ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad", "SigmoidGrad"),
        *("TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "SoftplusGrad", "SoftsignGrad"),
        *("BiasAdd", "Softmax", "LogSoftmax", "FusedBatchNorm", "FusedBatchNormV3", "LogicalAnd"),
        *("LogicalOr", "LogicalNot", "Xdivy", "Xlogy", "Select", "SelectV2", "ClipByValue"),
        *("TensorScatterUpdate", "TensorScatterAdd", "ZerosLike", "InvGrad", "Ndtri"),
    ),
    0,
) | {"SparseSoftmaxCrossEntropyWithLogits": 1, "SoftmaxCrossEntropyWithLogits": 1}
"""The output for which they write over an input of the same size that nobody else needs."""

CONVOLUTIONS = frozenset(("Conv2D", "_FusedConv2D", "Conv3D"))
FILTER_GRADIENTS = frozenset(("Conv2DBackpropFilter", "Conv3DBackpropFilterV2"))
INPUT_GRADIENTS = frozenset(("Conv2DBackpropInput", "Conv3DBackpropInputV2"))
CUDNN_CONVOLUTIONS = CONVOLUTIONS | FILTER_GRADIENTS | INPUT_GRADIENTS
REDUCTIONS = frozenset(("Sum", "Mean", "Max", "Min", "Prod", "All", "Any"))


def temporary(node: Node) -> list[Size]:
    """What the kernel allocates for itself while it runs, without cuDNN's workspaces."""
    if node.temporary is None:
        rule = TEMPORARY.get(node.op)
        node.temporary = [size for size in rule(node) if size.factor] if rule else []
    return node.temporary


def _of_convolution(node: Node) -> list[Size]:
    return [
        *_measure_padded_copy(node, input_size(node, 0)),
        *_filter_copy(input_size(node, 1), node),
    ]


def _of_input_gradient(node: Node) -> list[Size]:
    output = output_size(node, 0)
    return [output, *_filter_copy(input_size(node, 1), node), *_measure_padded_copy(node, output)]


def _of_filter_gradient(node: Node) -> list[Size]:
    return [
        *_measure_padded_copy(node, input_size(node, 0)),
        *_filter_copy(output_size(node, 0), node),
    ]


def _of_softmax(node: Node) -> list[Size]:
    """The maxima and the sums are kept at the size of the whole, the sums in 32 bits."""
    given = output_size(node, 0)
    return [given, Size(given.factor * 4 // (node.item_bytes[0] or 4), given.power)]


def _of_reduction(node: Node) -> list[Size]:
    return [input_size(node, 0)] if _is_scattered(node) else []


def _of_pooling(node: Node) -> list[Size]:
    return [input_size(node, 0), output_size(node, 0)]


def _of_pooling_gradient(node: Node) -> list[Size]:
    return [input_size(node, 0), input_size(node, 1), output_size(node, 0)]


def _of_einsum(node: Node) -> list[Size]:
    return [input_size(node, 0), input_size(node, 1)]


def _of_sparse_loss(node: Node) -> list[Size]:
    return [output_size(node, 0)]


TEMPORARY: dict[str, Callable[[Node], list[Size]]] = {
    **dict.fromkeys(CONVOLUTIONS, _of_convolution),
    **dict.fromkeys(INPUT_GRADIENTS, _of_input_gradient),
    **dict.fromkeys(FILTER_GRADIENTS, _of_filter_gradient),
    **dict.fromkeys(REDUCTIONS, _of_reduction),
    **dict.fromkeys(("Softmax", "LogSoftmax"), _of_softmax),
    **dict.fromkeys(("MaxPool3D", "AvgPool3D"), _of_pooling),
    **dict.fromkeys(("MaxPool3DGrad", "AvgPool3DGrad"), _of_pooling_gradient),
    **dict.fromkeys((recurrent.FORWARD, recurrent.BACKWARD), recurrent.workspace),
    "Einsum": _of_einsum,
    "SparseSoftmaxCrossEntropyWithLogits": _of_sparse_loss,
}


def input_size(node: Node, index: int) -> Size:
    """Of what the operation reads there."""
    if index >= len(node.inputs):
        return NOTHING
    producer, output = node.inputs[index]
    return producer.sizes[output] if output < len(producer.sizes) else NOTHING


def _input_shape(node: Node, index: int) -> Shape:
    producer, output = node.inputs[index]
    return producer.shapes[output] if output < len(producer.shapes) else None


def output_size(node: Node, index: int) -> Size:
    """Of what it writes there."""
    return node.sizes[index] if index < len(node.sizes) else NOTHING


def _filter_copy(size: Size, node: Node) -> list[Size]:
    """Filters are turned to the order that cuDNN wants; those of one pixel are in it already."""
    shape = _filter_shape(node)
    return [] if shape and all(axis == 1 for axis in shape[:-2]) else [size]


def _filter_shape(node: Node) -> Shape:
    if node.op in FILTER_GRADIENTS:
        return node.shapes[0] if node.shapes else None
    return _input_shape(node, 1)


def _measure_padded_copy(node: Node, size: Size) -> list[Size]:
    """A copy of the image where one side needs more padding than the other."""
    if node.attributes["padding"].s != b"SAME":
        return []
    shape, window = _image_shape(node), _filter_shape(node)
    if shape is None or window is None or len(shape) != len(window):
        return []
    strides = [stride for stride in node.attributes["strides"].list.i if stride > 1]
    stride = strides[0] if strides else 1
    inner = shape[1:-1]
    grown = [_pad_axis(axis, reach, stride) for axis, reach in zip(inner, window, strict=False)]
    if grown == list(inner):
        return []
    factor = size.factor
    for old, new in zip(inner, grown, strict=True):
        factor = factor * new // old
    return [Size(factor, size.power)]


def _pad_axis(axis: int, reach: int, stride: int) -> int:
    """The axis with the part of SAME padding that is not the same on both sides."""
    total = max((-(-axis // stride) - 1) * stride + reach - axis, 0)
    return axis + total % 2


def _image_shape(node: Node) -> Shape:
    """Of the larger side of a convolution, channels last as it was traced."""
    if node.op in INPUT_GRADIENTS:
        return node.shapes[0] if node.shapes else None
    return _input_shape(node, 0)


def _is_scattered(node: Node) -> bool:
    """Whether the axes that are summed lie apart, so that the kernel turns the data first."""
    shape, axes = _input_shape(node, 0), node.inputs[1][0].attributes
    if shape is None or "value" not in axes:
        return False
    from tensorflow import make_ndarray

    reduced = {int(axis) % len(shape) for axis in make_ndarray(axes["value"].tensor).flatten()}
    kinds = [axis in reduced for axis, length in enumerate(shape) if length != 1]
    groups = sum(kind != before for before, kind in zip([None, *kinds], kinds, strict=False))
    return groups > 3
