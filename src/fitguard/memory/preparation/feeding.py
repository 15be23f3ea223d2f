"""What each batch feeds a model with, and what comes out: data, outputs and labels as specs."""

from dataclasses import dataclass
from typing import Any

from fitguard.checks.data.derived.input_shapes import fits
from fitguard.inputs.models.asking import ask
from fitguard.inputs.models.step import adds_loss, custom_batches, custom_step, has_loss
from fitguard.inputs.sources.matching import find_port
from fitguard.inputs.sources.structure import Element, leaves, unpack_element
from fitguard.memory.preparation.given import Given, pack_data
from fitguard.memory.preparation.labels import labels, output_names
from fitguard.memory.preparation.open_axes import close
from fitguard.memory.preparation.outputs import outputs
from fitguard.memory.preparation.own_inputs import own_inputs
from fitguard.memory.preparation.specs import Spec, lengths, spec
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.model import ModelFacts, ModelInput, Shape


@dataclass(frozen=True)
class Feed:
    """A model that is built, with the specs of a batch.

    Args:
        given: What `train_step` of the user's own gets, as it is; None for all other models.
        element: x, and y and sample_weight where they were given.
        outputs: Of the model; None where only its own `train_step` knows.
        names: Of the outputs.
        notes: What was assumed.
    """

    model: Any
    given: Any
    element: Element
    outputs: Any
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> Any:
        """The specs of y that were given."""
        return self.element.y

    def data(self, *, weighted: bool) -> tuple[Any, list[str]]:
        """The argument of `train_step`, and what was assumed; the model is compiled by now.

        Args:
            weighted: Whether weights for classes make weights for samples.

        Raises:
            UsageError: where the model has neither a loss nor a step of its own.
        """
        if self.given is not None:
            pair = isinstance(self.given, tuple) and len(self.given) == 2
            return (*self.given, _weights()) if weighted and pair else self.given, []
        x, y, weight = self.element
        derived: Any = None
        notes: list[str] = []
        if self.outputs is not None:
            derived, notes = labels(self.outputs, self.names, self.model.loss)
        if y is None:
            _require_loss(self.model)
            y = derived
        else:
            notes = []
            y = close(y, "y", _shapes(derived))
        if weight is None and weighted and y is not None:
            weight = _weights()
        return pack_data(x, y, weight), notes


def feed(model: Any, facts: ModelFacts, given: Given) -> Feed:
    """Build the model, where that is needed, for the data that were given, or for its own inputs.

    Raises:
        UsageError: where shapes are missing, or do not fit.
    """
    if custom_batches(model) and given.data is not None:
        return _as_given(model, facts, given.data)
    if given.data is not None:
        element = _unpack_data(given.data)
    else:
        element = Element(own_inputs(model, facts), given.y, given.sample_weight)
    _require_fit(element.x, facts)
    element = element._replace(x=close(element.x, "x", _inputs(element.x, facts)))
    found = outputs(model, element.x)
    names = tuple(output_names(model, found))
    notes: tuple[str, ...] = ()
    if custom_batches(model):
        notes = (
            "The model has a train_step of its own: it was planned for x and y as the model and "
            "its loss tell. Give x as fit gets it if that is something else.",
        )
    return Feed(model, None, element, found, names, notes)


def _as_given(model: Any, facts: ModelFacts, data: Any) -> Feed:
    """For a `train_step` of the user's own: only it knows what the parts mean."""
    x = ask(lambda: unpack_element(data).x, data)
    fitting = ask(lambda: _fits(x, facts), False)
    known = _inputs(x, facts) if fitting else []
    others = sum(1 for _ in leaves(data, "x")) - len(known)
    closed = close(data, "x", [*known, *[None] * others])
    element = ask(lambda: unpack_element(closed), Element(closed))
    found = ask(lambda: outputs(model, element.x), None)
    names = () if found is None else tuple(output_names(model, found))
    return Feed(model, closed, element, found, names)


def _weights() -> Spec:
    return spec((None,), "float32")


def _unpack_data(data: Any) -> Element:
    try:
        return unpack_element(data)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _inputs(x: Any, facts: ModelFacts) -> list[Shape | None]:
    """The shape of the model's input for each part of x."""
    targets = [find_port(facts, "x", leaf.key) for leaf in leaves(x, "x")]
    return [target.shape if target is not None else None for target in targets]


def _shapes(structure: Any) -> list[Shape]:
    import tensorflow as tf

    return [] if structure is None else [lengths(one) for one in tf.nest.flatten(structure)]


def _fits(x: Any, facts: ModelFacts) -> bool:
    return all(
        fits(lengths(leaf.value)[1:], target)
        for leaf in leaves(x, "x")
        if isinstance(target := find_port(facts, "x", leaf.key), ModelInput)
    )


def _require_fit(x: Any, facts: ModelFacts) -> None:
    for leaf in leaves(x, "x"):
        target = find_port(facts, "x", leaf.key)
        shape = lengths(leaf.value)
        if isinstance(target, ModelInput) and shape and not fits(shape[1:], target):
            raise UsageError(
                f"Received {leaf.name} with the shape {shape} for the input {target.name}, which "
                f"takes {target.shape}. Expected data that the model takes"
            )


def _require_loss(model: Any) -> None:
    if has_loss(model) or custom_step(model) or adds_loss(model):
        return
    raise UsageError(
        "Received a model that was compiled without a loss. Expected loss, for example "
        "loss='sparse_categorical_crossentropy', or a model with a train_step of its own"
    )
