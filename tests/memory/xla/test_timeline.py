"""What is in memory while the kernels run."""

from memory.xla.hand_made import HandMade

from fitguard.memory.xla.timeline import Timeline

BATCH = 1024
WIDE = 256
ARRAY = 4 * WIDE * BATCH


def chain(*opcodes: str) -> HandMade:
    made = HandMade()
    value = made.parameter(WIDE)
    for opcode in opcodes:
        value = made.add(opcode, value, width=WIDE)
    made.graph.outputs = [value]
    return made


def test_a_kernel_that_cannot_work_in_place_needs_its_operand_and_its_result() -> None:
    peak = Timeline(chain("convolution", "convolution").graph, BATCH).peak
    assert peak.bytes == 2 * ARRAY


def test_a_kernel_that_works_in_place_needs_one_of_them() -> None:
    peak = Timeline(chain("convolution", "negate").graph, BATCH).peak
    assert peak.bytes == ARRAY
    assert len(peak.live) == 1


def test_an_output_that_overwrites_a_parameter_needs_nothing() -> None:
    made = chain("negate")
    made.graph.aliases = {0: 0}
    assert Timeline(made.graph, BATCH).peak.bytes == 0


def test_a_softmax_does_not_write_over_what_it_reads() -> None:
    made = HandMade()
    scores = made.add("convolution", made.parameter(WIDE), width=WIDE)
    total = made.add("reduce", scores)
    made.graph.outputs = [made.add("divide", scores, total, width=WIDE)]
    assert Timeline(made.graph, BATCH).peak.bytes == 2 * ARRAY + 4 * BATCH


def test_the_same_order_at_another_batch_size() -> None:
    timeline = Timeline(chain("convolution", "convolution").graph, BATCH)
    assert timeline.at(2 * BATCH).peak.bytes == 2 * timeline.peak.bytes


def test_the_order_frees_memory_early() -> None:
    made = HandMade()
    sums = []
    for _ in range(4):
        large = made.add("convolution", made.parameter(WIDE), width=WIDE)
        sums.append(made.add("reduce", large))
    made.graph.outputs = sums
    assert Timeline(made.graph, BATCH).peak.bytes < 2 * ARRAY
