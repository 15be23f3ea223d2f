"""The allocator's dump, of all eras and shapes."""

from pathlib import Path

import pytest

from fitguard.crash.allocator import allocations
from fitguard.crash.allocator_lines import size
from fitguard.crash.signals import Recogniser
from fitguard.knowledge import knowledge
from fitguard.schema.crash import AllocatorState, Line

RECORDINGS = Path(__file__).parent / "recordings"
RECOGNISER = Recogniser(knowledge().signatures)
MIB = 2**20


def read(text: str, workers: tuple[str | None, ...] = ()) -> tuple[AllocatorState, ...]:
    lines = [
        Line(number, line, "log", workers[number - 1] if workers else None)
        for number, line in enumerate(text.split("\n"), 1)
    ]
    return allocations(lines, RECOGNISER.signals(lines))


def recorded(name: str) -> AllocatorState:
    (state,) = read((RECORDINGS / name).read_text())
    return state


def test_a_batch_that_is_too_large() -> None:
    state = recorded("bfc_too_large.log")
    assert state.requested_bytes == 256 * MIB
    assert state.requested_by == "sequential_1/dense_1/Relu"
    assert state.shape == (65536, 1024)
    assert state.limit_bytes == 200 * MIB
    assert state.allocator == "bfc_cpu_allocator_for_gpu"
    assert state.free_bytes is not None
    assert state.free_bytes < state.requested_bytes
    assert state.evidence[0].line == 1


def test_free_memory_in_pieces() -> None:
    state = recorded("bfc_fragmented.log")
    assert state.requested_bytes == 40 * MIB
    assert state.largest_free_bytes == 30 * MIB
    assert state.free_bytes is not None
    assert state.free_bytes > 2 * state.requested_bytes


def test_tensors_that_are_kept() -> None:
    state = recorded("bfc_kept.log")
    assert (state.repeated_size_bytes, state.repeated_count) == (4 * MIB, 48)


# `<` stands for the prefix of the era.
ERA_0 = """\
I<643] Bin (256): \tTotal Chunks: 1, Chunks in use: 0 256B allocated for chunks.
I<678] Chunk at 0x704a80000 of size 1310720000
I<687] Free at 0x752c80000 of size 209715200
I<693]      Summary of in-use Chunks by size:
I<696] 1 Chunks of size 1310720000 totalling 1.22GiB
I<702] Stats:
Limit:                  1520435200
InUse:                  1310720000
MaxInUse:               1510720000
NumAllocs:                     907
MaxAllocSize:            838860800

W<274] **************************************************************_______x______
W<275] Ran out of memory trying to allocate 392.00MiB.  See logs for memory state.
W<975] Resource exhausted: OOM when allocating tensor with shape[32,64,224,224]
""".replace("<", " tensorflow/core/common_runtime/bfc_allocator.cc:")


def test_before_1_1_the_request_stood_behind_the_dump() -> None:
    (state,) = read(ERA_0)
    assert state.requested_bytes == 392 * MIB
    assert state.limit_bytes == 1520435200
    assert state.in_use_bytes == 1310720000
    assert state.largest_free_bytes == 209715200
    assert state.shape == (32, 64, 224, 224)


ERA_1 = """\
W<267] Allocator (GPU_1_bfc) ran out of memory trying to allocate 1.00GiB.  Current allocation \
summary follows.
I<597] Bin (256): \tTotal Chunks: 64, Chunks in use: 64. 16.0KiB allocated for chunks.
I<632] Chunk at 0x7f5a00000000 of size 9663676416
I<645] Free  at 0x7f5c40000000 of size 536870912
I<662] Stats:
Limit:                 10200547328
InUse:                  9663676416
W<271] **************************************************************************______
W<1401] OP_REQUIRES failed at cwise_ops_common.cc:70 : Resource exhausted: OOM when allocating \
tensor with shape[16384,16384] and type float on /job:localhost/replica:0/task:0/device:GPU:1 \
by allocator GPU_1_bfc
"""
for level in "IW":
    ERA_1 = ERA_1.replace(
        f"{level}<",
        f"2019-03-02 11:00:00.1: {level} tensorflow/core/common_runtime/bfc_allocator.cc:",
    )


def test_release_1_x() -> None:
    (state,) = read(ERA_1)
    assert state.allocator == "GPU_1_bfc"
    assert state.requested_bytes == 2**30
    assert state.free_bytes == state.largest_free_bytes == 512 * MIB
    assert state.shape == (16384, 16384)


def test_several_dumps_in_one_log() -> None:
    first, second = read(ERA_1 + ERA_1.replace("[16384,16384]", "[8192,8192]"))
    assert first.shape == (16384, 16384)
    assert second.shape == (8192, 8192)
    assert first.free_bytes == second.free_bytes


def test_two_workers_that_write_at_the_same_time() -> None:
    one, two = ERA_1.split("\n"), ERA_1.replace("GPU_1", "GPU_5").split("\n")
    lines = [line for pair in zip(one, two, strict=True) for line in pair]
    states = read("\n".join(lines), ("0", "1") * len(one))
    assert [state.allocator for state in states] == ["GPU_1_bfc", "GPU_5_bfc"]
    assert {state.free_bytes for state in states} == {512 * MIB}


def test_the_error_alone() -> None:
    (state,) = read(
        "ResourceExhaustedError: OOM when allocating tensor with shape[8,128,128,64] and type half "
        "on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Conv2D]"
    )
    assert state.requested_bytes == 8 * 128 * 128 * 64 * 2
    assert state.requested_by == "Conv2D"
    assert state.limit_bytes is None


def test_a_region_that_may_still_grow_counts_as_free() -> None:
    (state,) = read(
        "W bfc_allocator.cc:433] Allocator (GPU_0_bfc) ran out of memory trying to allocate "
        "64.00MiB (rounded to 67108864)requested by op Mul\n"
        "I bfc_allocator.cc:1031] InUse at 7f0000000000 of size 1048576 next 1\n"
        "I bfc_allocator.cc:1045] total_region_allocated_bytes_: 1048576 memory_limit_: 100000000 "
        "available bytes: 98951424 curr_region_allocation_bytes_: 134217728\n"
    )
    assert state.free_bytes == state.largest_free_bytes == 98951424
    assert state.requested_by == "Mul"


def test_where_the_chunks_are_cut_out_the_map_tells_the_largest_gap() -> None:
    stars = "*" * 40 + "_" * 20 + "*" * 20 + "_" * 10 + "*" * 10
    (state,) = read(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB\n"
        f"Limit:      10000000000\nInUse:       7000000000\n\n{stars}\n"
    )
    assert state.free_bytes == 3_000_000_000
    assert state.largest_free_bytes == 2_000_000_000


def test_cudas_own_pool() -> None:
    (state,) = read(
        "E0000 gpu_cudamallocasync_allocator.cc:361] gpu_async_0 cuMemAllocAsync failed to "
        "allocate 3221225472 bytes: RESOURCE_EXHAUSTED: : CUDA_ERROR_OUT_OF_MEMORY: out of memory\n"
        " Reported by CUDA: Free memory/Total memory: 1073741824/8589934592\n"
        "E0000 gpu_cudamallocasync_allocator.cc:366] Stats: Limit:                 0\n"
        "InUse:                      7000000000\n"
        "E0000 gpu_cudamallocasync_allocator.cc:73] 4194304, 600\n"
    )
    assert state.allocator == "gpu_async_0"
    assert state.requested_bytes == 3 * 2**30
    assert state.free_bytes == 2**30
    assert state.limit_bytes == 8 * 2**30
    assert state.repeated_count == 600


def test_xla_repeats_the_request_in_its_error() -> None:
    (state,) = read(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 320.00MiB (rounded to "
        "335548160)requested by op \n"
        "Out of memory while trying to allocate 320.00MiB.\n"
    )
    assert state.requested_bytes == 335548160
    assert state.requested_by is None


def test_xla_alone_in_plain_bytes() -> None:
    (state,) = read("(0) Resource exhausted: Out of memory while trying to allocate 6885264 bytes.")
    assert state.requested_bytes == 6885264


def test_what_is_no_failure_is_no_refusal() -> None:
    assert not read(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.16GiB with freed_by_count=0. "
        "The caller indicates that this is not a failure, but may mean that there could be gains."
    )


def test_the_rules_of_a_model_summary_are_no_map() -> None:
    (state,) = read(f"{'_' * 65}\nLayer (type)\n{ERA_1}{'_' * 65}\n")
    assert state.largest_free_bytes == 512 * MIB


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2.00GiB", 2**31),
        ("11214430208", 11214430208),
        ("10.8KiB", 11059),
        ("0B", 0),
        ("lots", None),
    ],
)
def test_sizes(text: str, number: int | None) -> None:
    assert size(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "Free at 0xzz of size many",
        "OOM when allocating tensor with shape[]",
        "OOM when allocating tensor with shape[1,2,",
        "Limit:   \nInUse:  9\n" + "*" * 100_000,
        "Allocator () ran out of memory trying to allocate 9.9.9GiB",
    ],
)
def test_broken_lines_do_no_harm(text: str) -> None:
    assert len(read(text + "\nOOM when allocating tensor with shape[2,2]")) >= 1


HUGE = "9" * 400


@pytest.mark.parametrize(
    "line",
    [
        f"Allocator (GPU_0_bfc) ran out of memory trying to allocate {HUGE}GiB",
        f"Allocator (GPU_0_bfc) ran out of memory trying to allocate 1B (rounded to {HUGE})",
        f"OOM when allocating tensor with shape[{HUGE}] and type float",
        f"OOM when allocating tensor with shape[{','.join(['99999999'] * 400)}] and type float",
        f"InUse at 7f00 of size {HUGE} next 1",
        f"{HUGE} Chunks of size {HUGE} totalling 1B",
        f"memory_limit_: {HUGE} available bytes: {HUGE} curr_region_allocation_bytes_: 1",
        f"Limit: {HUGE}",
        f"Sum Total of in-use chunks: {HUGE}TiB",
        f"Free memory/Total memory: {HUGE}/{HUGE}",
    ],
)
def test_a_number_of_400_digits_costs_only_itself(line: str) -> None:
    (state,) = read(f"{line}\nAllocator (GPU_0_bfc) ran out of memory trying to allocate 8.00MiB")[
        -1:
    ]
    assert state.requested_bytes == 8 * MIB
