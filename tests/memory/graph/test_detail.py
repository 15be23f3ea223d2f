"""What fills the memory at the dearest moment, by layer and over the step."""

import keras
import pytest
from memory.graph.tiny_steps import compiled, estimator_of, of_function, step_of, training_of

from fitguard.memory.estimate import Estimate
from fitguard.memory.graph.estimator import BESIDE_BYTES, graph_estimator
from fitguard.memory.graph.owners import Owners
from fitguard.schema.plan import LayerCost

BATCH = 3000
NAMES = ("dense", "dense of tf_keras", "convolutions", "loop of 5", "scaled")
PARTS = ("weights", "optimizer", "gradients", "activations", "workspace", "input", "slack")


@pytest.fixture(scope="module")
def estimates() -> dict[str, Estimate]:
    return {name: estimator_of(name).at(BATCH, detail=True) for name in NAMES}


def layer(estimate: Estimate, name: str) -> LayerCost:
    (found,) = (cost for cost in estimate.layers if cost.name == name)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_parts_add_up(estimates: dict[str, Estimate], name: str) -> None:
    breakdown, required = estimates[name].breakdown, estimates[name].required
    assert sum(getattr(breakdown, part) for part in PARTS) == required.likely
    assert breakdown.slack >= BESIDE_BYTES
    assert breakdown.context == 0


@pytest.mark.parametrize("name", ["dense", "dense of tf_keras"])
def test_the_parts_of_a_dense_net(estimates: dict[str, Estimate], name: str) -> None:
    breakdown, model = estimates[name].breakdown, training_of(name).model
    weights = 4 * model.count_params()
    assert breakdown.weights == pytest.approx(weights, abs=1000)
    assert breakdown.optimizer == pytest.approx(2 * weights, abs=1000)
    assert breakdown.input == BATCH * (64 + 1) * 4
    assert breakdown.activations > BATCH * (128 + 128 + 10) * 4


@pytest.mark.parametrize("name", NAMES)
def test_the_parts_of_a_layer_add_up_to_it(estimates: dict[str, Estimate], name: str) -> None:
    layers = estimates[name].layers
    assert [cost.bytes for cost in layers] == sorted((cost.bytes for cost in layers), reverse=True)
    for cost in layers:
        variable = cost.weights_bytes + cost.optimizer_bytes + cost.gradients_bytes
        assert cost.bytes == variable + cost.activations_bytes + cost.workspace_bytes
        assert 0 <= cost.grows_bytes * BATCH <= cost.bytes


def test_layers_with_the_names_that_keras_gives_are_told_apart(
    estimates: dict[str, Estimate],
) -> None:
    """TensorFlow calls the scope of the layer `dense` by the name `dense_1`."""
    for name in ("dense", "dense of tf_keras"):
        first = layer(estimates[name], "dense")
        assert first.kind == "Dense"
        assert first.weights_bytes == 4 * (64 * 128 + 128)
        assert first.optimizer_bytes == pytest.approx(2 * first.weights_bytes, abs=64)
        assert first.grows_bytes >= 128 * 4
        assert layer(estimates[name], "dense_1").weights_bytes == 4 * (128 * 128 + 128)


def test_a_looped_lstm_holds_the_most(estimates: dict[str, Estimate]) -> None:
    first = estimates["loop of 5"].layers[0]
    assert (first.name, first.kind) == ("lstm", "LSTM")
    assert first.activations_bytes > 0.8 * estimates["loop of 5"].breakdown.activations


def test_what_is_inside_of_a_layer_belongs_to_it() -> None:
    given = keras.Input((6, 32))
    value = keras.layers.MultiHeadAttention(2, 16, name="attention")(given, given)
    inner = keras.Sequential([keras.Input((6, 32)), keras.layers.Dense(8, name="inside")])
    value = keras.layers.Dense(10, activation="softmax", name="classes")(inner(value))
    model = keras.Model(given, value)
    estimate = graph_estimator(compiled(model)).at(BATCH, detail=True)
    names = [cost.name for cost in estimate.layers]
    assert sorted(names) == ["attention", "classes", "inside"]
    attention = layer(estimate, "attention")
    assert attention.weights_bytes == 4 * model.get_layer("attention").count_params()


@pytest.mark.parametrize("name", NAMES)
def test_the_peak_of_the_curve(estimates: dict[str, Estimate], name: str) -> None:
    curve, breakdown = estimates[name].curve, estimates[name].breakdown
    highest = curve.moments[curve.peak].bytes
    assert highest == max(moment.bytes for moment in curve.moments)
    held = sum(getattr(breakdown, part) for part in PARTS[:-1])
    assert highest == pytest.approx(held, rel=0.02)
    assert len(curve.moments) <= 801


@pytest.mark.parametrize("name", NAMES)
def test_layers_hold_no_more_than_all_at_any_moment(
    estimates: dict[str, Estimate], name: str
) -> None:
    curve = estimates[name].curve
    assert len(curve.layers) <= 8
    for moment in curve.moments:
        assert len(moment.held) == len(curve.layers)
        assert min(moment.held) >= 0
        assert sum(moment.held) <= moment.bytes


@pytest.mark.parametrize("name", ["dense", "dense of tf_keras", "convolutions"])
def test_phases_are_in_order(estimates: dict[str, Estimate], name: str) -> None:
    """Small operations run whenever they can; products and convolutions tell where a step is."""
    curve = estimates[name].curve
    large = [one.phase for one in curve.moments if one.operation.startswith(("MatMul", "Conv2D"))]
    assert large == sorted(large, key=("forward", "backward").index)
    assert {*large} == {"forward", "backward"}
    last = [one.phase for one in curve.moments if one.operation.startswith("AssignSub")]
    assert {*last} <= {"update"}


def test_phases_of_operations() -> None:
    step = step_of("dense")
    owners = Owners(training_of("dense"), step.nodes)
    found = {
        (node.op, owners.phase(node))
        for node in step.nodes
        if node.op in ("BiasAdd", "BiasAddGrad", "AssignSubVariableOp")
    }
    assert found == {
        ("BiasAdd", "forward"),
        ("BiasAddGrad", "backward"),
        ("AssignSubVariableOp", "update"),
    }


def test_a_step_without_a_model_has_parts_and_no_layers() -> None:
    import tensorflow as tf
    from memory.graph.step_functions import chain

    given = of_function(chain, tf.TensorSpec((None, 1024), tf.float32))
    estimate = graph_estimator(given).at(BATCH, detail=True)
    assert estimate.layers == ()
    assert estimate.breakdown.input == BATCH * 1024 * 4
    assert estimate.breakdown.activations == pytest.approx(BATCH * 1024 * 4, rel=0.01)
