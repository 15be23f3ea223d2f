"""Where the time of a trace went."""

import pytest

from fitguard.contract.xplane import TraceEvent
from fitguard.keras.profiling.time_shares import describe_shares, find_shares, join_intervals

HOST = "/host:CPU"
GPU = "/device:GPU:0"


def event(line, name, begin, end, plane=HOST):
    return TraceEvent(plane, line, name, begin * 1e9, end * 1e9)


def test_on_a_cpu_operations_compute_and_the_iterator_waits():
    seconds, shares = find_shares(
        [
            event("python", "EagerExecute", 0, 10),
            event("tf_data_iterator_get_next/1", "IteratorGetNextOp::DoCompute", 1, 5),
            event("tf_data_iterator_resource/1", "Iterator::Root::MapAndBatch::Map", 0, 10),
            event("tf_data_private_threadpool/1", "PyFunc:PyFunc", 0, 10),
            event("tf_Compute/1", "StatefulPartitionedCall/Compile_loss/Mul_3:Mul", 4, 6),
            event("tf_Compute/2", "StatefulPartitionedCall/adam/Mul_4:Mul", 5, 7),
            event("python", "XlaCompileOp", 7, 8),
        ]
    )
    assert seconds == pytest.approx(10)
    assert shares == pytest.approx(
        {"kernels": 0.3, "copies": 0, "compilation": 0.1, "input": 0.3, "host": 0.3}
    )
    told = describe_shares(5, 10.0, {"kernels": 0.2, "input": 0.7, "host": 0.1, "copies": 0.001})
    assert told == (
        "5 steps took 10 s: 70% waiting for data, 20% computing, 10% in Python and the runtime"
    )
    assert describe_shares(1, 0.0123, {"kernels": 1.0}) == "1 step took 12 ms: 100% computing"


def test_on_a_gpu_its_streams_count_and_operations_of_the_host_do_not():
    _, shares = find_shares(
        [
            event("python", "train", 0, 10),
            event("tf_Compute/1", "sequential/dense/MatMul:MatMul", 0, 10),
            event("Stream #13(Compute)", "ampere_sgemm_128x64_nn", 2, 6, GPU),
            event("Stream #14(MemcpyH2D)", "MemcpyH2D", 5, 8, GPU),
            event("TensorFlow Ops", "sequential/dense/MatMul", 0, 10, GPU),
        ]
    )
    assert shares == pytest.approx(
        {"kernels": 0.4, "copies": 0.2, "compilation": 0, "input": 0, "host": 0.4}
    )


def test_an_empty_trace_says_nothing():
    assert find_shares([]) == (0.0, {})


def test_intervals_are_joined():
    assert join_intervals([(3, 4), (0, 2), (1, 3), (5, 6)]) == [(0, 4), (5, 6)]
