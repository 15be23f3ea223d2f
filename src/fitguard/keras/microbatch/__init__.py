"""Micro-batches: one step from several passes over parts of the batch, equal to the whole."""

from fitguard.keras.microbatch.arguments import Arguments
from fitguard.keras.microbatch.batchwise import (
    describe_batch_statistics,
    describe_batchwise,
)
from fitguard.keras.microbatch.evaluation import split_evaluation, split_prediction
from fitguard.keras.microbatch.own_step import OwnStep, as_model, require_trained
from fitguard.keras.microbatch.state_rows import list_states
from fitguard.keras.microbatch.supported import describe_inseparable, describe_unsupported
from fitguard.keras.microbatch.train_step import MicroTrainStep, can_be_tried

__all__ = [
    "Arguments",
    "MicroTrainStep",
    "OwnStep",
    "as_model",
    "can_be_tried",
    "describe_batch_statistics",
    "describe_batchwise",
    "describe_inseparable",
    "describe_unsupported",
    "list_states",
    "require_trained",
    "split_evaluation",
    "split_prediction",
]
