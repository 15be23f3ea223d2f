"""The kernels that update a variable."""

from memory.xla.hand_made import HandMade

from fitguard.memory.xla.kernels import kernels
from fitguard.memory.xla.updates import join_updates


def adam(*, read_elsewhere: bool) -> HandMade:
    """A gradient, the update of a slot, and that of the variable."""
    made = HandMade()
    variable, slot = made.parameter(8), made.parameter(8)
    gradient = made.add("convolution", variable, width=8)
    moved = made.add("add", slot, gradient, width=8)
    made.graph.outputs = [moved, made.add("subtract", variable, moved, width=8)]
    made.graph.aliases = {0: 1, 1: 0}
    if read_elsewhere:
        made.graph.outputs.append(made.add("reduce", moved))
    return made


def test_a_variable_and_its_slot_are_updated_by_one_kernel() -> None:
    made = adam(read_elsewhere=False)
    found = join_updates(made.graph, kernels(made.graph, 64))
    assert len(found) == 2
    assert set(found[1].writes) == set(made.graph.outputs)
    assert not set(found[1].reads).intersection(found[1].writes)


def test_a_slot_that_others_read_stays_apart() -> None:
    made = adam(read_elsewhere=True)
    assert len(join_updates(made.graph, kernels(made.graph, 64))) == 4
