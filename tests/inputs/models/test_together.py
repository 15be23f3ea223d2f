"""Trainings that are not guarded, because of other processes."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
import tensorflow as tf

from fitguard.contract.compiling import strategy_name
from fitguard.inputs.models.together import describe_unguarded


def model_under(strategy):
    return SimpleNamespace(_distribute_strategy=strategy)


def test_parameter_servers():
    made = object.__new__(tf.distribute.ParameterServerStrategy)  # it would look for its servers
    assert "ParameterServerStrategy keeps the variables" in describe_unguarded(
        model_under(made), {}
    )


@pytest.mark.parametrize(
    "made",
    [None, tf.distribute.OneDeviceStrategy("CPU:0"), tf.distribute.MirroredStrategy(["CPU:0"])],
)
def test_strategies_of_one_process(made):
    assert describe_unguarded(model_under(made), {}) == ""


def test_horovod(monkeypatch):
    model, several = model_under(None), {"OMPI_COMM_WORLD_SIZE": "4"}
    assert describe_unguarded(model, several) == ""  # mpirun starts other things too
    monkeypatch.setitem(sys.modules, "horovod", ModuleType("horovod"))
    assert "Horovod trains with 4 processes" in describe_unguarded(model, several)
    assert describe_unguarded(model, {"HOROVOD_SIZE": "1"}) == ""


def test_names_are_those_that_people_write():
    for name in ("MultiWorkerMirroredStrategy", "ParameterServerStrategy"):
        made = object.__new__(getattr(tf.distribute, name))
        assert strategy_name(model_under(made)) == name
    assert strategy_name(model_under(None)) is None
    assert strategy_name(SimpleNamespace(_distribution_strategy=made)) == name  # of Keras 2
