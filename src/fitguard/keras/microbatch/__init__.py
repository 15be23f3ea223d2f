"""Micro-batches: one step from several passes over parts of the batch, equal to the whole."""

from fitguard.keras.microbatch.batchwise import batchwise
from fitguard.keras.microbatch.evaluation import split_evaluation, split_prediction
from fitguard.keras.microbatch.supported import inseparable, unsupported
from fitguard.keras.microbatch.train_step import MicroTrainStep

__all__ = [
    "MicroTrainStep",
    "batchwise",
    "inseparable",
    "split_evaluation",
    "split_prediction",
    "unsupported",
]
