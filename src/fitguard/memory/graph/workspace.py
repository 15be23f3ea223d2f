"""The workspaces that cuDNN takes for convolutions where memory is ample.

Which algorithms it tries, and what they need, is not documented. With room, peaks of the measured
steps (bench/plan/measured.csv) were up to 3.4 times what the step needs; the factors here are the
ones that cover them.
"""

from fitguard.memory.graph import kernels
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.sizes import NOTHING, Size

LIKELY, MOST = 3, 24
"""Times what the convolution reads and writes."""
CAP_BYTES = 6 * 2**30
"""An algorithm that wants more was never seen."""


def convolution_bytes(node: Node) -> Size:
    """What a convolution reads and writes; nothing for other operations."""
    if node.op not in kernels.CUDNN_CONVOLUTIONS:
        return NOTHING
    sizes = [kernels.input_size(node, index) for index in range(min(3, len(node.inputs)))]
    sizes.append(kernels.output_size(node, 0))
    power = max(size.power for size in sizes)
    return Size(sum(size.factor for size in sizes if size.power == power), power)
