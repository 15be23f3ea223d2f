"""What cannot be exact when a run is resumed, told from the data before the first step."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fitguard.keras.position.pipeline import Stage, stages
from fitguard.keras.position.sources import draws_without_seed, mentions_random
from fitguard.keras.position.unseeded import no_global_seed


@dataclass
class Judgement:
    """What is known of the training data.

    Args:
        inexact: Why a resumed run may differ.
        if_drawn: The same, should reading the data draw from Python's or NumPy's generators.
        notes: What else is worth a word.
        begins_anew: Whether each new iterator begins anew, whatever was read before.
        variables: Handles of the variables that the pipeline uses.
        draws: Whether reading the data is known to draw from the global generators.
    """

    inexact: list[str] = field(default_factory=list)
    if_drawn: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    begins_anew: bool = True
    variables: list[Any] = field(default_factory=list)
    draws: bool = False


def judge(data: Any, x: Any = None, *, seeded_orders: bool, workers: bool = False) -> Judgement:
    """What can be told before the first step.

    Args:
        data: What Keras reads the batches from: `EpochData`.
        x: What `fit` was given.
        seeded_orders: Whether orders of rows without a seed are drawn from the seed of the run.
        workers: Whether several workers read a Python object.
    """
    judgement = Judgement()
    if data.kind == "arrays":
        _judge_array(data, judgement, seeded_orders)
        return judgement
    if data.kind in _KINDS:
        _KINDS[data.kind](data, x, judgement, workers)
    _judge_pipeline(data.dataset, judgement)
    return judgement


def _judge_array(data: Any, judgement: Judgement, seeded_orders: bool) -> None:
    if data.shuffles and no_global_seed() and not seeded_orders:
        judgement.inexact.append(
            "The order of the rows is drawn without a seed: a resumed run draws another one. "
            "Set one with keras.utils.set_random_seed or tf.random.set_seed."
        )


def _judge_generator(_: Any, x: Any, judgement: Judgement, workers: bool) -> None:
    judgement.begins_anew = False
    judgement.notes.append(
        "The data come from a Python generator: to come back to a batch it is read again from its "
        "start, which takes time."
    )
    unseeded = draws_without_seed(x)
    if unseeded:
        judgement.inexact.append(
            f"The Python generator uses {unseeded}, which differs in each process: a resumed run "
            "may see other batches. Give it a seed, or use a keras.utils.PyDataset."
        )
    if workers:
        judgement.inexact.append(
            "Several workers read the Python generator at once: the order of batches changes from "
            "run to run. Use workers=1, or a keras.utils.PyDataset."
        )


def _judge_python_data(data: Any, _: Any, judgement: Judgement, workers: bool) -> None:
    given, keras3 = data.python_data, data.generation == 3
    judgement.draws = data.shuffles
    judgement.begins_anew = not (keras3 and getattr(given, "num_batches", 0) is None)
    if not workers:
        return
    if data.shuffles and not keras3:
        judgement.inexact.append(
            "The workers of Keras 2 shuffle the Sequence once more at some moment of each epoch: "
            "the orders change from run to run. Use workers=1, or shuffle=False."
        )
    drawn = (
        f"{type(given).__name__} draws random numbers while several workers read it: which batch "
        "gets which numbers changes from run to run. Draw them from a generator that is seeded "
        "with the number of the batch."
    )
    (judgement.inexact if mentions_random(type(given)) else judgement.if_drawn).append(drawn)


def _judge_torch(_: Any, __: Any, judgement: Judgement, ___: bool) -> None:
    judgement.inexact.append(
        "The data come from a torch DataLoader: the state of torch's random generators is not "
        "kept, so a resumed run may see another order."
    )


_KINDS = {
    "generator": _judge_generator,
    "python": _judge_python_data,
    "torch": _judge_torch,
}


def _judge_pipeline(dataset: Any, judgement: Judgement) -> None:
    found = list(stages(dataset))
    judgement.inexact.extend(dict.fromkeys(_sentences(found, _unordered(dataset))))
    judgement.variables.extend(handle for stage in found for handle in stage.variables)
    if any(stage.python and stage.parallel for stage in found):
        judgement.if_drawn.append(
            "The tf.data pipeline calls Python code that draws random numbers, several calls at "
            "once: their order changes from run to run."
        )
    if _caches_chance(found):
        judgement.begins_anew = False


def _sentences(found: list[Stage], unordered: bool) -> Iterator[str]:
    for stage in found:
        if stage.unseeded and stage.shuffles:
            yield (
                "A shuffle of the tf.data pipeline has no seed: a resumed run sees another order. "
                "Give it one: shuffle(…, seed=1)."
            )
        elif stage.unseeded:
            yield (
                f"A function of the tf.data pipeline draws random numbers without a seed "
                f"({', '.join(stage.unseeded)}): a resumed run draws others. Call "
                "tf.random.set_seed, or use the stateless operations of tf.random."
            )
        elif stage.random and stage.parallel and not _operations_deterministic():
            yield (
                "A map of the tf.data pipeline draws random numbers in several calls at once: "
                "which element gets which numbers changes from run to run. Leave "
                "num_parallel_calls away there, or use the stateless operations of tf.random."
            )
        if stage.unordered or (unordered and stage.parallel):
            yield (
                "The tf.data pipeline has deterministic=False: the order of elements changes from "
                "run to run."
            )


def _unordered(dataset: Any) -> bool:
    options = getattr(getattr(dataset, "_original_dataset", dataset), "options", None)
    return options is not None and options().deterministic is False


def _caches_chance(found: list[Stage]) -> bool:
    """Whether what the first epoch drew is cached: then only that epoch gives it again."""
    for number, stage in enumerate(found):
        if stage.name == "CacheDataset":
            return any(s.shuffles or s.random or s.python for s in found[number + 1 :])
    return False


def _operations_deterministic() -> bool:
    from tensorflow.python.framework import config

    return bool(config.is_op_determinism_enabled())
