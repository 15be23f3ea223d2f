"""What a training step needs of a GPU's memory, and what to do where that is too much."""

from typing import Literal

import msgspec

from fitguard.schema.document import Document

PLAN_SCHEMA: Literal["fitguard/plan/1"] = "fitguard/plan/1"

Mode = Literal["graph", "xla"]
Phase = Literal["forward", "backward", "update"]
TooLarge = Literal["state", "layer", "sum"]


class Range(msgspec.Struct, frozen=True):
    """A number of bytes as far as it can be told: the truth lies between `low` and `high`."""

    low: int
    likely: int
    high: int


class Breakdown(msgspec.Struct, frozen=True, kw_only=True):
    """What fills the memory at the dearest moment of the step.

    All but `context` add up to the likely required bytes.

    Args:
        weights: Variables of the model, trainable or not, and those of its metrics.
        optimizer: Variables of the optimizer.
        gradients: Of the weights.
        activations: What the forward pass leaves for the backward pass, and what passes through.
        workspace: What kernels use while they run: cuDNN's convolutions, reductions, RNNs.
        input: The batch, and the copies that are made of it.
        slack: Rounding, holes between blocks, and what the allocator cannot use.
        context: What the process takes beside the allocator: CUDA, its libraries, kernels.
    """

    weights: int = 0
    optimizer: int = 0
    gradients: int = 0
    activations: int = 0
    workspace: int = 0
    input: int = 0
    slack: int = 0
    context: int = 0


class LayerCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one layer holds at the dearest moment of the step.

    Args:
        kind: Its class: `Conv2D`.
        bytes: All of it; the other sizes are parts of this one.
        grows_bytes: How much of it is added by each further sample of the batch.
    """

    name: str
    kind: str = ""
    bytes: int
    weights_bytes: int = 0
    optimizer_bytes: int = 0
    gradients_bytes: int = 0
    activations_bytes: int = 0
    workspace_bytes: int = 0
    grows_bytes: int = 0


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """One moment of the step.

    Args:
        bytes: All that is held.
        layer: The layer that is being computed; empty for the rest of the step.
        operation: The operation: `Conv2DBackpropFilter`.
        held: What the layers of `Curve.layers` hold of it, in that order.
    """

    bytes: int
    phase: Phase
    layer: str = ""
    operation: str = ""
    held: tuple[int, ...] = ()


class Curve(msgspec.Struct, frozen=True):
    """The memory over the step, thinned out to some hundred moments; the peak is among them.

    Args:
        layers: The dearest layers, by name; what others hold is the rest.
        peak: The index of the dearest moment.
    """

    layers: tuple[str, ...] = ()
    moments: tuple[Moment, ...] = ()
    peak: int = 0


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The memory that the step must do with.

    Args:
        name: Of the GPU; empty where only a size was given.
        memory_bytes: What the card has.
        free_bytes: What is free of it before the training starts.
        usable_bytes: What TensorFlow's allocator can have: free, without the context.
        origin: How it is known: `given`, `table`, `this machine`.
        compute_capability: Of the GPU: `8.6`; empty where it is not known.
        note: What was assumed, such as the smaller of two sizes that it is sold with.
    """

    name: str = ""
    memory_bytes: int
    free_bytes: int
    usable_bytes: int
    origin: str = "given"
    compute_capability: str = ""
    note: str = ""


class Shortage(msgspec.Struct, frozen=True, kw_only=True):
    """Why a step does not fit with the smallest batch that it can have.

    Args:
        batch_size: Of one GPU: 1, or the whole batch where it must not be split.
        required_bytes: What the step needs with this batch.
        usable_bytes: What there is for it.
        breakdown: What fills the memory at its dearest moment.
        too_large: What has no room even by itself: `state` (weights, the optimizer's variables and
            the gradients), `layer` (what one layer computes), or `sum` where only all together is.
        layers: Those that hold most of what is computed, the dearest first.
        card_bytes: The memory of the smallest card on which it would fit; None where fitguard
            knows none, or where it is not a matter of cards.
    """

    batch_size: int
    required_bytes: Range
    usable_bytes: int
    breakdown: Breakdown = Breakdown()
    too_large: TooLarge = "sum"
    layers: tuple[LayerCost, ...] = ()
    card_bytes: int | None = None


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do, with what it would give for this model.

    Where not even one sample fits, it is told for one sample of each GPU.

    Args:
        slug: `micro-batch`, `jit-compile`, `mixed-precision`, `optimizer`, `recomputation`,
            `smaller-input`, `smaller-batch`, `free-memory`; `together` for several of these.
        required_bytes: What the step would need then.
        saved_bytes: How much less that is.
        largest_batch_size: The largest batch that would fit then; None without a card.
        enough: Whether the step would fit the card with it; None without a card.
        changes_results: Whether the numbers that the training gives change.
        code: What to write, as Python; empty where words are enough.
    """

    slug: str
    title: str
    text: str
    required_bytes: int
    saved_bytes: int
    largest_batch_size: int | None = None
    enough: bool | None = None
    changes_results: bool = False
    code: str = ""


class Unknown(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the step that could not be told.

    Args:
        part: What it is: a layer, an operation, the custom loop.
        text: Why, and what was assumed.
        most_bytes: How much it may be; None where nothing bounds it.
    """

    part: str
    text: str
    most_bytes: int | None = None


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured on a GPU for this very step.

    Args:
        runs_bytes: The least memory under which it ran.
        fails_bytes: The most under which it did not; None where none was tried.
        peak_bytes: The allocator's peak with room.
        taken: The date.
    """

    gpu: str
    runs_bytes: int | None = None
    fails_bytes: int | None = None
    peak_bytes: int | None = None
    taken: str = ""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The training step that was planned.

    Args:
        inputs: Name, shape with the batch, dtype; of x and y.
        mode_reason: Why it runs in this mode: `jit_compile=False`.
        replicas: Over how many GPUs the batch is spread; each gets its part of it.
    """

    model: str
    parameters: int = 0
    optimizer: str = ""
    loss: str = ""
    policy: str = "float32"
    inputs: tuple[tuple[str, tuple[int | None, ...], str], ...] = ()
    mode_reason: str = ""
    replicas: int = 1


class Plan(Document, frozen=True, kw_only=True, omit_defaults=False):
    """Whether a training step fits a GPU, and what to do where it does not.

    Args:
        required_bytes: The least memory in which the step runs.
        comfortable_bytes: What it takes where there is room: cuDNN tries algorithms that need more.
        process_bytes: What nvidia-smi shows for the process, with memory growth switched on.
        assumptions: What was taken for what was not given, one sentence each.
        reasons: Why the range is as wide as it is, one sentence each.
        batch_bytes: What one more sample adds to the required bytes.
        largest_batch_size: The largest batch that fits the card for sure; None without a card.
        micro_batch_size: The largest part of the batch that fits, for accumulation with the same
            result; equal to the batch where that fits; None without a card, or where none fits.
        fits: Whether the batch fits the card; None where that is not sure, or without a card.
        shortage: Why not even one sample fits for sure; None where one does.
        seconds: How long planning took.
    """

    schema: Literal["fitguard/plan/1"] = PLAN_SCHEMA
    mode: Mode
    batch_size: int
    step: Step
    required_bytes: Range
    comfortable_bytes: Range
    process_bytes: Range
    breakdown: Breakdown = Breakdown()
    layers: tuple[LayerCost, ...] = ()
    curve: Curve = Curve()
    batch_bytes: int = 0
    card: Card | None = None
    largest_batch_size: int | None = None
    micro_batch_size: int | None = None
    fits: bool | None = None
    shortage: Shortage | None = None
    advice: tuple[Advice, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    assumptions: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    measured: Measured | None = None
    seconds: float = 0.0
