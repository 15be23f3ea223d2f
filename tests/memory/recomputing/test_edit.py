"""The edited graph of a step that XLA compiles."""

import keras
from memory.recomputing.deep_network import deep, trace

from fitguard.memory.recomputing.edit import NAME, edit_definition, editing, make_edit
from fitguard.memory.recomputing.graph import SMALL_BYTES, read_graph, run_on_paper
from fitguard.memory.recomputing.groups import find_groups
from fitguard.memory.recomputing.segments import Stash


def edit_twice(nodes):
    """All between a few cuts, and inside of that what is cheap once more."""
    stash = Stash(run_on_paper(nodes))
    first = make_edit(stash, find_groups(stash, stash.choose_cuts(2), keep_expensive=False))
    with editing(nodes, first) as edited:
        stash = Stash(run_on_paper(edited))
        groups = find_groups(stash, [], keep_expensive=True)
        return first, make_edit(stash, groups, f"{NAME}_twice")


def test_no_copy_reads_a_large_value_past_its_barrier():
    """XLA would find that the copy is the same as its original, and keep the original."""
    graph = trace(deep(keras))
    definition = graph.as_graph_def()

    def type_of(name, _):
        while name.startswith(NAME):
            name = name.split("/", 2)[2]
        return graph.get_operation_by_name(name).outputs[0].dtype.as_datatype_enum

    for edit in edit_twice(read_graph(graph)):
        edit_definition(definition, edit, type_of)
    large = {
        operation.name
        for operation in graph.get_operations()
        if operation.type not in ("Const", "Placeholder", "ReadVariableOp")
        for output in operation.outputs
        if (output.shape.num_elements() or 0) * output.dtype.size >= SMALL_BYTES
    }
    copies = [node for node in definition.node if node.name.startswith(NAME)]
    assert any(node.name.startswith(f"{NAME}_twice") for node in copies)
    past = [
        (node.name, given)
        for node in copies
        if node.op != "XlaOptimizationBarrier"
        for given in node.input
        if given.partition(":")[0] in large
    ]
    assert past == []
