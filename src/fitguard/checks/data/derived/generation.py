"""Keras 2 and Keras 3 treat data differently."""

from fitguard.contract.libraries import Library
from fitguard.schema.model import ModelFacts


def is_keras_2(model: ModelFacts) -> bool:
    """Whether the model is one of Keras 2: tf_keras, or keras before 3."""
    return Library.parse(model.library).generation == 2
