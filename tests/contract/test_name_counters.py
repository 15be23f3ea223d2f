"""Layers made afterwards have the names that they would have had."""

from typing import Any

import keras
import pytest
import tf_keras

from fitguard.contract.name_counters import keeping_name_counters


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_names_are_given_again(library: Any) -> None:
    library.layers.Dense(1)
    with keeping_name_counters():
        inside = library.layers.Dense(1).name

    assert library.layers.Dense(1).name == inside
    assert library.layers.Dense(1).name != inside
