"""Measured once, known later: with children that act, and a folder of the test's own."""

from dataclasses import replace

import keras
import pytest
from memory.linear_estimator import Linear
from memory.measuring.acting import SURROUNDING, acted

from fitguard.memory.measuring.measurements import Measurements
from fitguard.memory.measuring.store import Store
from fitguard.memory.preparation import prepare
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu
from fitguard.schema.plan import Card

MIB = 2**20
T4 = Gpu(name="NVIDIA T4", memory_bytes=15 * 2**30, used_bytes=0)
ESTIMATOR = Linear(fixed=100 * MIB, each=MIB)


def model(units=4):
    made = keras.Sequential([keras.Input((3,)), keras.layers.Dense(units)])
    made.compile("sgd", "mse")
    return made


def here(folder, **settings):
    return Measurements(
        gpus=(T4,),
        driver="580",
        store=Store(folder),
        today=lambda: "2026-01-02",
        surrounding=SURROUNDING,
        **settings,
    )


def card(name=""):
    return Card(name=name, memory_bytes=MIB, free_bytes=MIB, usable_bytes=MIB)


def answered(measurements, batch=32, made=None, on=None):
    with prepare(made or model(), batch) as prepared:
        return measurements.sharpen_estimator(prepared, ESTIMATOR, on).at(batch)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With a measurement of a step that needs 120 MiB at batch 32."""
    made = tmp_path_factory.mktemp("plans")
    first = answered(here(made, wanted=acted("needs 120")))
    assert first.measured.gpu == "NVIDIA T4"
    assert 120 * MIB <= first.required.likely <= 123 * MIB
    return made


def test_a_later_plan_of_the_same_step_knows_it(folder):
    later = answered(here(folder))
    assert later.measured.taken == "2026-01-02"
    assert later.required.high == later.measured.runs_bytes
    assert later.required.low == later.measured.fails_bytes


def test_another_batch_is_scaled(folder):
    scaled = answered(here(folder), batch=64)
    assert scaled.measured is None
    assert scaled.required.likely < 0.95 * ESTIMATOR.at(64).required.likely
    assert "at batch 32 the step ran in" in scaled.reasons[0]


def test_another_step_gpu_or_driver_knows_nothing_of_it(folder):
    unlike = [
        answered(here(folder), made=model(units=5)),
        answered(here(folder), on=card("RTX 3060")),
        answered(replace(here(folder), driver="999")),
        answered(replace(here(folder), gpus=())),
    ]
    assert [one.required for one in unlike] == 4 * [ESTIMATOR.at(32).required]


def test_a_machine_without_a_gpu_knows_it_for_the_card_by_its_name(folder):
    elsewhere = replace(here(folder), gpus=(), driver=None)
    assert answered(elsewhere, on=card("Tesla T4")).measured is not None


def test_spoilt_files_become_a_reason(folder, tmp_path):
    (kept,) = folder.glob("*.json")
    (tmp_path / kept.name).write_text("{")
    answer = answered(here(tmp_path))
    assert answer.required == ESTIMATOR.at(32).required
    assert answer.reasons[0].startswith(f"Warning: the measurement in {kept.name}")


def test_several_replicas_are_refused(tmp_path):
    measurements = here(tmp_path, wanted=acted("needs 1"))
    with (
        prepare(model(), 32, replicas=2) as prepared,
        pytest.raises(UsageError, match="Expected o"),
    ):
        measurements.sharpen_estimator(prepared, ESTIMATOR, None)


def test_the_card_must_be_the_gpu_here(tmp_path):
    measurements = here(tmp_path, wanted=True)
    measurements.require_gpu(card("Tesla T4"))
    measurements.require_gpu(card())
    with pytest.raises(UsageError, match="gpu='RTX 3060', but the GPU here is NVIDIA T4"):
        measurements.require_gpu(card("RTX 3060"))


def test_a_gpu_is_needed_to_measure_and_not_to_plan(tmp_path):
    without = replace(here(tmp_path), gpus=())
    without.require_gpu(None)
    with pytest.raises(UsageError, match="which needs a GPU, and the driver shows none here"):
        replace(without, wanted=True).require_gpu(None)
