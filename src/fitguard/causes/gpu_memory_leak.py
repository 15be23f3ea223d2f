"""Memory grows from step to step, or from model to model, until there is none left."""

from fitguard.causes.derived.gpu_memory import GpuMemory, gpu_memory
from fitguard.causes.derived.memory_series import Series, find_memory_growth, growing_series
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story
from fitguard.schema.finding import Fix
from fitguard.words import size

_MANY_MODELS = 8
_OUT = (
    "words-out-of-memory",
    "words-out-of-ram",
    "words-killed",
    "bad-alloc",
    "memory-error",
    "killed",
    "host-memory-limit-hit",
    "oom-kill",
    "dst-tensor",
    "cuda-out-of-memory",
)


@cause("gpu-memory-leak")
def gpu_memory_leak(story: Story) -> Verdict | None:
    """
    ## What it means
    Something is kept that should be let go: models built in a loop, tensors in a Python list,
    a callback that stores outputs, a function that is traced anew at every call, a graph to which
    each iteration adds operations. Memory grows by the same amount each time until it runs out.
    Host memory can leak in the same ways.

    ## How to be sure
    - It fails after many steps, epochs, folds or models, not at the first; a smaller batch only
      delays it.
    - Names count up: `training_10/Adam`, `model_37/conv2d`. Keras numbers what it builds, so 36
      models came before.
    - The allocator's dump lists very many live tensors of one size.
    - `tf.config.experimental.get_memory_info("GPU:0")["current"]`, printed after each epoch, grows.

    ## How to fix it
    In a loop over models (k-fold, grid search) call `keras.backend.clear_session()` and drop the
    old model before each new one; best is one process per model, since TensorFlow gives GPU memory
    back only when the process ends. Call `model(x, training=False)` or `predict_on_batch` in loops
    instead of `predict`. Keep numbers, not tensors: `float(loss)`. Build graph operations once,
    before the loop. Pass tensors, not Python numbers, to a `tf.function`.

    ## When this reading is wrong
    - Growth in the first steps only is normal: cuDNN and XLA take their workspaces then.
    - A deep model of equal layers has many tensors of one size too, and fails at the first step.
    - Some releases leak by themselves; *framework-bug* names those that are known.

    ## References
    - Keras: `keras.backend.clear_session`; keras-team/keras#2102
    - TensorFlow: better performance with tf.function, rules of tracing
    """
    memory = gpu_memory(story)
    scales = Scales()
    series = growing_series(story)
    _weigh_lines(story, memory, scales)
    if series:
        scales.add(0.62, series.first, series.last)
        scales.add(0.5, story.first(*_OUT))
    scales.add(0.6, find_memory_growth(story))
    told = story.first("words-memory-grows")
    scales.add(0.75, told)
    scales.add(0.62 if not told else 0.4, story.first("words-memory-later"))
    scales.add(0.42, story.first("words-memory-not-released"))
    scales.add(0.56, story.first("words-many-processes"))
    scales.add(0.55, story.first("memory-profile"))
    if memory.told_by or story.has(*_OUT):
        scales.add(0.52, story.first("words-models-in-a-loop"))
        scales.add(0.2, memory.told_by)
    if memory.in_pieces:
        scales.take(0.5)
    return scales.verdict(why=_why(memory, series, story), fix=_fix(memory, story))


def _weigh_lines(story: Story, memory: GpuMemory, scales: Scales) -> None:
    if memory.growing and memory.refused:
        many = memory.growing.number >= _MANY_MODELS
        scales.add(0.68 if many else 0.45, memory.growing.signal, *memory.refused[:1])
    if memory.state is None:
        return
    if memory.hoards:
        scales.add(0.66, memory.told_by, *memory.state.evidence)
    elif memory.kept > 0.35:
        scales.add(0.35, memory.told_by)
    if memory.more_of_the_same:
        scales.add(0.4, memory.told_by)
        scales.add(0.35, story.first("result-appended"))
    late = [signal for signal in story.all("epoch-line") if signal.values.get("epoch") == "2"]
    if memory.refused and late and late[0].order < memory.refused[0].order:
        scales.add(0.3, late[0])


def _why(memory: GpuMemory, series: Series | None, story: Story) -> str:
    if series:
        return series.told
    if memory.growing:
        return (
            f"The operation that failed belongs to {memory.growing.name}: Keras counts what it "
            "builds, so many models or training functions were built before in this process."
        )
    state = memory.state
    if memory.hoards and state and state.repeated_size_bytes and state.repeated_count:
        return (
            f"{state.repeated_count} tensors of {size(state.repeated_size_bytes)} were alive, "
            f"{round(100 * memory.kept)} % of the memory in use: the program keeps them."
        )
    if story.has("words-many-processes"):
        return "More and more processes were started and never ended; each holds its memory."
    if story.has("words-memory-grows", "memory-profile") or find_memory_growth(story):
        return "Memory grew while the program ran, as it does when something is never let go."
    if story.has("words-memory-later", "words-models-in-a-loop", "words-memory-not-released"):
        return "Memory ran out only after the same work had succeeded before."
    return "Memory that fills up over many steps ends like this; nothing here shows that it grew."


def _fix(memory: GpuMemory, story: Story) -> Fix:
    state = memory.state
    if memory.growing or story.has("words-models-in-a-loop"):
        return Fix(
            "Before each new model: `del model`, then `keras.backend.clear_session()` and "
            "`gc.collect()`. Surest is a process of its own for each model or fold "
            "(multiprocessing with the spawn method). In TensorFlow 1 build the graph once."
        )
    if memory.hoards and state and state.repeated_size_bytes:
        return Fix(
            f"Look for what keeps tensors of {size(state.repeated_size_bytes)}: a list or a "
            "callback that stores outputs, losses or weights at every step. Keep NumPy arrays or "
            "`float(x)` instead, and clear the list."
        )
    return Fix(
        "Print `tf.config.experimental.get_memory_info('GPU:0')['current']` and the process's RSS "
        "after each step to see which part grows. Keep floats, not tensors; build models, "
        "datasets and tf.functions outside of the loop; call `model(x)` instead of "
        "`model.predict(x)` in loops."
    )
