"""The child process: it makes the step, trains three steps under the limit, and says how it went.

    python clean_start.py fitguard.memory.measuring.child REQUEST.json

TensorFlow gives GPU memory back only when a process ends, and a limit holds for a process: each
trial has one of its own.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NoReturn

import msgspec

from fitguard.contract.libraries import Library
from fitguard.memory.measuring.confinement import NoGpu, confine, peak_bytes
from fitguard.memory.measuring.data_specs import from_json
from fitguard.memory.measuring.random_batch import random_batch
from fitguard.memory.measuring.request import Answer, Request, SavedModel
from fitguard.memory.training import Training
from fitguard.schema.exit_codes import UnreadableInput

STEPS = 3
"""The first one tries algorithms, the second may allocate more, the third is like all others."""

_OUT_OF_MEMORY = (
    *("ResourceExhausted", "RESOURCE_EXHAUSTED", "OOM when allocating", "out of memory"),
    *("Out of memory", "OUT_OF_MEMORY", "STATUS_ALLOC_FAILED"),
)

_REASON = "Exception encountered: "
"""In front of it, Keras prints the whole config."""
_LONGEST_REASON = 400

Making = Callable[[Request], AbstractContextManager[Training]]


def answer(request_file: str, making: Making) -> NoReturn:
    """Do what a request asks for, and end the process.

    Args:
        making: Makes the training that the request names.
    """
    request = msgspec.json.decode(Path(request_file).read_bytes(), type=Request)
    told = msgspec.json.encode(_run_trial(request, making))
    Path(request.answer).write_bytes(told)
    sys.stderr.flush()
    os._exit(0)  # after an error on the GPU, the usual way out can hang or crash


def _run_trial(request: Request, making: Making) -> Answer:
    gpu = ""
    try:
        gpu = confine(request.device, request.limit_mib)
        with making(request) as training:
            _train(training, request)
            return Answer(ended="ran", gpu=gpu, peak_bytes=peak_bytes(request.device))
    except NoGpu:
        return Answer(ended="no gpu")
    except Exception as error:  # of the user's code, Keras or TensorFlow
        text = f"{type(error).__name__}: {error}"
        spent = any(mark in text for mark in _OUT_OF_MEMORY)
        return Answer(ended="out of memory" if spent else "error", gpu=gpu, error=text)


def _train(training: Training, request: Request) -> None:
    import tensorflow as tf

    batch = random_batch(training, request.batch_size)
    if training.step is not None:
        step = tf.function(training.step, jit_compile=request.jit_compile or None)
        for _ in range(STEPS):
            step(*batch)
        return
    with tf.device("CPU:0"):
        data = tf.data.Dataset.from_tensors(batch).repeat()
    training.model.jit_compile = request.jit_compile
    training.model.fit(data, epochs=1, steps_per_epoch=STEPS, shuffle=False, verbose=0)


@contextlib.contextmanager
def _loading_training(request: Request) -> Iterator[Training]:
    assert isinstance(request.step, SavedModel)
    try:
        model = Library(request.step.library).module("models").load_model(request.step.file)
    except Exception as error:  # a class of the user's that nobody knows here, most of all
        reason = str(error).rpartition(_REASON)[2][:_LONGEST_REASON]
        raise UnreadableInput(
            f"the model cannot be loaded in another process: {type(error).__name__}: {reason}"
        ) from error
    data = from_json(request.step.data)
    yield Training(model=model, data=data, jit_compile=request.jit_compile)


if __name__ == "__main__":
    answer(sys.argv[1], _loading_training)
