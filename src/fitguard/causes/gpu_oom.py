"""The model and its batch need more memory than the GPU has."""

from fitguard.causes.derived.gpu_memory import GpuMemory, gpu_memory
from fitguard.causes.derived.oom_remedies import describe_refusal, smaller_step
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story

_REFUSED = {
    "oom-allocating": 0.82,
    "xla-out-of-memory": 0.78,
    "async-allocator-refused": 0.72,
    "allocator-refused": 0.68,
    "resource-exhausted": 0.62,
    "allocator-dump": 0.6,
}
"""An allocator of the GPU says that it has no room."""
_HINTS = {
    "dst-tensor": 0.62,
    "scratch-space-refused": 0.62,
    "cuda-out-of-memory": 0.52,
    "oom-hint": 0.45,
    "pinned-memory-refused": 0.4,
    "no-algorithm-worked": 0.4,
    "allocator-not-a-failure": 0.35,
    "regions-garbage-collected": 0.3,
    "gpu-sync-failed": 0.35,
    "cudnn-dropout-failed": 0.45,
    "conv-algorithm-failed": 0.25,
    "cudnn-handle-failed": 0.25,
    "cudnn-internal-error": 0.2,
    "blas-launch-failed": 0.2,
}
"""Memory was short, or may have been."""
_FULL = 0.8
"""A pool that is as full as this was too small, whatever was asked for."""
_LEAK_WORDS = (
    "words-memory-grows",
    "words-memory-later",
    "words-memory-not-released",
    "words-many-processes",
)
_OF_GPU = {"gpu", "little", "into", "crash", "big", "exceeds", "full", "than", "on", "fit"}


@cause("gpu-oom")
def gpu_oom(story: Story) -> Verdict | None:
    """
    ## What it means
    A training step keeps the weights, the optimizer's state (Adam: two more copies), the gradients
    and the output of every layer on the GPU at the same time. Here that is more than the GPU, or
    the limit that was set for TensorFlow, can hold.

    ## How to be sure
    - It fails at the first step, or at the first batch that is larger than those before.
    - With a quarter of the batch it runs.
    - The GPU was empty before the start: `nvidia-smi` shows no other process.
    - In the allocator's dump `InUse` plus the request is more than `Limit`.

    ## How to fix it
    Put `fitguard run` in front of your command: `fitguard run train.py`. It splits the batch into
    micro-batches that fit, and the optimizer still sees the whole batch. Where layers look at the
    whole batch, as BatchNormalization does, that needs `--allow batch-statistics`, because it
    changes results. To know which batch fits before you train:
    `fitguard plan train.py --gpu "RTX 3060"`.

    Two kinds of tensors do not get smaller with the batch. If the one that did not fit is a weight
    or a slot of the optimizer (names with `Adam/`, `kernel`), make the layer smaller or use an
    optimizer with less state. If a whole dataset becomes one tensor (`_EagerConst`), feed it in
    batches. Mixed precision halves the activations.

    ## When this reading is wrong
    - The same message comes when another process holds the card: *gpu-memory-taken*.
    - If it comes after many steps or models that were all alike, memory leaks: *gpu-memory-leak*.
    - If the dump shows more free bytes than were asked for: *gpu-fragmentation*.
    - *by allocator cpu* means the host's memory: *host-oom*.
    - *The caller indicates that this is not a failure* is no error at all.

    ## References
    - TensorFlow, use a GPU: limiting GPU memory growth
    - TensorFlow's source: `bfc_allocator.cc`; what *Dst tensor is not initialized* means:
      tensorflow/tensorflow#7025
    """
    memory = gpu_memory(story)
    scales = Scales()
    if memory.told_by:
        quoted = memory.state.evidence if memory.state else ()
        scales.add(_REFUSED[memory.told_by.name], memory.told_by, *quoted)
        if memory.state and (memory.state.used_share or 0) >= _FULL and not memory.refused:
            scales.add(0.2, memory.told_by)
    for name, weight in _HINTS.items():
        if not scales.weight:
            scales.add(weight, story.first(name))
    if words := story.first("words-out-of-memory"):
        known_gpu = _OF_GPU & words.values.keys()
        scales.add(0.6 if known_gpu else 0.5, words)
    if scales.weight:
        scales.add(0.35, story.first("words-batch-matters"))
        scales.add(0.1, story.first("allocator-at-the-end"))
    _weigh_others(story, memory, scales)
    return scales.verdict(why=describe_refusal(memory), fix=smaller_step(memory))


def _weigh_others(story: Story, memory: GpuMemory, scales: Scales) -> None:
    """What makes another reading of the same refusal the better one."""
    if memory.in_pieces:
        scales.take(0.35)
    if memory.hoards or memory.growing or story.has(*_LEAK_WORDS):
        scales.take(0.32)
    if story.has("words-models-in-a-loop"):
        scales.take(0.2)
    if memory.tiny or story.has("words-memory-taken") or story.finding("gpu-busy"):
        scales.take(0.35)
    if story.has("context-out-of-memory", "devices-busy"):
        scales.take(0.6)
    if story.has("words-growth-hurts", "words-fragmentation"):
        scales.take(0.3)
    if story.has("words-out-of-ram", "host-memory-limit-hit", "oom-kill", "bad-alloc"):
        scales.take(0.3)
