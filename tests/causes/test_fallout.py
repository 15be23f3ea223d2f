"""What surviving workers print when another one is gone: never the cause, as reports show.

The wordings are those of the issues that are named; machines and numbers were changed.
"""

import pytest
from causes.tell import tell

REPORTED = {
    "horovod/horovod#410": "2018-07-30 06:41:52.525932: W tensorflow/core/framework/"
    "op_kernel.cc:1318] OP_REQUIRES failed at mpi_ops.cc:422 : Aborted: Horovod has been shut "
    "down. This was caused by an exception on one of the ranks or an attempt to allreduce, "
    "allgather or broadcast a tensor after one of the ranks finished execution.",
    "horovod/horovod#210": "n15:23:30 [3] include/socket.h:194 WARN Call to recv failed : "
    "Connection reset by peer\nn15:23:30 [3] INFO transport/net_ib.cu:555 -> 2",
    "NVIDIA/nccl#1232": "[0] node0:71:80 [0] NCCL INFO Connected all rings\n"
    "[0] node0:71:80 [0] misc/socket.cc:484 NCCL WARN socketProgress: Connection closed by remote "
    "peer node2<42830>\nnode0:71:80 [0] NCCL INFO misc/socket.cc:58 -> 6",
    "NVIDIA/nccl#1039": "job-0:93:65 [0] misc/socket.cc:52 NCCL WARN Net : Connection closed by "
    "remote peer job-3<51>\n2023-10-26 12:12:06.704113: E hybridbackend/tensorflow/distribute/"
    "nccl/nccl_collective.cc:461] NCCL communication aborted: unhandled system error",
    "pytorch/pytorch#118369": "[E ProcessGroupNCCL.cpp:458] [Rank 0] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=96, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for "
    "1800613 milliseconds before timing out.",
    "tensorflow/tensorflow#45594": "INFO:tensorflow:Using MirroredStrategy with devices "
    "('/device:GPU:0', '/device:GPU:1')\ntensorflow.python.framework.errors_impl.CancelledError:  "
    "[_Derived_]RecvAsync is cancelled.",
}
OWN = {
    # A fault of NCCL itself: no other worker is named, or the communicator never came up.
    "tensorflow/tensorflow#59890": "2023-03-03 13:12:24.938202: I tensorflow/core/common_runtime/"
    "executor.cc:1197] Executor start aborting: UNKNOWN: Error invoking NCCL: unhandled cuda error",
    "tensorflow/tensorflow#36510": "tensorflow.python.framework.errors_impl.InternalError: NCCL: "
    "unhandled cuda error. Set NCCL_DEBUG=WARN for detail. [Op:NcclAllReduce]",
    "tensorflow/tensorflow#51760": "gpu3:37:43 [4] ibvwrap.c:130 NCCL WARN Call to ibv_create_qp "
    "failed\ngpu3:37:42 [3] NCCL INFO ib_plugin.c:174 -> 2",
    "horovod/horovod#110": "tensorflow.python.framework.errors_impl.UnknownError: "
    "ncclCommInitRank failed: unhandled system error",
    "NVIDIA/nccl#1405": "w0:34:39 [4] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion from peer "
    "10.2.2.2<548> with status=12 opcode=0 len=0 vendor err 129 (Recv)",
}


@pytest.mark.parametrize("text", REPORTED.values(), ids=REPORTED)
def test_another_worker_failed_first(text: str) -> None:
    answer = tell(text)
    found = answer.causes[0]
    assert (answer.primary, found.fallout) == ("multi-gpu-comm", True)
    assert "NCCL_" not in found.fix.text
    assert not any("nvidia-smi" in command for command in found.fix.commands)


@pytest.mark.parametrize("text", OWN.values(), ids=OWN)
def test_nccl_itself_failed(text: str) -> None:
    answer = tell(text)
    assert (answer.primary, answer.causes[0].fallout) == ("multi-gpu-comm", False)


LOST = "tensorflow.python.framework.errors_impl.UnavailableError: Socket closed\n"
OOM = "ResourceExhaustedError: OOM when allocating tensor with shape[8192,8192]\n"
RAISED = 'Traceback (most recent call last):\n  File "t.py", line 2, in <module>\nKeyError: 3\n'


@pytest.mark.parametrize(("own", "cause"), [(OOM, "gpu-oom"), (RAISED, "unknown")])
def test_a_failure_of_its_own_that_came_first_is_the_cause(own: str, cause: str) -> None:
    answer = tell(own + LOST)
    assert answer.primary == cause
    assert not answer.causes[0].fallout


@pytest.mark.parametrize("after", ["Aborted (core dumped)\n", "Segmentation fault\n", RAISED])
def test_what_comes_after_it_is_not(after: str) -> None:
    answer = tell(LOST + after)
    assert (answer.primary, answer.causes[0].fallout) == ("multi-gpu-comm", True)


def test_a_cancelled_receive_in_a_training_on_one_gpu_tells_of_no_worker() -> None:
    answer = tell("CancelledError:  [_Derived_]RecvAsync is cancelled.\n")
    assert not any(found.fallout for found in answer.causes)


def test_a_download_that_broke_off_is_no_worker() -> None:
    answer = tell("requests.exceptions.ConnectionError: Connection reset by peer, https://x.org\n")
    assert not any(found.fallout for found in answer.causes)


HEAD = """Epoch 1/2
Traceback (most recent call last):
  File "train.py", line 23, in <module>
    model.fit(data, epochs=2)
tensorflow.python.framework.errors_impl.{}: Graph execution error:

Detected at node CollectiveReduceV2 defined at (most recent call last):
  File "train.py", line 23, in <module>

{}
Additional GRPC error information from remote target /job:worker/replica:0/task:0 while calling \
/tensorflow.WorkerService/RecvBuf:
The error could be from a previous operation. Restart your program to reset.
"""


@pytest.mark.parametrize("kind", ["UnavailableError", "AbortedError", "CancelledError"])
def test_an_error_whose_text_names_another_worker_some_lines_below_is_fallout(kind: str) -> None:
    answer = tell(HEAD.format(kind, "Collective ops is aborted by: Socket closed"))
    assert (answer.primary, answer.causes[0].fallout) == ("multi-gpu-comm", True)
    assert "Another worker failed first" in answer.causes[0].summary
    assert "worker 0" in answer.causes[0].fix.text


def test_an_error_of_its_own_with_the_same_head_is_not() -> None:
    answer = tell(
        HEAD.format("InvalidArgumentError", "Collective ops is aborted by: Socket closed")
    )
    assert not any(found.fallout for found in answer.causes)
