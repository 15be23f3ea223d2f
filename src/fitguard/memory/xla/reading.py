"""From two HLO modules of one step, at two batch sizes, to one graph for all batch sizes."""

from typing import Any

from fitguard.memory.xla.graph import TUPLE, Graph, Operation, Value
from fitguard.memory.xla.rewriting import expand_select_and_scatter, without_relu
from fitguard.memory.xla.sizes import NotAffine, Polynomial, dimension

VIEWS = frozenset({"reshape", "bitcast", "copy", "optimization-barrier", "add-dependency"})
"""What XLA turns into nothing: the same memory under another shape."""

UNIQUE = frozenset({"rng", "while", "conditional", "custom-call", "infeed", "outfeed"})
"""Two of these on the same operands are not one."""


class NotAlike(ValueError):
    """The two modules are not one step at two batch sizes."""


def read_graph(modules: tuple[Any, Any], batches: tuple[int, int]) -> Graph:
    """The graph of the modules' entry computations.

    Raises:
        NotAlike: The step has another form at the second batch size.
    """
    reader = _Reader(modules, batches)
    entries = tuple(module.entry_computation_id for module in modules)
    graph = reader.graph(entries[0], entries[1])
    for entry in modules[0].input_output_alias.entries:
        if len(entry.output_shape_index) == 1:
            graph.aliases[entry.output_shape_index[0]] = entry.parameter_number
    return graph


class _Reader:
    def __init__(self, modules: tuple[Any, Any], batches: tuple[int, int]) -> None:
        self.batches = batches
        self.first = {computation.id: computation for computation in modules[0].computations}
        self.second = {computation.id: computation for computation in modules[1].computations}

    def graph(self, first: int, second: int) -> Graph:
        graph = Graph()
        parameters = {
            instruction.parameter_number: (instruction, other)
            for instruction, other in self._pairs(first, second)
            if instruction.opcode == "parameter"
        }
        given = []
        for number in sorted(parameters):
            leaves = self._new_values(graph, *parameters[number], producer=None)
            graph.parameters += leaves
            given.append(leaves)
        graph.outputs = self._read(graph, first, second, given, {})
        return graph

    def _pairs(self, first: int, second: int) -> list[tuple[Any, Any]]:
        left, right = self.first[first].instructions, self.second[second].instructions
        if [one.opcode for one in left] != [other.opcode for other in right]:
            raise NotAlike("other operations at another batch size")
        return list(zip(left, right, strict=True))

    def _read(
        self,
        graph: Graph,
        first: int,
        second: int,
        given: list[list[int]],
        known: dict[Any, list[int]],
    ) -> list[int]:
        """Adds the operations of a computation; gives the values of its root."""
        found: dict[int, list[int]] = {}
        leaves: dict[int, list[int]] = {}
        for one, other in self._pairs(first, second):
            operands = [found[index] for index in one.operand_ids]
            leaves[one.id] = [_leaf_count(shape) for shape in one.shape.tuple_shapes]
            if one.opcode == "parameter":
                found[one.id] = given[one.parameter_number]
            elif one.opcode == "get-tuple-element":
                counts = leaves[one.operand_ids[0]]
                start = sum(counts[: one.tuple_index])
                found[one.id] = operands[0][start : start + counts[one.tuple_index]]
            elif one.opcode == "call":
                bodies = one.called_computation_ids[0], other.called_computation_ids[0]
                found[one.id] = self._read(graph, *bodies, operands, known)
            else:
                found[one.id] = self._add(graph, one, other, operands, known)
        return found[self.first[first].root_id]

    def _add(
        self,
        graph: Graph,
        one: Any,
        other: Any,
        operands: list[list[int]],
        known: dict[Any, list[int]],
    ) -> list[int]:
        flat = [value for operand in operands for value in operand]
        if one.opcode == "tuple" or _is_view(one, graph, flat):
            return flat
        if one.opcode == "compare":
            flat = without_relu(graph, flat)
        if one.opcode == "select-and-scatter":
            rank = len(one.shape.dimensions)
            return expand_select_and_scatter(graph, flat, rank, one.metadata.op_name)
        details = self._details(one)
        values = self._values(one, other, len(graph.operations))
        key = (one.opcode, tuple(flat), details, tuple((v.dims, v.dtype) for v in values))
        if key in known and one.opcode not in UNIQUE:
            return known[key]
        bodies = self._bodies(one, other)
        results = [graph.add_value(value) for value in values]
        graph.operations.append(
            Operation(
                one.opcode,
                tuple(flat),
                tuple(results),
                one.metadata.op_name,
                bodies,
                details,
                tuple(dimension.size for dimension in one.window.dimensions),
                max(one.feature_group_count, one.batch_group_count, 1),
                one.opcode == "constant" and _is_zero(one.literal),
            )
        )
        known[key] = (
            _select_loop_results(bodies, flat, results) if one.opcode == "while" else results
        )
        return known[key]

    def _details(self, instruction: Any) -> bytes:
        """What distinguishes it beside operands and shape, as bytes to compare."""
        rest = type(instruction)()
        rest.CopyFrom(instruction)
        for name in ("name", "id", "metadata", "operand_ids", "shape", "called_computation_ids"):
            rest.ClearField(name)
        rest.ClearField("frontend_attributes")
        called = [self.first[index] for index in instruction.called_computation_ids]
        roots = [one.opcode for body in called for one in body.instructions]
        return bytes(rest.SerializeToString()) + ",".join(roots).encode()

    def _bodies(self, one: Any, other: Any) -> tuple[Graph, ...]:
        if one.opcode not in ("while", "conditional"):
            return ()
        pairs = zip(one.called_computation_ids, other.called_computation_ids, strict=True)
        bodies = tuple(self.graph(first, second) for first, second in pairs)
        if one.opcode == "while":
            for body in bodies:
                body.aliases = _find_overwritten(body)
        return bodies

    def _new_values(self, graph: Graph, one: Any, other: Any, producer: int | None) -> list[int]:
        return [graph.add_value(value) for value in self._values(one, other, producer)]

    def _values(self, one: Any, other: Any, producer: int | None) -> list[Value]:
        pairs = zip(_leaf_shapes(one.shape), _leaf_shapes(other.shape), strict=True)
        return [self._value(left, right, producer) for left, right in pairs]

    def _value(self, one: Any, other: Any, producer: int | None) -> Value:
        try:
            dims: tuple[Polynomial, ...] = tuple(
                dimension(left, right, self.batches)
                for left, right in zip(one.dimensions, other.dimensions, strict=True)
            )
        except NotAffine as error:
            raise NotAlike(f"a dimension that does not follow the batch: {error}") from error
        return Value.of(dims, one.element_type, producer)


def _find_overwritten(body: Graph) -> dict[int, int]:
    """The outputs of a loop's body that are written into the memory of what came in."""
    places = {value: at for at, value in enumerate(body.parameters)}
    found = {}
    for at, value in enumerate(body.outputs):
        while (producer := body.values[value].producer) is not None:
            if body.operations[producer].opcode != "dynamic-update-slice":
                break
            value = body.operations[producer].operands[0]
        if places.get(value) == at:
            found[at] = at
    return found


def _select_loop_results(
    bodies: tuple[Graph, ...], given: list[int], results: list[int]
) -> list[int]:
    """The results of a loop, where what each round passes on as it came is what was given."""
    passed = [
        any(body.outputs[at : at + 1] == [parameter] for body in bodies)
        for at, parameter in enumerate(bodies[0].parameters)
    ]
    return [old if same else new for old, same, new in zip(given, passed, results, strict=True)]


def _leaf_shapes(shape: Any) -> list[Any]:
    if shape.element_type != TUPLE:
        return [shape]
    return [leaf for part in shape.tuple_shapes for leaf in _leaf_shapes(part)]


def _leaf_count(shape: Any) -> int:
    return len(_leaf_shapes(shape))


def _is_zero(literal: Any) -> bool:
    return not any(any(found) for field, found in literal.ListFields() if field.name != "shape")


def _is_view(instruction: Any, graph: Graph, operands: list[int]) -> bool:
    if instruction.opcode in VIEWS:
        return True
    if instruction.opcode == "convert":
        return bool(graph.values[operands[0]].dtype == instruction.shape.element_type)
    if instruction.opcode == "transpose":
        return list(instruction.dimensions) == sorted(instruction.dimensions)
    return instruction.opcode == "concatenate" and len(operands) == 1
