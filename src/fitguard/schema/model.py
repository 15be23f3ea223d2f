"""Facts about a Keras model that its data must fit."""

from typing import Literal

import msgspec

Shape = tuple[int | None, ...]
"""The length of each axis; None where it is open."""


class IndexTable(msgspec.Struct, frozen=True):
    """A layer that looks up rows by number: an Embedding."""

    layer: str
    rows: int


class ModelInput(msgspec.Struct, frozen=True, kw_only=True):
    """One input of a model, and what the first layers behind it demand.

    Args:
        shape: With the batch axis first.
        dtype: As the model declares it.
        reader: The first layer that has weights, or changes values, behind this input.
        rescaled: Whether a layer in front of the first weights brings values to a small range
            (Rescaling, Normalization, BatchNormalization); None where that cannot be told.
        compute_dtype: What its values are cast to before anything is computed with them, where that
            is not float32: `float16` under mixed_float16.
        least_axes: How many axes, the batch's among them, the first layer of a model that is not
            built takes at least.
        axes_layer: That layer; one in front of it takes any number.
        optional: Whether the model runs without it (`Input(optional=True)`).
        takes_text: Whether a layer behind it reads strings (StringLookup, TextVectorization).
        tables: Embeddings that this input is an index of, with nothing in between that changes it.
        longest: How many positions the tightest position table has; None where there is none.
        longest_layer: The layer of that table.
        mask_value: The value that counts as padding (0 behind `mask_zero`); None without a mask.
        mask_layer: The layer that makes the mask.
        recurrent: Layers on the way of that mask that run on cuDNN's RNN on a GPU.
        averaged: Layers on the way of that mask that divide by the number of steps that are not
            padding (GlobalAveragePooling1D).
    """

    name: str
    shape: Shape | None
    dtype: str
    reader: str | None = None
    rescaled: bool | None = None
    compute_dtype: str | None = None
    least_axes: int | None = None
    axes_layer: str | None = None
    optional: bool = False
    takes_text: bool = False
    tables: tuple[IndexTable, ...] = ()
    longest: int | None = None
    longest_layer: str | None = None
    mask_value: float | None = None
    mask_layer: str | None = None
    recurrent: tuple[str, ...] = ()
    averaged: tuple[str, ...] = ()


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """The loss of one output.

    Args:
        name: As Keras spells it, such as `sparse_categorical_crossentropy`; the function's or
            class's own name where it is no loss of Keras.
        custom: Whether it is the user's own.
        from_logits: As it is set; None where the loss has no such setting.
        ignore_class: The class that a sparse loss leaves out.
        unmatched: Whether labels and output reach it as they are: a class of the user's own in
            Keras 3, with a `call` of its own. For a function Keras first gives both the same rank.
    """

    name: str
    custom: bool = False
    from_logits: bool | None = None
    ignore_class: int | None = None
    unmatched: bool = False


class ModelOutput(msgspec.Struct, frozen=True, kw_only=True):
    """One output of a model.

    Args:
        shape: With the batch axis first; None where the model does not tell.
        units: The length of the last axis, where the shape is None and that much is known.
        layer: The layer that makes it.
        activation: Its last activation: `softmax`, `sigmoid`, `linear`; None where unknown.
        loss: None where the output has none.
    """

    name: str
    shape: Shape | None = None
    units: int | None = None
    dtype: str = "float32"
    layer: str | None = None
    activation: str | None = None
    loss: Loss | None = None


class ModelFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A model as `fit` will meet it.

    Args:
        library: `keras` or `tf_keras`, with its version.
        kind: How it was made.
        compute_dtype: What layers compute in: `float16` under mixed_float16.
        jit_compile: Whether XLA will compile the step where there is a GPU; None where unknown.
        jit_compile_here: Whether XLA compiles the step on this machine; None where unknown.
            Without a GPU, "auto" and False look the same here.
        batch_axis: The batch size that the model is bound to (by a stateful RNN); None where it
            takes any. An Input with a fixed batch size alone binds nothing: Keras takes any batch.
        batch_bound: The layer that binds it. With `batch_axis` None it is not built: it will be
            bound to the size of the first batch.
        batch_statistics: Layers that compute statistics over the batch (BatchNormalization), and
            are trained.
        flat_statistics: Those of them that see nothing but the batch and the channel axis: a batch
            of one sample has no spread there (behind a Dense layer, not behind a Conv2D).
        has_loss: Whether `compile` was given a loss; None before it, and where that is not known.
        loss_keys: The keys of the dict of losses that it was given; empty where it was no dict.
        custom_step: Whether `train_step` or `compute_loss` are the user's own: what labels mean is
            then the user's affair.
        custom_batches: Whether `train_step` itself is: what the parts of a batch mean, and how many
            there are, is then the user's affair too.
        named_outputs: Whether the outputs come as a dict; None where that is not known.
        adds_loss: Whether a layer, or the model, adds a loss of its own in `call` (`add_loss`): the
            model then trains without a loss in `compile`, and without labels.
        convolutions: Layers that convolve, which oneDNN fails to do with a batch without samples.
        strategy: The class of the strategy that the model was made under, such as
            `MirroredStrategy`; None where there was none, or it is the default one.
        replicas: Over how many devices a strategy splits each batch.
        replica_devices: What these are: `GPU`, `CPU`; None without a strategy.
        onednn: Whether TensorFlow computes with oneDNN on this CPU; None where it was not asked.
        steps_per_execution: As `compile` was given it.
        gpus: How many GPUs TensorFlow sees here; None where it was not asked.
    """

    name: str
    library: str
    kind: Literal["functional", "sequential", "subclassed"]
    built: bool
    compiled: bool
    inputs: tuple[ModelInput, ...] | None = None
    outputs: tuple[ModelOutput, ...] | None = None
    weights: int | None = None
    trainable_weights: int | None = None
    weights_bytes: int | None = None
    optimizer: str | None = None
    compute_dtype: str = "float32"
    jit_compile: bool | None = None
    jit_compile_here: bool | None = None
    batch_axis: int | None = None
    batch_bound: str | None = None
    batch_statistics: tuple[str, ...] = ()
    flat_statistics: tuple[str, ...] = ()
    has_loss: bool | None = None
    loss_keys: tuple[str, ...] = ()
    custom_step: bool = False
    custom_batches: bool = False
    named_outputs: bool | None = None
    adds_loss: bool = False
    convolutions: tuple[str, ...] = ()
    strategy: str | None = None
    replicas: int = 1
    replica_devices: str | None = None
    onednn: bool | None = None
    steps_per_execution: int = 1
    gpus: int | None = None
