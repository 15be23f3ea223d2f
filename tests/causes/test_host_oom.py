"""host-oom: refused requests, kills with and without a record, and other ways to end."""

import pytest
from causes.tell import tell

from fitguard.crash.explanation import explain

KERNEL = (
    "[81234.5] Out of memory: Killed process 4711 (python3) total-vm:92428800kB, "
    "anon-rss:61457280kB, file-rss:0kB, shmem-rss:0kB\n"
)


@pytest.mark.parametrize(
    "text",
    [
        "Epoch 4/50\n./run.sh: line 8: 20113 Killed                  python3 fit.py",
        "已杀死",
        "Process finished with exit code 137 (interrupted by signal 9: SIGKILL)",
        "worker-0    0/1     OOMKilled   0          14m",
        "slurmstepd: error: Detected 1 oom-kill event(s) in step 77.0 cgroup.",
        "Your session crashed after using all available RAM.",
        "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  "
        "std::bad_alloc",
        "numpy.core._exceptions.MemoryError: Unable to allocate 23.4 GiB for an array with shape "
        "(60000, 224, 224, 3) and data type float64",
        "OSError: [WinError 1455] Die Auslagerungsdatei ist zu klein, um diesen Vorgang "
        "durchzuführen.",
        "fork: Cannot allocate memory",
        "OOM when allocating tensor with shape[120000,8192] and type float on "
        "/job:localhost/replica:0/task:0/device:CPU:0 by allocator mklcpu",
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:893] failed to alloc 8589934592 bytes on "
        "host: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        "The shuffle buffer eats all the RAM and the kernel kills the process.",
    ],
)
def test_host_memory_that_ran_out(text: str) -> None:
    assert tell(text).primary == "host-oom"


def test_with_a_record_of_the_kernel_it_is_certain() -> None:
    found = tell("Epoch 2/9\n", exit_code=137, kernel_log=KERNEL).causes[0]
    assert (found.cause, found.confidence) == ("host-oom", "high")
    assert any("Killed process 4711" in evidence.text for evidence in found.evidence)


def test_without_a_record_it_is_likely() -> None:
    found = tell("Epoch 2/9\n", exit_code=137).causes[0]
    assert (found.cause, found.confidence) == ("host-oom", "medium")
    assert "kernel log" in found.why


def test_a_large_array_is_named_in_the_remedy() -> None:
    found = tell(
        "MemoryError: Unable to allocate 9.31 GiB for an array with shape (50000, 50000) and data "
        "type float32"
    ).causes[0]
    assert "9.31 GiB" in found.fix.text
    assert "mmap_mode" in found.fix.text


@pytest.mark.parametrize(
    ("text", "exit_code"),
    [
        ("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2023-04-02T10:11:12 DUE TO TIME LIMIT ***"
         "\nKilled", None),
        ("W cpu_allocator_impl.cc:80] Allocation of 602112000 exceeds 10% of free system memory.\n"
         "Epoch 2/5", None),
        ("Segmentation fault (core dumped)", None),
        ("Epoch 5/5\n", 0),
        ("OOM when allocating tensor with shape[64,3000,3000] and type float on /job:localhost/"
         "replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc", 1),
    ],
)  # fmt: skip
def test_near_misses(text: str, exit_code: int | None) -> None:
    assert tell(text, exit_code=exit_code).primary != "host-oom"


@pytest.mark.parametrize(
    "text",
    [
        " 812/2048 [==========>...................] - ETA: 41s - loss: 0.6931Killed",
        "Epoch 3: 45%|####5     | 450/1000 [02:11<02:40,  3.43it/s]Killed",
        "Your notebook tried to allocate more memory than is available. It has restarted.",
        "ClientError: Please use an instance type with more memory, or reduce the size of job data "
        "processed on an instance.",
        "[ERROR] Worker (pid:77) was sent SIGKILL! Perhaps out of memory?",
        "Container killed by YARN for exceeding memory limits. 9.1 GB of 9 GB physical memory used",
        "=>> PBS: job killed: mem job total 65 gb exceeded limit 64 gb",
        "RuntimeError: One or more background workers are no longer alive. Exiting.",
        "W bfc_allocator.cc:479] Allocator (cuda_host_bfc) ran out of memory trying to allocate "
        "3.73GiB",
        "I bfc_allocator.cc:1034] BFCAllocator dump for gpu_host_bfc\n"
        "Limit:  68719476736\nInUse:  68019476736",
        "memory allocation of 34359738368 bytes failed\nAborted (core dumped)",
        "pyarrow.lib.ArrowMemoryError: malloc of size 1073741824 failed",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "The pod runs out of memory while shuffling a million images.",
        "The terminal only shows killed.",
    ],
)
def test_wordings_of_platforms_and_libraries(text: str) -> None:
    assert tell(text).primary == "host-oom"


@pytest.mark.parametrize(
    "text",
    [
        "When the process is killed, nvidia-smi still lists the card.",
        "Enemies Killed: 12\nEpoch 1/2",
        "A 2 GB file loads. RAM usage is low.",
    ],
)
def test_words_that_are_no_kill(text: str) -> None:
    assert tell(text).primary != "host-oom"


@pytest.mark.parametrize(("share", "primary"), [(98, "host-oom"), (31, None)])
def test_a_kill_is_judged_by_what_the_flight_record_measured(share: int, primary: str) -> None:
    sentence = f"main memory was at {share} % of its limit at the end (31.4 GiB of 32.0 GiB)"
    told = explain(b"Epoch 2/9\n", signal="SIGKILL", measured=[sentence])
    assert told.primary == primary
    if primary:
        assert told.causes[0].evidence[0].text == sentence
        assert told.causes[0].evidence[0].source == "flight record"
        assert "98 % of the memory was in use" in told.causes[0].why
