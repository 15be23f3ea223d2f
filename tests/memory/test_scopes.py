"""Layers by the names of operations."""

import keras

from fitguard.memory.scopes import Scopes


def model() -> keras.Model:
    inner = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, name="dense")], name="inner")
    outer = keras.Sequential(
        [
            keras.Input((4,)),
            keras.layers.Dense(4, name="dense"),
            keras.layers.Dense(4, name="dense_1"),
            inner,
        ],
        name="outer",
    )
    outer.compile("adam", "mse")
    return outer


SCOPES = (
    "outer_1/dense_1/MatMul",
    "outer_1/dense_1_2/MatMul",
    "gradient_tape/outer_1/dense_1_2/MatMul/MatMul_1",
    "outer_1/inner_1/dense_2/MatMul",
    "compile_loss/mse/Mean",
    "adam/Sqrt",
)


def test_numbered_scopes_find_their_layer() -> None:
    scopes = Scopes(model(), SCOPES)
    assert [scopes.layer(scope) for scope in SCOPES] == [
        "dense",
        "dense_1",
        "dense_1",
        "dense",
        "",
        "",
    ]
    assert scopes.kinds["dense_1"] == "Dense"


def test_phases() -> None:
    scopes = Scopes(model(), SCOPES)
    assert scopes.phase(SCOPES[0]) == "forward"
    assert scopes.phase(SCOPES[2]) == "backward"
    assert scopes.phase("AddN_3") == "backward"
    assert scopes.phase(SCOPES[5]) == "update"


def test_a_step_without_a_model_has_no_layers() -> None:
    assert Scopes(None, SCOPES).layer(SCOPES[0]) == ""
