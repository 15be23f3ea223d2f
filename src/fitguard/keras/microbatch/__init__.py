"""Micro-batches: one step from several passes over parts of the batch, equal to the whole."""

from fitguard.keras.microbatch.batchwise import (
    describe_batch_statistics,
    describe_batchwise,
)
from fitguard.keras.microbatch.evaluation import split_evaluation, split_prediction
from fitguard.keras.microbatch.supported import describe_inseparable, describe_unsupported
from fitguard.keras.microbatch.train_step import MicroTrainStep

__all__ = [
    "MicroTrainStep",
    "describe_batch_statistics",
    "describe_batchwise",
    "describe_inseparable",
    "describe_unsupported",
    "split_evaluation",
    "split_prediction",
]
