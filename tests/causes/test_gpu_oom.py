"""gpu-oom: positive cases of several eras, near misses, and the numbers in its remedy."""

from pathlib import Path

import pytest
from causes.tell import tell

RECORDINGS = Path(__file__).parents[1] / "crash" / "recordings"
ON_GPU = "on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"


@pytest.mark.parametrize(
    "text",
    [
        "W tensorflow/core/common_runtime/bfc_allocator.cc:275] Ran out of memory trying "
        "to allocate"
        " 1.17GiB.  See logs for memory state.\n"
        "W tensorflow/core/framework/op_kernel.cc:936] Resource exhausted: OOM when allocating "
        "tensor with shapedim { size: 256 } dim { size: 1200000 }",
        "ResourceExhaustedError (see above for traceback): OOM when allocating tensor with "
        "shape[24,512,65,65]\n\t [[Node: decoder/conv2/Conv2D = Conv2D[T=DT_FLOAT](x, w/read)]]",
        f"OP_REQUIRES failed at pad_op.cc:122 : Resource exhausted: OOM when allocating "
        f"tensor with "
        f"shape[16,514,514,64] and type half {ON_GPU}",
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n"
        "Hint: If you want to see a list of allocated tensors when OOM happens, add "
        "report_tensor_allocations_upon_oom to RunOptions for current allocation info.",
        "W0000 00:00:1794719495.240286 2952 bfc_allocator.cc:502] Allocator (GPU_0_bfc) ran out of "
        "memory trying to allocate 3.20GiB (rounded to 3435973888)requested by op attention/einsum",
        "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate "
        "19327352832 bytes.",
        "E tensorflow/core/common_runtime/gpu/gpu_cudamallocasync_allocator.cc:288] gpu_async_0 "
        "cuMemAllocAsync failed to allocate 411041792 bytes: CUDA error: out of memory",
        "InternalError:  Dst tensor is not initialized.\n\t [[{{node Assign_17}}]]",
        "Training a 3D U-Net on my 6 GB card runs out of GPU memory in the first step.",
    ],
)
def test_a_step_that_does_not_fit(text: str) -> None:
    assert tell(text).primary == "gpu-oom"


def test_the_hint_on_fragmentation_is_listed_as_noise() -> None:
    diagnosis = tell(
        f"ResourceExhaustedError: OOM when allocating tensor with shape[64,1024,1024] {ON_GPU}\n"
        "If the cause is memory fragmentation maybe the environment variable "
        "'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation."
    )
    assert diagnosis.primary == "gpu-oom"
    assert [noise.name for noise in diagnosis.noise] == ["fragmentation-hint"]


def test_with_a_dump_it_says_how_far_over_it_was_and_which_batch_to_try() -> None:
    found = tell((RECORDINGS / "bfc_too_large.log").read_text()).causes[0]
    assert found.cause == "gpu-oom"
    assert "256.0 MiB" in found.why
    assert "126.6 MiB over" in found.why
    assert "try 32768 first" in found.fix.text
    assert "2 micro-batches of 32768" in found.fix.text
    assert "These two change results" in found.fix.text


def test_a_batch_far_too_large_is_cut_into_more_parts() -> None:
    found = tell(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 20.00GiB (rounded to "
        "21474836480)requested by op conv1/Relu\n"
        "Limit:   8589934592\nInUse:   4294967296\n"
        f"OOM when allocating tensor with shape[512,64,400,400] and type float {ON_GPU}"
    ).causes[0]
    assert "try 128 first" in found.fix.text
    assert "4 micro-batches" in found.fix.text


def test_a_compiled_step_is_divided_by_what_is_free() -> None:
    found = tell(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 24.00GiB (rounded to "
        "25769803776)requested by op \nLimit:   10737418240\nInUse:   2147483648\n"
        "Out of memory while trying to allocate 24.00GiB."
    ).causes[0]
    assert "divided by 4" in found.fix.text


@pytest.mark.parametrize(
    "node", ["training/Adam/mul_23", "Adam/Adam/update/mul_1", "dense_1/kernel/Initializer/zeros"]
)
def test_a_smaller_batch_is_no_remedy_for_weights(node: str) -> None:
    found = tell(
        f"Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.00GiB requested by "
        f"op {node}\n"
        f"OOM when allocating tensor with shape[524288,512] and type float {ON_GPU}"
    ).causes[0]
    assert found.cause == "gpu-oom"
    assert "a smaller batch does not help" in found.fix.text


def test_gradients_below_the_optimisers_name_shrink_with_the_batch() -> None:
    found = tell(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.00GiB requested by op "
        "training/Adam/gradients/conv2d_3/convolution_grad/Conv2DBackpropInput\n"
        f"OOM when allocating tensor with shape[96,128,150,150] and type float {ON_GPU}"
    ).causes[0]
    assert "try 48 first" in found.fix.text


def test_a_dataset_as_one_constant() -> None:
    found = tell(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 5.50GiB (rounded to "
        "5905580032)requested by op _EagerConst"
    ).causes[0]
    assert "batch by batch" in found.fix.text


def test_a_batch_of_one() -> None:
    found = tell("ResourceExhaustedError: OOM when allocating tensor with shape[1,64,4000,3000]")
    assert "batch is 1 already" in found.causes[0].fix.text


@pytest.mark.parametrize(
    "text",
    [
        "W bfc_allocator.cc:271] Allocator (GPU_0_bfc) ran out of memory trying to "
        "allocate 2.16GiB "
        "with freed_by_count=0. The caller indicates that this is not a failure, but may mean that "
        "there could be performance gains if more memory were available.\nEpoch 3/3",
        "ResourceExhaustedError: /data/a.tfrecord; Too many open files",
        "RESOURCE_EXHAUSTED: Received message larger than max (5242880 vs. 4194304)",
        "Training no longer runs out of memory since the update.",
        "OOM when allocating tensor with shape[9000,9000] and type float on "
        "/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu",
    ],
)
def test_near_misses(text: str) -> None:
    assert tell(text).primary != "gpu-oom"


DUMP = "2021-06-01 12:00:00.000001: I tensorflow/core/common_runtime/bfc_allocator.cc:"
FULL = "*" * 97 + "___"


@pytest.mark.parametrize(
    "text",
    [
        f"{DUMP}1046] Stats: \nLimit:             7926904832\nInUse:             7802019840",
        f"{DUMP}1042] 3 Chunks of size 411041792 totalling 1.15GiB\n"
        f"{DUMP}1046] Sum Total of in-use chunks: 9.81GiB",
        f"{DUMP}1031] InUse at 7f3b00000000 of size 1048576 next 7",
        f"W tensorflow/core/common_runtime/bfc_allocator.cc:439] {FULL}",
        FULL,
        "Limit:                 11330551808\nInUse:                  5128479744\n"
        "MaxInUse:              11130551808\nNumAllocs:                   10340",
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating "
        "21474836480 bytes.",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB",
        "The volumes are larger than what my 8 GB card can take: insufficient memory on the GPU.",
    ],
)
def test_parts_of_a_dump_and_other_wordings(text: str) -> None:
    """A dump is only written where a request was refused."""
    assert tell(text).primary == "gpu-oom"


def test_a_part_of_a_dump_tells_how_full_the_pool_was() -> None:
    found = tell("Limit:   8000000000\nInUse:   7600000000\n").causes[0]
    assert "95 % of 7.5 GiB were in use" in found.why


def test_where_enough_was_free_nothing_is_said_to_be_over() -> None:
    kept = "".join(
        f"{DUMP}1031] InUse at 7f3b0000000{n} of size 104857600 next {n}\n" for n in range(9)
    )
    diagnosis = tell(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 50.00MiB (rounded to 52428800)"
        f"requested by op BiasAdd\n{kept}"
        f"{DUMP}1031] Free  at 7f3b00000010 of size 44000000 next 1\n"
        f"{DUMP}1031] Free  at 7f3b00000020 of size 44000000 next 2\n"
        "Limit:   1031798784\nInUse:    943718400\n"
    )
    assert diagnosis.primary == "gpu-oom"
    assert "not in one piece" in diagnosis.causes[0].why
    assert "over" not in diagnosis.causes[0].why


def test_rules_of_stars_and_underscores_are_no_dump() -> None:
    assert tell(f"{'*' * 90}\n{'_' * 90}\nEpoch 1/3").primary != "gpu-oom"
