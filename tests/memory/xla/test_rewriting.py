"""What XLA makes of activations and of pooling."""

from memory.xla.hand_made import F32, HandMade

from fitguard.memory.xla.rewriting import expand_select_and_scatter, without_relu
from fitguard.memory.xla.sizes import evaluate


def relu_of(made: HandMade, *, is_zero: bool) -> tuple[int, int, int]:
    """x, relu(x), and the zeros that it was compared with."""
    value = made.parameter(8)
    zeros = made.add("broadcast", made.constant(is_zero=is_zero), width=8)
    return value, made.add("maximum", value, zeros, width=8), zeros


def test_a_comparison_reads_what_went_into_the_activation() -> None:
    made = HandMade()
    value, activated, zeros = relu_of(made, is_zero=True)
    assert without_relu(made.graph, [activated, zeros]) == [value, zeros]


def test_a_maximum_with_another_number_stays() -> None:
    made = HandMade()
    _, activated, ones = relu_of(made, is_zero=False)
    assert without_relu(made.graph, [activated, ones]) == [activated, ones]


def test_the_gradient_of_pooling_keeps_the_place_of_each_maximum() -> None:
    made = HandMade()
    whole, pooled = made.parameter(16), made.parameter(4)
    start = made.constant(is_zero=True)
    (result,) = expand_select_and_scatter(made.graph, [whole, pooled, start], 4, "pool")
    by_opcode = {operation.opcode: operation for operation in made.graph.operations}
    places = by_opcode["index-rows"].results[0]
    assert evaluate(made.graph.values[places].bytes, 10) == 10 * 4 * 4 * 4
    assert len(by_opcode["reduce-window"].results) == 4
    assert made.graph.values[result].dims == made.graph.values[whole].dims
    assert made.graph.values[result].dtype == F32


def test_zeros_of_an_activation_are_taken_and_exist_twice() -> None:
    made = HandMade()
    whole, activated, _ = relu_of(made, is_zero=True)
    pooled, start = made.parameter(4), made.constant(is_zero=True)
    expand_select_and_scatter(made.graph, [activated, pooled, start], 4, "pool")
    (zeros,) = [one for one in made.graph.operations if one.opcode == "zeros"]
    assert len(zeros.results) == 2
    assert whole not in zeros.results
