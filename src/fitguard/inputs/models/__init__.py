"""A live Keras model in, `ModelFacts` out. Nothing in it is built, run or traced."""

from fitguard.inputs.models.describing import describe as describe
