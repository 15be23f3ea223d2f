"""All that the next step depends on, into a snapshot and back."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from fitguard.keras.fitting.replicas import count_local_replicas
from fitguard.keras.snapshots.content import Content
from fitguard.keras.start import digest_start
from fitguard.keras.state.callbacks import (
    read_callbacks,
    select_skipped_attributes,
    write_callbacks,
)
from fitguard.keras.state.model_state import ModelState, places
from fitguard.keras.state.randomness import READ_BY_DATA, read_random, write_random
from fitguard.keras.state.replicas import count_saved_replicas
from fitguard.keras.state.tensors import Lend
from fitguard.keras.world import read_files, write_files
from fitguard.schema.run import Place
from fitguard.state.keeper import Keeper, only_changes
from fitguard.words import count, size

_MODEL = "model/"
_CALLBACKS = "callbacks/"
_PYTHON = "python/"
_MUCH_BYTES = 64 << 20

Arrays = dict[str, np.ndarray]


class OtherModel(Exception):
    """The model turns out to be another than that of the snapshot; the message says how."""


class TrainingState:
    """Variables, Python objects, random numbers: of one `fit` call.

    Args:
        model: That is trained.
        callbacks: As Keras has arranged them.
        data: What `fit` was given to read: its state is kept with the position in it.
        changed: What the user has changed in his files since the snapshot was taken.
    """

    def __init__(
        self,
        model: Any,
        callbacks: Sequence[Any],
        data: Sequence[Any] = (),
        changed: Collection[Any] = (),
    ) -> None:
        self._model = model
        self._callbacks = callbacks
        self._changed = changed
        self._told_bytes = 0
        # Held, so that no other object gets their ids.
        self._data = list(_flat(data))
        self._python = Keeper(
            self._roots, skipped=select_skipped_attributes, without=self._elsewhere
        )

    @property
    def reached(self) -> Collection[int]:
        """The Python objects that it keeps, by id."""
        return self._python.known_ids

    def step_is_made(self) -> list[str]:
        """The training step is about to be traced; sentences on what no snapshot can hold."""
        return self._python.begin()

    def describe_unsaved(self) -> list[str]:
        """Sentences on what changes, and no snapshot can hold."""
        return [
            f"{name} changes during training, and fitguard cannot save it. After a restart it "
            "starts over, and the result may differ. Plain lists, dicts and arrays can be saved"
            for name in self._python.lost
        ]

    def describe_holder(self) -> list[str]:
        """A sentence where an object holds many tensors, each time that they are twice as many."""
        held = self._python.heaviest
        if held is None or held.bytes < max(_MUCH_BYTES, 2 * self._told_bytes):
            return []
        self._told_bytes = held.bytes
        return [
            f"{held.label} holds {count(held.tensors, 'tensor')}, {size(held.bytes)} in all. They "
            "are part of the state that a restart brings back, so it does not free them. If your "
            "training does not need them, keep numbers instead, such as float(loss)"
        ]

    def read(self, place: Place, lend: Lend | None = None, **more: Any) -> Content:
        """All of it between two steps, copied.

        Args:
            lend: Where to copy large variables; None for new memory.
            more: What else the document shall hold.
        """
        state = ModelState(self._model)
        said, held = read_callbacks(self._callbacks)
        python, objects = self._python.read()
        arrays = {_MODEL + name: array for name, array in state.read(lend).items()}
        arrays.update((_CALLBACKS + name, array) for name, array in held.items())
        arrays.update((_PYTHON + name, array) for name, array in objects.items())
        document = {
            "place": msgspec.to_builtins(place),
            "position": None,
            "random": read_random(),
            "callbacks": said,
            "python": python,
            "files": read_files(self._callbacks),
            "start": digest_start(),
            **more,
        }
        return Content(document=document, arrays=arrays)

    def write_then(self, content: Content) -> None:
        """Make the Python objects what they were when the step was traced.

        Where the script, its arguments or its settings are others now, what they say counts, but
        for what the training itself has changed.
        """
        document = content.document
        if self._changed or document["start"] != digest_start():
            document["python"] = only_changes(document["python"])
        self._python.write_then(document["python"], _under(content.arrays, _PYTHON))

    def write(self, content: Content, *, data_draw: bool = False) -> list[str]:
        """Make all what it was when the snapshot was taken; notes of what could not be.

        Args:
            data_draw: Whether reading the data draws from global generators: threads had read
                ahead, and these are as they should be after the way back.

        Raises:
            OtherModel: before anything is changed.
        """
        state, arrays = ModelState(self._model), model_arrays(content)
        misfit = state.misfit(arrays)
        if misfit:
            raise OtherModel(misfit)
        state.write(arrays)
        document = content.document
        # Before the objects: an open file goes on where it was.
        files = write_files(document["files"])
        differ = self._python.write_now(document["python"], _under(content.arrays, _PYTHON))
        notes = write_callbacks(
            self._callbacks, document["callbacks"], _under(content.arrays, _CALLBACKS)
        )
        left = READ_BY_DATA if data_draw else ()
        write_random({name: s for name, s in document["random"].items() if name not in left})
        missing = [
            f"the variable {name} of the snapshot does not exist anymore, or not yet"
            for name in state.missing(arrays)[:1]
        ]
        changed = [
            f"{label} differs from before the restart, and fitguard could not restore it. The "
            "result may differ"
            for label in differ
        ]
        return [*describe_replicas(content, self._model), *missing, *files, *changed, *notes]

    def _roots(self) -> dict[str, Any]:
        callbacks = {f"callback {number}": one for number, one in enumerate(self._callbacks)}
        return {"model": self._model, **callbacks}

    def _elsewhere(self) -> set[int]:
        state = ModelState(self._model)
        # Under a strategy, the variable as a whole is another object than what replicas hold: to
        # write it would give all replicas the value of the first.
        whole = (id(variable) for variable in state.variables().values())
        variables = (id(one) for ones in places(self._model).values() for one in ones)
        # Arrays have no position that would keep them, and a callback may write to them.
        read = (id(one) for one in self._data if not isinstance(one, np.ndarray))
        return {*whole, *variables, *read}


def describe_replicas(content: Content, model: Any) -> list[str]:
    """A sentence where a snapshot was taken with another number of replicas than there are now."""
    before, here = count_saved_replicas(model_arrays(content)), count_local_replicas(model)
    if before == here:
        return []
    lost = "The moving statistics that each replica has of its own batches (BatchNormalization) "
    lost += (
        "are lost with the replicas that are left out"
        if here < before
        else "begin on the new replicas with those of the first"
    )
    # TensorFlow must not be loaded before the script loads it.
    from fitguard.keras.microbatch import describe_batchwise

    if describe_batchwise(model):
        lost += (
            ". Each replica has another share of the batch now, and layers that look at all rows "
            "of it, as BatchNormalization does, give other values: the results differ by more "
            "than rounding"
        )
    return [
        f"the snapshot was taken with {count(before, 'replica')}, and the training goes on with"
        f" {here}. The batch is the same, but its sums are computed in other parts, which changes"
        f" the last digits. {lost}"
    ]


def place_of(content: Content) -> Place:
    """Where a snapshot was taken."""
    return msgspec.convert(content.document["place"], Place)


def model_arrays(content: Content) -> Arrays:
    """The variables of the model."""
    return _under(content.arrays, _MODEL)


def data_of(arguments: Mapping[str, Any]) -> list[Any]:
    """What `fit` reads."""
    names = ("x", "y", "sample_weight", "validation_data", "class_weight")
    return [arguments[name] for name in names if arguments.get(name) is not None]


def as_number(value: Any) -> int | None:
    """NumPy's numbers are none for the journal."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _flat(data: Any) -> Iterator[Any]:
    """Containers of arrays, and what they hold."""
    yield data
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list | tuple):
        for item in data:
            if not isinstance(item, int | float | str):
                yield from _flat(item)


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
