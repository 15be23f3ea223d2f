"""Lines of TensorFlow's allocator, in any pieces."""

import pytest

from fitguard.supervise.allocation_failures import AllocationFailures

LINES = b"""step 1
W bfc_allocator.cc:456] Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.50GiB
W bfc_allocator.cc:305] Garbage collection: deallocate free memory regions (i.e., allocations)
I bfc_allocator.cc:101] Bin (256): Total Chunks: 5
W bfc_allocator.cc:271] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.16GiB with
"""


@pytest.mark.parametrize("size", [1, 7, 50, 64, 1000])
def test_each_is_counted_once(size):
    failures = AllocationFailures()
    for start in range(0, len(LINES), size):
        failures.hear(LINES[start : start + size])
    assert failures.count == 3
