"""XLA's autotuning in the output: lines of a real H200."""

import pytest

from fitguard.supervise.autotuning import AutotuningWatch

XLA = (
    b"W0000 00:00:1794705963.541981   19675 bfc_allocator.cc:502] Allocator (GPU_0_bfc) ran out of "
    b"memory trying to allocate 320.00MiB (rounded to 335548160)requested by op \n"
)
OUR_OWN = (
    b"W0000 00:00:1794757010.104531   31337 bfc_allocator.cc:502] Allocator (GPU_0_bfc) ran out of "
    b"memory trying to allocate 1.33GiB (rounded to 1424807680)requested by op "
    b"__inference__run_610\n"
)
GRAPH = (
    b"W0000 00:00:1794706402.432446   23037 bfc_allocator.cc:502] Allocator (GPU_0_bfc) ran out of "
    b"memory trying to allocate 2.00GiB (rounded to 2147483648)requested by op "
    b"sequential_1/dense_1_2/MatMul\n"
)
NO_FAILURE = (
    b"2020-04-29 16:25:36.594950: W tensorflow/core/common_runtime/bfc_allocator.cc:243] Allocator "
    b"(GPU_0_bfc) ran out of memory trying to allocate 1.25GiB with freed_by_count=0. The caller "
    b"indicates that this is not a failure, but may mean that there could be performance gains if "
    b"more memory were available.\n"
)


class Output:
    """Lines that come ten seconds apart, as the allocator waits."""

    def __init__(self):
        self.now = 0.0
        self.watch = AutotuningWatch(20.0, clock=lambda: self.now)
        self.watch.look(7)

    def write(self, line, times, beats=7):
        for _ in range(times):
            self.now += 10.0
            self.watch.hear(line)
        return self.watch.look(beats)


@pytest.mark.parametrize("line", [XLA, OUR_OWN])
def test_failures_without_end_are_seen(line):
    found = Output().write(line, 5)
    assert len(found) == 4
    assert found[0] == line.decode().strip()


@pytest.mark.parametrize("line", [GRAPH, NO_FAILURE, b"step 1\n"])
def test_other_lines_do_not_count(line):
    assert Output().write(line, 20) == ()


def test_a_few_are_not_enough():
    assert Output().write(XLA, 3) == ()


def test_a_step_in_between_forgives():
    output = Output()
    output.write(XLA, 3)
    assert output.watch.look(8) == ()
    assert output.write(XLA, 3, beats=8) == ()


def test_many_at_once_are_not_yet_hopeless():
    output = Output()
    for _ in range(10):
        output.watch.hear(XLA)
    assert output.watch.look(7) == ()


def test_lines_may_come_in_pieces():
    output = Output()
    for _ in range(5):
        output.now += 10.0
        for start in range(0, len(XLA), 7):
            output.watch.hear(XLA[start : start + 7])
    assert output.watch.look(7)
