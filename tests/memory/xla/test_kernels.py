"""Which values exist in memory."""

from memory.xla.hand_made import HandMade

from fitguard.memory.xla.graph import Graph
from fitguard.memory.xla.kernels import kernels


def opcodes(graph: Graph) -> list[str]:
    return [graph.operations[kernel.operation].opcode for kernel in kernels(graph, 64)]


def test_a_chain_of_cheap_operations_is_one_kernel() -> None:
    made = HandMade()
    value = made.parameter(8)
    for opcode in ("add", "multiply", "negate"):
        value = made.add(opcode, value, width=8)
    made.graph.outputs = [value]
    (only,) = kernels(made.graph, 64)
    assert only.reads == tuple(made.graph.parameters)
    assert only.writes == (value,)


def test_what_a_product_reads_is_stored() -> None:
    made = HandMade()
    scaled = made.add("multiply", made.parameter(8), width=8)
    made.graph.outputs = [made.add("dot", scaled, made.parameter(8))]
    assert opcodes(made.graph) == ["multiply", "dot"]


def test_a_cheap_operation_is_computed_again_for_each_of_its_readers() -> None:
    made = HandMade()
    scaled = made.add("multiply", made.parameter(8), width=8)
    made.graph.outputs = [made.add("reduce", scaled), made.add("negate", scaled, width=8)]
    assert opcodes(made.graph) == ["reduce", "negate"]


def test_an_expensive_operation_with_two_readers_is_stored() -> None:
    made = HandMade()
    value = made.parameter(8)
    for _ in range(20):
        value = made.add("power", value, width=8)
    made.graph.outputs = [made.add("reduce", value), made.add("negate", value, width=8)]
    assert opcodes(made.graph) == ["power", "reduce", "negate"]


def test_what_nobody_needs_is_left_out() -> None:
    made = HandMade()
    value = made.parameter(8)
    made.add("dot", value, value)
    made.graph.outputs = [made.add("negate", value, width=8)]
    assert opcodes(made.graph) == ["negate"]
