import msgspec
import pytest
from checks.data.held_memory import ELEMENTS, MIB, held_bytes, memory_map, slices
from checks.data.made_facts import facts_of, field
from checks.data.made_pipelines import piped, source, stages
from checks.data.tiny_training import only

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.hardware import Host

ARRAYS = source(kind="arrays", container="numpy.ndarray")


def wide():
    import keras

    model = keras.Sequential([keras.Input((MIB // 4,)), keras.layers.Dense(1, name="price")])
    model.compile(keras.optimizers.SGD(1e-6), "mse")
    return model


def test_fit_reads_a_whole_memory_map(tmp_path):
    whole, in_slices = held_bytes("fit_of_memory_map", "fit_of_slices")
    assert whole >= ELEMENTS * MIB
    assert in_slices < 0.1 * ELEMENTS * MIB
    mapped = memory_map(tmp_path)
    report = fitguard.check_data(wide(), *mapped, ignore="FG61")
    assert report.findings == ()
    small = msgspec.structs.replace(report.facts, host=Host(available_bytes=100 * MIB))
    finding = only(run_data("FG678", small), "FG678")
    assert finding.severity == "error"
    assert finding.title.startswith("fit copies 128.0 MiB of arrays, and 100.0 MiB of memory")
    assert finding.evidence[0].text == "float32, 128.0 MiB, a memory map"
    report = fitguard.check_data(wide(), slices(*mapped), ignore="FG61")
    small = msgspec.structs.replace(report.facts, host=Host(available_bytes=100 * MIB))
    assert run_data("FG678", small).findings == ()


def test_a_shuffle_fills_its_buffer_first():
    of_all, of_two = held_bytes("shuffle_of_all", "shuffle_of_two")
    assert of_all >= (ELEMENTS - 1) * MIB  # one was read
    assert of_two < 0.1 * ELEMENTS * MIB


@pytest.mark.parametrize(
    ("dtype", "size_bytes", "severity"),
    [
        ("float32", 101 * MIB, "error"),
        ("float32", 81 * MIB, "warning"),
        ("float32", 80 * MIB, None),
        ("float64", 150 * MIB, None),
        ("float32", None, None),
    ],
)
def test_arrays(dtype, size_bytes, severity):
    facts = facts_of(
        field(dtype=dtype, size_bytes=size_bytes),
        sources=(ARRAYS,),
        host=Host(available_bytes=100 * MIB),
    )
    found = [item.severity for item in run_data("FG678", facts).findings]
    assert found == [severity] * bool(severity)


def test_training_and_validation_count_together():
    facts = facts_of(
        field(size_bytes=60 * MIB),
        field(split="validation", size_bytes=60 * MIB),
        sources=(ARRAYS, msgspec.structs.replace(ARRAYS, split="validation")),
        host=Host(available_bytes=100 * MIB),
    )
    assert "120.0 MiB" in only(run_data("FG678", facts), "FG678").title


@pytest.mark.parametrize(
    ("buffer", "elements", "count"), [(200, 1000, 1), (200, 50, 0), (200, None, 1), (50, -1, 0)]
)
def test_shuffle_buffers(buffer, elements, count):
    pipeline = stages(
        ("from_tensor_slices", {"elements": elements}),
        ("shuffle", {"buffer_size": buffer, "element_bytes": MIB}),
    )
    facts = piped(pipeline, host=Host(available_bytes=100 * MIB))
    assert len(run_data("FG678", facts).findings) == count


def test_skipped_where_memory_is_not_known():
    assert run_data("FG678", facts_of(field(), sources=(ARRAYS,))).skipped
