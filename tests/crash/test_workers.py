"""Which of several workers failed first, by logs of real workers (recordings/WORKERS.md)."""

from pathlib import Path

import pytest

from fitguard.crash.explanation import explain
from fitguard.crash.given import GivenLog
from fitguard.schema.diagnosis import Diagnosis

FOLDER = Path(__file__).parent / "recordings" / "workers"
PREFIXES = {
    "mpirun": "[1,{}]<stderr>:",
    "mpirun with times": "Mon Nov 16 17:20:33 2026[1,{}]<stderr>:",
    "horovodrun": "[{}]<stderr>:",
    "kubectl": "[pod/train-worker-{}/tensorflow] ",
    "ray": "(RayTrainWorker pid=81{}, ip=10.0.0.3) ",
    "srun": "{}: ",
    "torchrun": "[default{0}]:[rank{0}]: ",
}


def logs_of(case: str) -> list[Path]:
    return [FOLDER / f"{case}_{number}.log" for number in range(2)]


def explain_pair(case: str, **options: object) -> Diagnosis:
    return explain(logs_of(case), **options)


def merge(case: str, prefix: str) -> bytes:
    """Both logs as one, line by line in turn, as a launcher writes them."""
    both = [file.read_text().splitlines() for file in logs_of(case)]
    longest = max(map(len, both))
    lines = [
        prefix.format(number) + lines[place]
        for place in range(longest)
        for number, lines in enumerate(both)
        if place < len(lines)
    ]
    return "\n".join(lines).encode()


CASES = {
    "killed": (1, "unknown"),
    "leader_killed": (0, "unknown"),
    "raised": (1, "data-shape-dtype"),
    "leader_raised": (0, "data-shape-dtype"),
    "out_of_memory": (1, "gpu-oom"),
    # TensorFlow says "crashed" of a worker that is frozen, and of one that was killed.
    "stopped": (1, "unknown"),
    "leader_stopped": (0, "hang"),
    "stuck": (1, "hang"),
}


@pytest.mark.parametrize(("case", "worker", "cause"), [(name, *CASES[name]) for name in CASES])
def test_the_worker_that_failed_first_and_why(case: str, worker: int, cause: str) -> None:
    answer = explain_pair(case)
    assert answer.workers is not None
    assert answer.workers.first == f"{case}_{worker}.log"
    assert answer.primary == cause
    parts = [end.part for end in answer.workers.ends]
    assert parts[worker] == "first"
    assert parts[1 - worker] == "fallout"
    assert str(FOLDER / f"{case}_{worker}.log") == answer.causes[0].evidence[0].path


@pytest.mark.parametrize("case", ["raised", "leader_stopped"])
def test_the_order_in_which_logs_are_given_does_not_matter(case: str) -> None:
    turned = explain(logs_of(case)[::-1])
    assert turned.workers is not None
    assert turned.workers.first == f"{case}_{CASES[case][0]}.log"


@pytest.mark.parametrize("case", ["killed", "raised", "stopped", "leader_stopped", "stuck"])
def test_fallout_alone_is_never_a_fault_of_nccl(case: str) -> None:
    answer = explain(logs_of(case)[1 - CASES[case][0]])
    found = answer.causes[0]
    assert (answer.primary, found.fallout) == ("multi-gpu-comm", True)
    assert "Another worker failed first" in found.summary
    assert "NCCL" not in found.fix.text + found.why
    assert answer.workers is None


@pytest.mark.parametrize(
    ("case", "prefix"),
    [
        ("out_of_memory", "mpirun"),
        ("killed", "mpirun with times"),
        ("leader_raised", "horovodrun"),
        ("leader_killed", "kubectl"),
        ("out_of_memory", "ray"),
        ("leader_raised", "srun"),
        ("killed", "torchrun"),
    ],
)
def test_one_log_with_a_prefix_for_each_worker(case: str, prefix: str) -> None:
    worker, cause = CASES[case]
    answer = explain(merge(case, PREFIXES[prefix]))
    assert answer.workers is not None
    assert len(answer.workers.ends) == 2
    assert answer.workers.first == answer.workers.ends[worker].name
    assert str(worker) in (answer.workers.first or "")
    assert answer.primary == cause


def test_workers_at_different_steps_have_nobody_to_blame() -> None:
    answer = explain_pair("out_of_order")
    assert answer.workers is not None
    assert answer.workers.first is None
    assert answer.primary == "multi-gpu-comm"
    assert "same step" in answer.causes[0].summary
    assert "Start all workers again together" in answer.causes[0].fix.text


def test_times_are_compared_where_both_lines_have_one() -> None:
    told = explain_pair("out_of_memory").workers
    assert told is not None
    assert "10.8 s before" in told.told_by
    assert [end.time for end in told.ends] == [
        "2026-11-16 17:22:21.617 UTC",
        "2026-11-16 17:22:10.858 UTC",
    ]


def test_the_log_of_the_first_one_is_missing() -> None:
    survivor = logs_of("killed")[0]
    answer = explain({"worker 0": survivor, "worker 2": survivor})
    assert answer.workers is not None
    assert answer.workers.first is None
    assert "worker 1, whose log is not among them" in answer.workers.told_by
    assert "Give the log of worker 1" in answer.causes[0].fix.text


def test_of_several_without_a_failure_the_one_that_others_name() -> None:
    survivor, dead = logs_of("killed")
    answer = explain({"worker 0": survivor, "worker 2": dead, "worker 1": dead})
    assert answer.workers is not None
    assert answer.workers.first == "worker 1"
    assert "It names worker 1" in answer.workers.told_by


def test_of_several_without_a_failure_and_without_a_name_none_is_chosen() -> None:
    survivor, dead = logs_of("stuck")
    answer = explain({"a": survivor, "b": dead, "c": dead})
    assert answer.workers is not None
    assert answer.workers.first is None
    assert "any of them" in answer.workers.told_by


def test_the_kernel_log_and_the_exit_code_are_of_the_first_one() -> None:
    killed = (
        "[ 1234.5] Memory cgroup out of memory: Killed process 4711 (python3) "
        "total-vm:98765432kB, anon-rss:67108864kB, file-rss:0kB, shmem-rss:0kB\n"
    )
    answer = explain_pair("killed", kernel_log=killed.encode(), exit_code=137)
    assert answer.primary == "host-oom"
    assert answer.workers is not None
    assert answer.workers.first == "killed_1.log"
    assert answer.workers.ends[1].cause == "host-oom"


def test_how_each_process_ended_tells_who_was_killed() -> None:
    survivor, dead = logs_of("stuck")
    answer = explain(
        [
            GivenLog(survivor, exit_code=1),
            GivenLog(dead, name="b", exit_code=0),
            GivenLog(dead, name="c", signal="SIGKILL"),
        ]
    )
    assert answer.workers is not None
    assert answer.workers.first == "c"
    assert [end.part for end in answer.workers.ends] == ["fallout", "well", "first"]


def test_a_worker_that_ended_well_left_the_others_alone() -> None:
    survivor, dead = logs_of("killed")
    answer = explain([GivenLog(survivor, exit_code=1), GivenLog(dead, "early", exit_code=0)])
    assert answer.workers is not None
    assert answer.workers.first == "early"
    assert "same number of steps" in answer.causes[0].fix.text


def test_both_streams_of_a_process_are_one_worker(tmp_path: Path) -> None:
    survivor, dead = (file.read_text() for file in logs_of("raised"))
    for name, text in {"w0.err": survivor, "w0.out": "Epoch 1/3\n", "w1.err": dead}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "w1.out").write_text("Epoch 1/3\n")
    answer = explain(tmp_path)
    assert answer.workers is not None
    assert [end.name for end in answer.workers.ends] == ["w0.err + w0.out", "w1.err + w1.out"]
    assert answer.workers.first == "w1.err + w1.out"


def test_two_failures_of_their_own_are_ordered_by_their_times() -> None:
    oom = (
        "2026-11-16 12:00:0{}.500000: W tensorflow/core/framework/op_kernel.cc:1830] OP_REQUIRES "
        "failed at matmul_op.cc:1 : RESOURCE_EXHAUSTED: OOM when allocating tensor with "
        "shape[8192,8192]\n"
    )
    lost = "2026-11-16 12:00:05.000000: E x.cc:1] StartAbort UNAVAILABLE: Socket closed\n"
    logs = {"a": oom.format(3).encode(), "b": oom.format(1).encode(), "c": lost.encode()}
    answer = explain(logs)
    assert answer.workers is not None
    assert answer.workers.first == "b"
    assert [end.part for end in answer.workers.ends] == ["later", "first", "fallout"]
    assert "b failed 2.0 s before a" in answer.workers.told_by


def test_a_failure_long_after_the_others_lost_somebody_was_not_the_first() -> None:
    late = "2026-11-16 12:09:00.000000: F x.cc:1] OOM when allocating tensor with shape[8192]\n"
    lost = "2026-11-16 12:00:00.000000: E x.cc:1] StartAbort UNAVAILABLE: Socket closed\n"
    answer = explain({"a": late.encode(), "b": lost.encode(), "c": b"Epoch 1/3\n"})
    assert answer.workers is not None
    assert answer.workers.first == "c"


def test_two_failures_without_times_are_said_to_be_unordered() -> None:
    error = b'Traceback (most recent call last):\n  File "t.py", line 1, in <module>\nKeyError: 1\n'
    lost = b"tensorflow.python.framework.errors_impl.UnavailableError: Socket closed\n"
    answer = explain({"a": error, "b": error, "c": lost})
    assert answer.workers is not None
    assert "no time stamps that could be compared" in answer.workers.told_by


def test_logs_that_do_not_speak_of_each_other_are_one_story() -> None:
    answer = explain([b"Epoch 1/3\n", b"OOM when allocating tensor with shape[8192,8192]\n"])
    assert answer.primary == "gpu-oom"
    assert answer.workers is None


START = (
    "I0000 00:00:1794855{}   18460 port.cc:153] oneDNN custom operations are on. You may see "
    "slightly different numerical results.\n"
    "Epoch 1/2\n"
)
RAISED = """Traceback (most recent call last):
  File "train.py", line 21, in on_train_batch_end
    open('x')
FileNotFoundError: [Errno 2] No such file or directory: 'x'
"""
LOST = """Traceback (most recent call last):
  File "train.py", line 23, in <module>
    model.fit(data, epochs=2)
tensorflow.python.framework.errors_impl.UnavailableError: Graph execution error:

Detected at node CollectiveReduceV2 defined at (most recent call last):
  File "train.py", line 23, in <module>

Collective ops is aborted by: Socket closed
Additional GRPC error information from remote target /job:worker/replica:0/task:{} while calling \
/tensorflow.WorkerService/RecvBuf:
"""


@pytest.mark.parametrize("guilty", [0, 1])
def test_the_first_one_is_found_where_the_lines_of_tensorflow_are_hidden(guilty: int) -> None:
    logs = {f"worker{guilty}": (START.format("252.9") + RAISED).encode()}
    logs[f"worker{1 - guilty}"] = (START.format("250.1") + LOST.format(guilty)).encode()
    answer = explain(logs)
    assert answer.workers is not None
    assert answer.workers.first == f"worker{guilty}"
    assert "FileNotFoundError" in answer.causes[0].summary
    assert "time stamps" not in answer.workers.told_by


def test_notes_of_the_start_do_not_tell_when_a_worker_failed() -> None:
    logs = {
        name: (START.format(time) + RAISED).encode()
        for name, time in {"worker0": "250.1", "worker1": "249.1"}.items()
    }
    answer = explain({**logs, "worker2": LOST.format(1).encode()})
    assert answer.workers is not None
    assert answer.workers.first == "worker1"
    assert "no time stamps that could be compared. The others name" in answer.workers.told_by
    assert not any(end.time for end in answer.workers.ends)


NOISE = bytes(range(128, 256)) * 20


@pytest.mark.parametrize(
    ("content", "what"), [(b"", "empty"), (b"\n\n", "empty"), (NOISE, "no text")]
)
def test_a_file_that_tells_nothing_is_noted_and_never_blamed(content: bytes, what: str) -> None:
    survivor = logs_of("killed")[0].read_bytes()
    answer = explain({"worker0.log": survivor, "stray.log": content})
    assert answer.workers is not None
    assert answer.workers.first is None
    assert [end.name for end in answer.workers.ends] == ["worker0.log"]
    assert f"stray.log is {what}, and tells nothing." in answer.notes
    assert "worker 1" in answer.causes[0].fix.text


def test_a_worker_that_is_named_and_whose_log_is_empty() -> None:
    survivor = logs_of("killed")[0].read_bytes()
    answer = explain({"worker0.log": survivor, "worker1.log": b""})
    assert answer.workers is not None
    assert answer.workers.first is None
    assert "worker 1, but its log, worker1.log, tells nothing" in answer.workers.told_by
    assert "its log tells nothing" in answer.causes[0].summary
    assert "how worker 1 ended" in answer.causes[0].fix.text


def test_an_empty_log_of_a_process_that_is_known_to_be_killed_tells_something() -> None:
    survivor = logs_of("killed")[0]
    answer = explain([GivenLog(survivor), GivenLog(b"", "worker1", signal="SIGKILL")])
    assert answer.workers is not None
    assert answer.workers.first == "worker1"


def test_a_failure_counts_beside_a_file_that_tells_nothing() -> None:
    survivor, dead = logs_of("raised")
    answer = explain([survivor, dead, b""])
    assert answer.workers is not None
    assert answer.workers.first == "raised_1.log"
    assert len(answer.workers.ends) == 2


BEGUN = START.format("250.1")


@pytest.mark.parametrize("rest", ["", "3/100 [..........] - ETA: 9s - loss: 0.69\n"])
def test_workers_that_end_in_the_middle_of_an_epoch_are_undecided(rest: str) -> None:
    answer = explain({name: (BEGUN + rest).encode() for name in ("worker0", "worker1")})
    assert answer.primary is None
    assert all(found.cause != "none" for found in answer.causes)
    assert "worker0 and worker1 end in the middle of an epoch" in answer.questions[0].fact
    assert "py-spy" in answer.questions[0].how


def test_workers_that_finished_their_epochs_are_well() -> None:
    done = BEGUN + "4/4 - 1s - loss: 0.69 - 1s/epoch\nEpoch 2/2\n4/4 - 1s - loss: 0.6 - 1s/epoch\n"
    answer = explain({name: done.encode() for name in ("worker0", "worker1")})
    assert answer.primary == "none"


def test_workers_that_ended_with_zero_are_well() -> None:
    logs = {name: BEGUN.encode() for name in ("worker0", "worker1")}
    assert explain(logs, exit_code=0).primary == "none"


def test_a_worker_that_others_take_for_crashed_most_likely_was_killed() -> None:
    answer = explain_pair("stopped")
    assert "most likely it was killed, or it was frozen" in answer.causes[0].summary
    assert answer.causes[0].confidence == "low"


def test_a_worker_whose_connection_broke_off_is_not_frozen() -> None:
    silent = logs_of("leader_stopped")[1].read_text()
    reset = "E x.cc:1] StartAbort UNAVAILABLE: recvmsg:Connection reset by peer\n"
    answer = explain({"worker1": (silent + reset).encode(), "worker0": BEGUN.encode()})
    assert answer.workers is not None
    assert (answer.workers.first, answer.primary) == ("worker0", "unknown")
    assert "most likely it was killed" in answer.causes[0].summary
