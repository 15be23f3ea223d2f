"""What cannot be exact when a run is resumed, told from the data before the first step."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fitguard.contract.datasets.classes import VARIANT
from fitguard.contract.datasets.distributed import original_of
from fitguard.contract.datasets.stages import DatasetStage
from fitguard.contract.runtime import op_determinism_enabled
from fitguard.keras.position.python_state import reaches_sources
from fitguard.keras.position.roots import python_roots
from fitguard.keras.position.sources import draws_without_seed
from fitguard.keras.position.unseeded import no_global_seed


@dataclass
class Exactness:
    """What is known of the training data.

    Args:
        inexact: Why a resumed run may differ.
        if_drawn: The same, should the user's code draw from Python's or NumPy's generators while
            the data are read.
        notes: What else is worth a word.
        begins_anew: Whether each new iterator begins anew, whatever was read before.
        variables: Handles of the variables that the pipeline uses.
        python: Where the ways into Python objects begin that reading may change.
        draws: Whether Keras itself draws from Python's generator, for the order of batches.
    """

    inexact: list[str] = field(default_factory=list)
    if_drawn: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    begins_anew: bool = True
    variables: list[Any] = field(default_factory=list)
    python: dict[str, Any] = field(default_factory=dict)
    draws: bool = False


def assess_data(
    data: Any,
    x: Any = None,
    *,
    seeded_orders: bool,
    workers: bool = False,
    draws: bool = False,
) -> Exactness:
    """What can be told before the first step.

    Args:
        data: What Keras reads the batches from: `EpochData`.
        x: What `fit` was given.
        seeded_orders: Whether orders of rows without a seed are drawn from the seed of the run.
        workers: Whether several workers read a Python object.
        draws: Whether making a batch of it draws from generators that all batches share.
    """
    exactness = Exactness(python=python_roots(data))
    if data.kind == "arrays":
        _assess_array(data, exactness, seeded_orders)
        return exactness
    if data.kind == "generator":
        _assess_generator(x, exactness, workers)
    elif data.kind == "python":
        _assess_python_data(data, exactness, workers, draws)
    elif data.kind == "torch":
        _assess_torch(data.loader, exactness)
    _assess_pipeline(data.dataset, exactness)
    return exactness


def assess_validation(x: Any, validation: Any) -> list[str]:
    """Why a resumed run may differ because of what training and validation data share."""
    import tensorflow as tf

    if validation is x or not all(isinstance(one, tf.data.Dataset) for one in (x, validation)):
        return []
    shuffles = [
        {id(stage.dataset) for stage in DatasetStage(one).pipeline() if stage.reshuffles}
        for one in (x, validation)
    ]
    if not shuffles[0] & shuffles[1]:
        return []
    return [
        "Training and validation data come from the same shuffle, whose order changes each time "
        "you read one of them. A resumed run may see others. Shuffle after take and skip, or "
        "with reshuffle_each_iteration=False."
    ]


def _assess_array(data: Any, exactness: Exactness, seeded_orders: bool) -> None:
    if data.shuffles and no_global_seed() and not seeded_orders:
        exactness.inexact.append(
            "The order of the rows is drawn without a seed: a resumed run draws another one. "
            "Set one with keras.utils.set_random_seed or tf.random.set_seed."
        )


def _assess_generator(x: Any, exactness: Exactness, workers: bool) -> None:
    exactness.begins_anew = False
    exactness.notes.append(
        "The data come from a Python generator. To get back to a batch, fitguard reads it again "
        "from the start, which takes time."
    )
    unseeded = draws_without_seed(x)
    if unseeded:
        exactness.inexact.append(
            f"The Python generator uses {unseeded}, which differs in each process: a resumed run "
            "may see other batches. Give it a seed, or use a keras.utils.PyDataset."
        )
    if workers:
        exactness.inexact.append(
            "Several workers read the Python generator at once: the order of batches changes from "
            "run to run. Use workers=1, or a keras.utils.PyDataset."
        )


def _assess_python_data(data: Any, exactness: Exactness, workers: bool, draws: bool) -> None:
    given, keras3 = data.python_data, data.generation == 3
    exactness.draws = data.shuffles
    exactness.begins_anew = not (keras3 and getattr(given, "num_batches", 0) is None)
    unseeded = draws_without_seed(given)
    if unseeded:
        exactness.inexact.append(
            f"{type(given).__name__} uses {unseeded} without a seed, which differs in each "
            "process: a resumed run may see other batches. Seed it with the number of the batch."
        )
    if not workers:
        return
    if data.shuffles and not keras3:
        exactness.inexact.append(
            "The workers of Keras 2 shuffle the Sequence again at some moment of each epoch, and "
            "the order changes from run to run. Use workers=1, or shuffle=False."
        )
    drawn = (
        f"{type(given).__name__} draws random numbers while several workers read it: which batch "
        "gets which numbers changes from run to run. Draw them from a generator that is seeded "
        "with the number of the batch."
    )
    if draws:
        exactness.inexact.append(drawn)
    elif not data.ends_epochs_in_workers:
        # Later batches may draw though the first ones did not.
        exactness.if_drawn.append(drawn)


def _assess_torch(loader: Any, exactness: Exactness) -> None:
    # Each iterator takes the seed of its workers from torch's generator.
    exactness.draws = True
    if not loader.num_workers:
        return
    if not getattr(loader, "in_order", True):
        exactness.inexact.append(
            "The torch DataLoader has in_order=False: the order of batches changes from run to "
            "run. Remove it."
        )
    if loader.persistent_workers:
        exactness.inexact.append(
            "The workers of the torch DataLoader keep running from epoch to epoch "
            "(persistent_workers=True). Their state, random numbers included, is not saved. Remove "
            "it, so that each epoch gets new workers."
        )


def _assess_pipeline(dataset: Any, exactness: Exactness) -> None:
    original = original_of(dataset)
    if original.dataset is None:
        exactness.inexact.append(f"{original.unread} So a resumed run may see other batches.")
        return
    found = DatasetStage(original.dataset).pipeline()
    exactness.inexact.extend(why_pipeline_differs(original.dataset))
    for stage in found:
        for function in stage.functions.values():
            exactness.variables.extend(function.variables)
    at_once = [one for stage in found if stage.calls_at_once for one in _python_of(stage)]
    if at_once:
        (exactness.inexact if reaches_sources(at_once) else exactness.if_drawn).append(
            "The tf.data pipeline calls Python code that draws random numbers, several calls at "
            "once: their order changes from run to run. Remove num_parallel_calls there."
        )
    if any(_caches_chance(stage) for stage in found if stage.name == "cache"):
        exactness.begins_anew = False


def why_pipeline_differs(dataset: Any, *, orders_kept: bool = False) -> list[str]:
    """Why a `tf.data` pipeline, when it is read again, may give something else.

    Args:
        orders_kept: Whether the orders of its shuffles are kept, with a seed or without.
    """
    last = DatasetStage(dataset)
    unordered = last.dataset.options().deterministic is False
    return list(dict.fromkeys(_sentences(last.pipeline(), unordered, orders_kept)))


def _sentences(found: list[DatasetStage], unordered: bool, orders_kept: bool) -> Iterator[str]:
    for stage in found:
        if stage.opaque and stage.kind != VARIANT:
            yield (
                f"fitguard cannot look into a stage of the tf.data pipeline ({stage.kind}). A "
                "resumed run may get other data from it."
            )
        functions = stage.functions.values()
        unseeded = sorted({kind for function in functions for kind in function.unseeded})
        if stage.draws and not stage.seeded and not orders_kept:
            yield (
                "A shuffle of the tf.data pipeline has no seed: a resumed run sees another order. "
                "Give it one: shuffle(…, seed=1)."
            )
        elif unseeded:
            yield (
                f"A function of the tf.data pipeline draws random numbers without a seed "
                f"({', '.join(unseeded)}): a resumed run draws others. Call "
                "tf.random.set_seed, or use the stateless operations of tf.random."
            )
        elif stage.calls_at_once and _keeps_state(stage) and not op_determinism_enabled():
            yield (
                "A map of the tf.data pipeline draws random numbers in several calls at once: "
                "which element gets which numbers changes from run to run. Remove "
                "num_parallel_calls there, or use the stateless operations of tf.random."
            )
        if stage.reorders(allowed=unordered):
            yield (
                "The tf.data pipeline has deterministic=False: the order of elements changes from "
                "run to run."
            )


def _python_of(stage: DatasetStage) -> list[Any]:
    return [one for function in stage.functions.values() for one in function.python]


def _runs_python(stage: DatasetStage) -> bool:
    return any(function.runs_python for function in stage.functions.values())


def _keeps_state(stage: DatasetStage) -> bool:
    return any(function.keeps_state for function in stage.functions.values())


def _caches_chance(cache: DatasetStage) -> bool:
    """Whether what the first epoch drew is cached: then only that epoch gives it again."""
    return any(s.draws or _keeps_state(s) or _runs_python(s) for s in cache.pipeline())
