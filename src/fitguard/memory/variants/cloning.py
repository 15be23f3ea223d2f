"""A second model of the same structure, with weights of its own."""

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.libraries import is_a, is_of_keras
from fitguard.contract.nodes import functional_of
from fitguard.inputs.models.kinds import kind
from fitguard.inputs.models.library import recognise
from fitguard.inputs.models.weights import leave_out_tables
from fitguard.memory.training import Training
from fitguard.memory.variants.variant import CannotBeMade

Config = dict[str, Any]
Rewrite = Callable[[Config], Config]


def keras_of(model: Any) -> Any:
    """The module that the model's class comes from: keras or tf_keras."""
    return recognise(model).module()


def policy_name(model: Any) -> str:
    """The name of the policy that the model was made under."""
    return str(model.dtype_policy.name)


def clone(
    training: Training, rewrite: Rewrite, *, policy: str | None = None, inputs: Any = None
) -> Any:
    """A model like that of `training`, not compiled.

    Args:
        rewrite: Changes the configuration of each layer.
        policy: The policy that it is made under; by default that of the model.
        inputs: Symbolic inputs in place of such as the model has.

    Raises:
        CannotBeMade: The model does not tell how it is made.
    """
    model = training.model
    if model is None or training.step is not None:
        raise CannotBeMade("the training step is a function of its own")
    keras = keras_of(model)
    with _setting_policy(keras, policy or policy_name(model)):
        if not is_a(model, "Functional", "Sequential"):
            if inputs is not None:
                raise CannotBeMade("the model is a class of its own, which sets its own sizes")
            return _from_config(keras, training, rewrite)
        twin = _clone_model(keras, model, rewrite, inputs)
    _require_same_weights(model, twin, everywhere=inputs is None)
    return twin


@contextlib.contextmanager
def _setting_policy(keras: Any, name: str) -> Iterator[None]:
    """Layers that are made meanwhile get this policy."""
    import tensorflow as tf

    precision = keras.mixed_precision
    before = precision.global_policy()
    logger = tf.get_logger()
    level = logger.level
    # Keras 2 warns of a policy that is slow without a GPU: here nothing will be computed.
    logger.setLevel("ERROR")
    precision.set_global_policy(name)
    try:
        yield
    finally:
        precision.set_global_policy(before)
        logger.setLevel(level)


def _clone_model(keras: Any, model: Any, rewrite: Rewrite, inputs: Any = None) -> Any:
    def layer_like(layer: Any) -> Any:
        if is_a(layer, "Functional", "Sequential"):
            return _clone_model(keras, layer, rewrite)
        return _layer(layer, rewrite)

    made: dict[int, Any] = {}

    def once(layer: Any) -> Any:
        if id(layer) not in made:
            made[id(layer)] = layer_like(layer)
        return made[id(layer)]

    if is_a(model, "Sequential"):
        twin = keras.Sequential(_first(keras, model, inputs), name=model.name)
        for layer in model.layers:
            twin.add(once(layer))
    else:
        plain = _without_compile(keras, model)
        options = {} if inputs is None else _for_other_sizes(keras, model)
        twin = keras.models.clone_model(plain, input_tensors=inputs, clone_function=once, **options)
    return of_class(type(model), twin)


def _for_other_sizes(keras: Any, model: Any) -> dict[str, Any]:
    """Options of cloning that let nested models, made for one size, take another."""
    if "call_function" in inspect.signature(keras.models.clone_model).parameters:  # Keras 3.3
        return {"call_function": inline_call}
    if any(is_a(layer, "Functional") for layer in model.layers):
        raise CannotBeMade("a nested model is made for one size of images")
    return {}


def inline_call(layer: Any, *given: Any, **options: Any) -> Any:
    """A call of a layer; of a nested model of Keras 3, the calls of the layers in it."""
    if is_a(layer, "Functional", "Sequential"):
        return layer.call(*given, **options)
    return layer(*given, **options)


def _first(keras: Any, model: Any, inputs: Any) -> list[Any]:
    if not model.built:
        raise CannotBeMade("the model is not built")
    given = model.inputs[0] if inputs is None else inputs
    batch_axis, *axes = given.shape
    return [keras.Input(shape=tuple(axes), batch_size=batch_axis, dtype=given.dtype)]


def _without_compile(keras: Any, model: Any) -> Any:
    """The same graph as a plain model: cloning would compile its twin from texts alone."""
    if recognise(model).generation == 3:
        return keras.Model(model.input, model.output, name=model.name)
    return model


def _layer(layer: Any, rewrite: Rewrite) -> Any:
    """A layer like this one."""
    if kind(layer) == "Lambda":
        # A function can be written into a configuration, but is not read from one unasked.
        config = rewrite({"dtype": layer.get_config().get("dtype")})
        return type(layer)(
            layer.function, mask=layer.mask, arguments=layer.arguments, name=layer.name, **config
        )
    return type(layer).from_config(rewrite(layer.get_config()))


def of_class(wanted: type, twin: Any) -> Any:
    """The twin as an instance of the model's own class, whose training step may be special."""
    if type(twin) is wanted or is_of_keras(wanted):
        return twin
    functional: Any = functional_of(twin)
    return wanted(functional.input, functional.output)


def _from_config(keras: Any, training: Training, rewrite: Rewrite) -> Any:
    """A model of a class of the user's, as its configuration says, built with symbolic data."""
    model = training.model
    twin = type(model).from_config(rewrite(model.get_config()))
    first = training.data[0] if isinstance(training.data, tuple) else training.data
    import tensorflow as tf

    given = tf.nest.map_structure(
        lambda spec: keras.Input(spec.shape[1:], dtype=spec.dtype.name), first
    )
    twin(given)
    _require_same_weights(model, twin, everywhere=True)
    return twin


def _require_same_weights(model: Any, twin: Any, *, everywhere: bool) -> None:
    """Refuse a twin that is another model.

    Raises:
        CannotBeMade: It has other weights.
    """
    mine, its = (
        sorted(tuple(one.shape) for one in leave_out_tables(each.weights)) for each in (model, twin)
    )
    trained = [len(each.trainable_weights) for each in (model, twin)]
    if mine != its and not everywhere:
        raise CannotBeMade("the size of its weights depends on the size of the input")
    if mine != its or trained[0] != trained[1]:
        raise CannotBeMade("built again from its configuration, the model has other weights")
