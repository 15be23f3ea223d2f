"""The layers that a `fit` uses, with their types and shapes: seen while its step is traced."""

import inspect
import re
import warnings
from collections.abc import Iterator
from typing import Any

import msgspec

from fitguard.contract.layers import carries_mask, noting_calls
from fitguard.contract.libraries import Library, is_a, library_of
from fitguard.inputs.checking import check_data
from fitguard.inputs.models.asking import ask
from fitguard.inputs.models.kinds import kind, split_names, sublayers
from fitguard.inputs.models.library import recognise
from fitguard.memory.fit_call import TAKEN, FitCall, select_plan_arguments
from fitguard.memory.graph.tracing import trace
from fitguard.memory.preparation import prepare
from fitguard.readiness.kernel import FitKernels, Kernel
from fitguard.readiness.layer_arguments import NotMade, describe_layer
from fitguard.schema.exit_codes import UsageError
from fitguard.words import say_error

WITHOUT_KERNEL = split_names(
    """
    InputLayer Reshape Flatten Permute RepeatVector Identity Masking ActivityRegularization Dropout
    SpatialDropout1D SpatialDropout2D SpatialDropout3D GaussianNoise GaussianDropout AlphaDropout
    """
)
"""They only move data, or draw random numbers."""
_PREPARING = ("Random", "String", "Integer", "Text", "Hash", "Category", "Discretization")
"""They prepare data: often text, often at random, seldom on a GPU."""
_READING_SECONDS = 0.2
"""The first batch is enough."""
_RATES = ("dropout", "recurrent_dropout", "rate")


def find_kernels(call: FitCall) -> FitKernels:
    """The kernels of a `fit`, without computing anything; what cannot be found out is said."""
    try:
        arguments = select_plan_arguments(call)
        batch_size = _read_batch_size(call)
        if batch_size is not None:
            arguments["batch_size"] = batch_size
        return _trace(call, arguments)
    except Exception as error:  # of the user's model, of Keras, or of ours
        told = str(error) if isinstance(error, UsageError) else say_error(error)
        said = f"The layers of line {call.line} could not be found out: {told}"
        return FitKernels(line=call.line, left_out=(said,))


def _read_batch_size(call: FitCall) -> int | None:
    """What `fit` would really get: few rows make a smaller batch than was asked for."""
    given = {name: value for name, value in call.arguments.items() if name in TAKEN}
    if given.get("x") is None:
        return None
    try:
        report = check_data(call.model, **given, budget_seconds=_READING_SECONDS)
    except Exception:  # of the user's data: what the plan assumes is good enough
        return None
    source = report.facts.sources[0]
    return None if source.batched is False else source.batch_size


def _trace(call: FitCall, arguments: dict[str, Any]) -> FitKernels:
    library = recognise(call.model, "probe")
    with prepare(**arguments) as prepared:
        batch_size = prepared.replica_batch_size
        training = prepared.training.bind_batch_size(batch_size)
        noting = _Noting(library, batch_size, xla=training.jit_compile)
        with noting_calls(library, noting.note):
            trace(training)
    kernels = tuple(noting.kernels())
    left_out = tuple(noting.left_out(getattr(call.model, "optimizer", None)))
    return FitKernels(line=call.line, kernels=kernels, left_out=left_out)


class _Noting:
    def __init__(self, library: Library, batch_size: int, *, xla: bool) -> None:
        import tensorflow as tf

        self._library = library
        self._batch_size = batch_size
        self._xla = xla
        self._tf32 = bool(tf.config.experimental.tensor_float_32_execution_enabled())
        self._calls: list[tuple[Any, Kernel]] = []
        self._own: dict[str, str] = {}
        self._idle: dict[str, None] = {}

    def note(self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        name = kind(layer)
        if is_a(layer, "Model"):
            return True
        if not name or name in ("Lambda", "TorchModuleWrapper", "JaxLayer"):
            self._own[type(layer).__name__] = "it is code of your own"
            return True
        if name.startswith("tf.") or name in WITHOUT_KERNEL or name.startswith(_PREPARING):
            self._idle[name] = None
            return False
        try:
            self._calls.append((layer, self._describe(layer, name, args, kwargs)))
        except NotMade as reason:
            self._own[str(layer.name)] = str(reason)
        return False

    def kernels(self) -> list[Kernel]:
        """Those that are alike once. Layers are made for it, which no trace may see."""
        found: dict[str, Kernel] = {}
        layers: dict[str, set[int]] = {}
        for layer, called in self._calls:
            try:
                kernel = msgspec.structs.replace(called, made=_describe_made(layer))
            except NotMade as reason:
                self._own[str(layer.name)] = str(reason)
                continue
            known = found.get(kernel.identity)
            if known is None or kernel.elements > known.elements:
                found[kernel.identity] = kernel
            layers.setdefault(kernel.identity, set()).add(id(layer))
        return [
            msgspec.structs.replace(kernel, count=len(layers[identity]))
            for identity, kernel in found.items()
        ]

    def left_out(self, optimizer: Any) -> Iterator[str]:
        yield f"The loss and the optimizer ({type(optimizer).__name__}) were not probed."
        for name, reason in self._own.items():
            yield f"{name} was not probed: {reason}."
        if self._idle:
            yield (
                "Not probed, because they only move or prepare data, or are random: "
                f"{', '.join(self._idle)}."
            )

    def _describe(
        self, layer: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Kernel:
        parameters = list(inspect.signature(layer.call).parameters)
        named = {**dict(zip(parameters, args, strict=False)), **kwargs}
        below = getattr(layer, "input_dim", None) if name == "Embedding" else None
        given = {
            key: describe_argument(value, key, below)
            for key, value in named.items()
            if value is not None and key != "training"
        }
        for key, value in list(named.items()):
            mask = "mask" if key == parameters[0] else f"{key}_mask"
            mask = mask if mask in parameters else f"{key}_mask"
            if mask in parameters and mask not in given and carries_mask(value):
                given[mask] = {"shape": list(value.shape)[:2], "dtype": "bool", "fill": "lengths"}
        positional = [given.pop(key) for key in parameters[:1] if key in given]
        takes_training = "training" in parameters
        return Kernel(
            name=re.sub(r"[^\w.-]+", "-", str(layer.name)),
            library=self._library.package,
            made={"class_name": name},
            policy=str(layer.dtype_policy.name),
            args=positional,
            kwargs=given,
            keras_3=self._library.generation == 3,
            batch_size=self._batch_size,
            training=not _draws(layer) if takes_training else None,
            tf32=self._tf32,
            xla=self._xla,
        )


def _describe_made(layer: Any) -> dict[str, Any]:
    library = library_of(layer, "Layer")
    own = [type(one).__name__ for one in sublayers(layer) if not kind(one)]
    if own or library is None:
        raise NotMade(f"{own[0]} in it is code of your own")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a lambda cannot be written safely: it is not kept
        return describe_layer(library, kind(layer), layer.get_config())


def describe_argument(given: Any, name: str, below: int | None = None) -> Any:
    """A part of a call, as `Kernel` has them.

    Args:
        name: Of the argument: a mask is filled with bits.
        below: Where they are indices, what they must be less than.

    Raises:
        NotMade: for what has no shape, or none that is known.
    """
    if isinstance(given, list | tuple):
        return [describe_argument(one, name, below) for one in given]
    if isinstance(given, dict):
        return {str(key): describe_argument(one, name, below) for key, one in given.items()}
    if given is None or isinstance(given, bool | int | float | str):
        return {"value": given}
    shape = ask(lambda: [None if axis is None else int(axis) for axis in given.shape], [None])
    if None in shape or not hasattr(given, "dtype"):
        raise NotMade(f"the shape of its {name} is not known before it runs")
    dtype = str(getattr(given.dtype, "name", given.dtype))
    described = {"shape": shape, "dtype": dtype, "fill": _choose_fill(name, dtype, len(shape))}
    return {**described, "fill": "index", "below": below} if below else described


def _choose_fill(name: str, dtype: str, rank: int) -> str:
    if name.endswith("mask") and dtype == "bool" and rank == 2:
        return "lengths"
    if name.endswith("mask") or dtype == "bool":
        return "bits"
    if dtype.startswith(("float", "bfloat")):
        return "normal"
    if dtype.startswith(("int", "uint")):
        return "bits"
    raise NotMade(f"its {name} is of type {dtype}")


def _draws(layer: Any) -> bool:
    """Whether it draws random numbers in training."""
    return any(getattr(one, rate, 0) for one in (layer, *sublayers(layer)) for rate in _RATES)
