"""gpu-fragmentation: enough free in all, no block that large; the hint alone proves nothing."""

from pathlib import Path

import pytest
from causes.tell import tell

RECORDINGS = Path(__file__).parents[1] / "crash" / "recordings"
COLLECTED = (
    "W tensorflow/core/common_runtime/bfc_allocator.cc:311] Garbage collection: deallocate free "
    "memory regions (i.e., allocations) so that we can re-allocate a larger region "
    "to avoid OOM due "
    "to memory fragmentation."
)
OLD = """\
W<275] Allocator (GPU_0_bfc) ran out of memory trying to allocate 600.00MiB.
I<645] Chunk at 0x7f94a9592a00 of size 4294967296
I<645] Free  at 0x7f94a939ca00 of size 500000000
I<645] Chunk at 0x7f94a9592a00 of size 67108864
I<645] Free  at 0x7f94a939ca00 of size 550000000
""".replace("<", " tensorflow/core/common_runtime/bfc_allocator.cc:")


@pytest.mark.parametrize(
    "text",
    [
        OLD,
        COLLECTED,
        "With set_memory_growth on I always get OOM after the first validation; without it the "
        "same network runs.",
        "Training dies with OOM although 7 GB are still free according to the dump.",
        "TF_GPU_ALLOCATOR=cuda_malloc_async fixed it for us.",
    ],
)
def test_memory_in_pieces(text: str) -> None:
    assert tell(text).primary == "gpu-fragmentation"


def test_the_numbers_of_a_real_dump() -> None:
    found = tell((RECORDINGS / "bfc_fragmented.log").read_text()).causes[0]
    assert found.cause == "gpu-fragmentation"
    assert found.confidence == "high"
    assert "asked for 40.0 MiB in one piece" in found.why
    assert "largest free block had 30.0 MiB" in found.why
    assert found.fix.commands[0] == "export TF_GPU_ALLOCATOR=cuda_malloc_async"


@pytest.mark.parametrize(
    "text",
    [
        "OOM when allocating tensor with shape[64,3000,3000]\nIf the cause is memory fragmentation "
        "maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the "
        "situation.",
        (RECORDINGS / "bfc_too_large.log").read_text(),
        (RECORDINGS / "bfc_kept.log").read_text(),
        "I tensorflow/core/common_runtime/gpu/pool_allocator.cc:257] Raising pool_size_limit_ from "
        "100 to 110",
    ],
)
def test_near_misses(text: str) -> None:
    assert tell(text).primary != "gpu-fragmentation"


@pytest.mark.parametrize(
    "text",
    [
        "OOM in the third step, although 40 % of the GPU memory is unused.",
        "The free memory is split into small pieces, so the big tensor is refused.",
        "There is no single contiguous block left.",
        "Since we use TF_GPU_ALLOCATOR=cuda_malloc_async it avoids the crash.",
    ],
)
def test_people_who_saw_it(text: str) -> None:
    assert tell(text).causes[0].cause == "gpu-fragmentation"


def test_a_pool_that_is_all_but_full_is_not_in_pieces() -> None:
    """Two small gaps, together larger than the request: a few more bytes in use would not fit."""
    text = OLD.replace("4294967296", "42949672960") + "Limit:  44066781184\nInUse:  43016781824\n"
    assert tell(text).primary == "gpu-oom"
    assert tell(OLD).primary == "gpu-fragmentation"
