"""What to try first where a step does not fit on the GPU, with the numbers at hand."""

import re

from fitguard.causes.derived.gpu_memory import GpuMemory
from fitguard.schema.crash import AllocatorState
from fitguard.schema.finding import Fix
from fitguard.words import size

# What the optimiser and the initialisers own. Keras 2 puts the gradients of activations below the
# optimiser's name too: those do shrink with the batch.
_WEIGHT = re.compile(
    r"(?:^|/)(?:Adam|AdamW|Nadam|Adamax|SGD|RMSprop|Adagrad|Adadelta|Ftrl|Lion|Lamb|Momentum|"
    r"[Oo]ptimizer|GradientDescent)(?:_\d+)?/(?!gradients)|"
    r"/Assign(?:$|[/_])|[Ii]nitializer|random_(?:uniform|normal)|truncated_normal|TruncatedNormal|"
    r"(?:kernel|weights|embeddings|bias)/(?:read|Adam|Assign|m|v)\b|ApplyAdam|ApplyGradient",
)
_DATASET = re.compile(r"^_EagerConst$|^Const$")
_SMALL_KERNEL = 11
_LEFT_FOR_OTHERS = 0.9


def is_weight(state: AllocatorState) -> bool:
    """Whether the tensor that did not fit belongs to the model, not to the batch."""
    if state.requested_by and _WEIGHT.search(state.requested_by):
        return True
    shape = state.shape or ()
    return len(shape) == 4 and shape[0] == shape[1] and 1 < shape[0] <= _SMALL_KERNEL < shape[3]


def is_dataset(state: AllocatorState) -> bool:
    """Whether a whole array was being turned into one tensor on the GPU."""
    return bool(state.requested_by and _DATASET.match(state.requested_by))


def shrinks_with_batch(memory: GpuMemory) -> bool:
    """Whether a smaller part of the batch may pass: it may, unless the log shows otherwise."""
    state = memory.state
    if state is None:
        return True
    one_row = state.shape is not None and state.shape[:1] == (1,)
    return not (is_weight(state) or is_dataset(state) or one_row)


def fitting_batch(state: AllocatorState) -> tuple[int, int] | None:
    """The largest even part of the batch that could pass this point, and how many parts make it.

    What is in use is taken as if all of it shrank with the batch, so this is the most that can
    fit; the rest of the step may need more.
    """
    if not state.shape or len(state.shape) < 2 or state.shape[0] < 2 or is_weight(state):
        return None
    batch, parts = state.shape[0], 2
    if state.limit_bytes and state.requested_bytes:
        needed_bytes = (state.in_use_bytes or 0) + state.requested_bytes
        while parts < batch and needed_bytes / parts > _LEFT_FOR_OTHERS * state.limit_bytes:
            parts *= 2
    return max(1, batch // parts), parts


def parts_of_compiled(state: AllocatorState) -> int | None:
    """Into how many parts a compiled step must be cut: it asks for all its room at once."""
    if not state.limit_bytes or not state.requested_bytes or state.in_use_bytes is None:
        return None
    free_bytes = _LEFT_FOR_OTHERS * (state.limit_bytes - state.in_use_bytes)
    parts = 2
    while free_bytes > 0 and state.requested_bytes / parts > free_bytes:
        parts *= 2
    return parts if free_bytes > 0 else None


def smaller_step(memory: GpuMemory) -> Fix:
    """The remedy that fits the tensor that did not fit."""
    state = memory.state
    if state is None:
        return _general()
    if memory.compiled and not state.shape and (parts := parts_of_compiled(state)):
        return _build_compiled_fix(state, parts)
    if is_dataset(state):
        return Fix(
            "A whole array becomes one tensor on the GPU. Feed it batch by batch: "
            "tf.data.Dataset.from_tensor_slices under `with tf.device('CPU:0')`, or a generator. "
            "A smaller batch alone does not help."
        )
    if is_weight(state):
        return Fix(
            "The tensor belongs to a weight or to the optimizer, not to the batch: a smaller batch "
            "does not help. Make the largest layer smaller (Flatten before a wide Dense is the "
            "usual one), use an optimizer with less state (SGD keeps one copy of the weights, "
            "Adam three), or a card with more memory.",
            changes_results=True,
        )
    fitting = fitting_batch(state)
    if fitting is None:
        return _one_sample(state) if state.shape and state.shape[0] == 1 else _general()
    batch, parts = fitting
    first = state.shape[0] if state.shape else 0
    return Fix(
        f"If {first} is the batch size, {parts} micro-batches of {batch} are the largest that can "
        f"pass this point. If you would rather change the batch size itself, try {batch} first, "
        "and halve it if a later step fails. Mixed precision "
        "(`keras.mixed_precision.set_global_policy('mixed_float16')`) halves what the activations "
        "take. These two change results."
    )


def _build_compiled_fix(state: AllocatorState, parts: int) -> Fix:
    free_bytes = (state.limit_bytes or 0) - (state.in_use_bytes or 0)
    return Fix(
        f"The compiled step asks for {size(state.requested_bytes or 0)} at once, and "
        f"{size(free_bytes)} are free beside the weights: a micro-batch must be the batch divided "
        f"by {parts}, or smaller. Without XLA (`jit_compile=False`) a step may need more or less."
    )


def _one_sample(state: AllocatorState) -> Fix:
    shape = ", ".join(str(number) for number in state.shape or ())
    return Fix(
        f"The batch is 1 already (shape [{shape}]): make the images, sequences or the model "
        "smaller, use mixed precision (`mixed_float16`), or recompute activations.",
        changes_results=True,
    )


def _general() -> Fix:
    return Fix(
        "Check that the GPU is empty before you start: `nvidia-smi` shows who else uses it. If "
        "you would rather change the training, try smaller inputs, a smaller batch size, mixed "
        "precision or a smaller model. These change results.",
        commands=("nvidia-smi",),
    )


def describe_refusal(memory: GpuMemory) -> str:
    """The refusal in one or two sentences."""
    state = memory.state
    if state is None or state.requested_bytes is None:
        if memory.told_by and memory.told_by.name == "allocator-dump":
            return f"TensorFlow lists what its pool holds where a request was refused.{_use(state)}"
        return "TensorFlow found no room on the GPU for what it needed."
    shape = f" of shape [{', '.join(map(str, state.shape))}]" if state.shape else ""
    tensor = f" for a tensor{shape}" if shape else ""
    by = f" ({state.requested_by})" if state.requested_by else ""
    text = f"TensorFlow asked for {size(state.requested_bytes)}{tensor}{by}"
    if memory.over_bytes is None or state.limit_bytes is None:
        return f"{text}, and there was no room for it."
    text = f"{text}, with {size(state.in_use_bytes or 0)} of {size(state.limit_bytes)} in use"
    if memory.over_bytes:
        return f"{text}: at this point the run was {size(memory.over_bytes)} over."
    free = size(state.free_bytes or state.limit_bytes - (state.in_use_bytes or 0))
    return f"{text}. {free} were free, but not in one piece."


def _use(state: AllocatorState | None) -> str:
    if state is None or state.used_share is None:
        return ""
    limit = f" of {size(state.limit_bytes)}" if state.limit_bytes else ""
    return f" {round(100 * state.used_share)} %{limit} were in use."
