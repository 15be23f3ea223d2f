"""The GPU's free memory is enough in total, but lies in pieces that are too small."""

from fitguard.causes.derived.gpu_memory import GpuMemory, gpu_memory
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story
from fitguard.schema.finding import Fix
from fitguard.shell import set_variable
from fitguard.words import size


@cause("gpu-fragmentation")
def gpu_fragmentation(story: Story) -> Verdict | None:
    """
    ## What it means
    TensorFlow cuts its pool into blocks. When blocks of many sizes are freed and taken again, the
    free ones lie between those in use. A large tensor needs one block, so it can be refused while
    the sum of the free blocks is larger than what it asks for.

    ## How to be sure
    In the allocator's dump add up the `Free at` lines: the sum is larger than the request, and the
    largest of them is smaller. The line of stars has many short gaps. It happens more with
    allow_growth, where the pool comes in regions that are never joined, and with inputs whose size
    changes from step to step.

    *If the cause is memory fragmentation maybe …* proves nothing: TensorFlow prints this hint with
    every refusal.

    ## How to fix it
    Use CUDA's own pool: `TF_GPU_ALLOCATOR=cuda_malloc_async` (TensorFlow 2.5 or later, CUDA 11.2 or
    later); it can move pieces together. Or let TensorFlow take the card in one piece: no
    allow_growth. Pad inputs to a few fixed sizes. A batch a little smaller helps too.

    ## When this reading is wrong
    - If all free memory together is less than the request, the step is too large: *gpu-oom*.
    - The largest free block may be only just too small: then a slightly smaller batch is enough.
    - *Garbage collection: deallocate free memory regions* tells of pieces, but also of a card that
      is nearly full.

    ## References
    - TensorFlow's source: `bfc_allocator.cc`, `gpu_cudamallocasync_allocator.cc`
    - allow_growth and regions that cannot be joined: tensorflow/tensorflow#6111
    """
    memory = gpu_memory(story)
    scales = Scales()
    quoted = memory.state.evidence if memory.state else ()
    if memory.in_pieces:
        scales.add(0.86, *memory.refused[:1], *quoted)
    elif memory.scattered >= 1:
        scales.add(0.4, *memory.refused[:1], *quoted)
    elif _much_free(memory):
        scales.add(0.45, *memory.refused[:1], *quoted)
    elif memory.told_by:
        scales.add(0.4 if _half_empty(memory) else 0.15, memory.told_by)
    scales.add(0.55, story.first("regions-garbage-collected"))
    scales.add(0.72, story.first("words-growth-hurts"))
    scales.add(0.68, story.first("words-fragmentation"))
    if story.has("words-memory-grows"):
        scales.take(0.3)
    return scales.verdict(why=_why(memory), fix=_fix(story))


def _much_free(memory: GpuMemory) -> bool:
    """Without a list of blocks: far more free than asked for, and refused all the same."""
    state = memory.state
    return (
        state is not None
        and state.largest_free_bytes is None
        and state.free_bytes is not None
        and state.requested_bytes is not None
        and state.free_bytes >= 2 * state.requested_bytes
    )


def _half_empty(memory: GpuMemory) -> bool:
    """A part of a dump: what was asked for is not known, but much of the pool was not in use."""
    state = memory.state
    return state is not None and state.requested_bytes is None and (state.used_share or 1) < 0.75


def _why(memory: GpuMemory) -> str:
    state = memory.state
    if state is None or state.requested_bytes is None or memory.scattered < 1:
        return "Memory was refused although part of it was free, as happens when it lies in pieces."
    free = size(state.free_bytes or 0)
    return (
        f"TensorFlow asked for {size(state.requested_bytes)} in one piece. {free} were free, but "
        f"the largest free block had {size(state.largest_free_bytes or 0)}."
    )


def _fix(story: Story) -> Fix:
    return Fix(
        "Use CUDA's own pool, which joins free pieces (TensorFlow 2.5 or later, CUDA 11.2 or "
        "later), or do not set allow_growth, so that the pool is one piece from the start. Keep "
        "the sizes of the inputs the same from step to step.",
        commands=(set_variable(story.facts, "TF_GPU_ALLOCATOR", "cuda_malloc_async"),),
    )
