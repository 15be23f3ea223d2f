"""What cuDNN's RNN needs: a reserve that the backward pass reads, and a workspace.

Neither is documented; the factors were read off allocation logs of six layers on an H200
(TensorFlow 2.21, cuDNN 9.3), see bench/plan/README.md.
"""

from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.sizes import NOTHING, Size

RESERVE = {b"lstm": 5.0, b"gru": 6.0}
"""Times the output."""
WORKSPACE = {b"lstm": (5.54, 1.0), b"gru": (4.15, 3.04)}
"""Times the output, times the input; the parameters come on top."""
FORWARD, BACKWARD = "CudnnRNNV3", "CudnnRNNBackpropV3"


def add_reserve(node: Node) -> None:
    """Its size is known to nobody before the kernel runs."""
    if node.op == FORWARD and len(node.sizes) > 3:
        factor = RESERVE.get(node.attributes["rnn_mode"].s, 5.0)
        node.sizes[3] = _times(node.sizes[0], factor)


def workspace(node: Node) -> list[Size]:
    """Of the forward and of the backward pass alike."""
    of_output, of_input = WORKSPACE.get(node.attributes["rnn_mode"].s, WORKSPACE[b"lstm"])
    output = node.sizes[0] if node.op == FORWARD else _find_input_size(node, 5)
    given, parameters = _find_input_size(node, 0), _find_input_size(node, 3)
    if output.power != given.power:
        return [_times(output, of_output + of_input), parameters]
    total = of_output * output.factor + of_input * given.factor
    return [Size(int(total), output.power), parameters]


def _times(size: Size, factor: float) -> Size:
    return Size(int(size.factor * factor), size.power)


def _find_input_size(node: Node, index: int) -> Size:
    producer, output = node.inputs[index]
    return producer.sizes[output] if output < len(producer.sizes) else NOTHING
