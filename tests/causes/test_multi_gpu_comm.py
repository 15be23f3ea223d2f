"""GPUs or machines could not talk to each other."""

import pytest
from causes.tell import tell


@pytest.mark.parametrize(
    "text",
    [
        "node7:88:91 [3] misc/shmutils.cc:72 NCCL WARN Error while creating shared memory segment "
        "/dev/shm/nccl-aB3 (size 9637888)",
        "tensorflow.python.framework.errors_impl.InternalError: NCCL: unhandled cuda error. Set "
        "NCCL_DEBUG=WARN for detail. [Op:NcclAllReduce]",
        "W horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be "
        "reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of "
        "ranks for more than 60 seconds.",
        "tensorflow.python.framework.errors_impl.UnavailableError: Collective ops is aborted by: "
        "failed to connect to all addresses",
        "I tensorflow/core/distributed_runtime/master.cc:267] CreateSession still waiting for "
        "response from worker: /job:ps/replica:0/task:0",
        "With MirroredStrategy on two A6000 the training freezes at the first step; all GPUs show "
        "100 %.",
        "The job gets stuck when more than one worker is used: MultiWorkerMirroredStrategy.",
        "Using multiple GPUs hangs for ever, NCCL_P2P_DISABLE=1 helps.",
        "F0000 00:00:1730000000.1 9 rendezvous.cc:99] Termination timeout for `first call to "
        "collective operation 3; num_devices=4` of 40 seconds exceeded.",
        "InvalidArgumentError: No OpKernel was registered to support Op 'CollectiveGather'",
        "Nothing happens after Epoch 1/5. One GPU trains.",
        "With two cards the loss is garbage unless IOMMU is off; NCCL is in use and it hangs.",
        "Bus error (core dumped)\nIn this container /dev/shm has 64 MB.",
        "DistributedSGD_Allreduce/gradients_AddN_3_0 [missing ranks: 1]",
        "Thread 9 (LWP 12): #0 0x00007f in ncclGroupEnd ()",
    ],
)
def test_it_is_the_talk_between_gpus(text: str) -> None:
    assert tell(text).primary == "multi-gpu-comm"


@pytest.mark.parametrize(
    "text",
    [
        "INFO:tensorflow:Using MirroredStrategy with devices ('/device:GPU:0', '/device:GPU:1')\n"
        "ResourceExhaustedError: OOM when allocating tensor with shape[4096,4096] and type float "
        "on /job:localhost/replica:0/task:0/device:GPU:1 by allocator GPU_1_bfc",
        "I tensorflow/core/common_runtime/gpu/gpu_device.cc:779] Peer access not supported between "
        "device ordinals 0 and 1\nEpoch 1/3",
        "n1:1:2 [0] external/nccl_archive/src/misc/ibvwrap.cc:63 NCCL WARN Failed to open "
        "libibverbs.so[.1]\nEpoch 1/3",
        "Training hangs at the first step on my GTX 1060.",
        "W tensorflow/core/common_runtime/gpu/gpu_device.cc:1575] Unable to enable peer access "
        "between device ordinals 0 and 9, status: Internal: failed to enable peer access: "
        "CUDA_ERROR_TOO_MANY_PEERS: peer mapping resources exhausted",
    ],
)
def test_it_is_not(text: str) -> None:
    assert tell(text).primary != "multi-gpu-comm"


def test_a_hang_with_several_gpus_at_hand_is_theirs() -> None:
    text = "Training stops making progress after some steps."
    assert tell(text, gpu="4x Tesla V100").causes[0].cause in ("multi-gpu-comm", "hang")
    assert "multi-gpu-comm" in [cause.cause for cause in tell(text, gpu="4x Tesla V100").causes]


def test_the_fix_for_a_small_shm_names_the_option() -> None:
    answer = tell("h:1:2 [1] include/shm.h:28 NCCL WARN Call to posix_fallocate failed : No space")
    assert "--shm-size" in answer.causes[0].fix.text
    assert answer.causes[0].fix.commands[0] == "df -h /dev/shm"


def test_a_port_that_is_taken_is_named() -> None:
    found = tell(
        "E0000 00:00:1794855731.287340    2489 add_port.cc:83] Failed to add port to server: No "
        "address added out of total 1 resolved for '0.0.0.0:15011'\n"
        "tensorflow.python.framework.errors_impl.UnknownError: Could not start gRPC server"
    )
    assert found.primary == "multi-gpu-comm"
    assert "0.0.0.0:15011" in found.causes[0].why
    assert "NCCL" not in found.causes[0].fix.text
