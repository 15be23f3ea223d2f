"""What mpirun, prterun and srun say of a worker counts as its own."""

import pytest

from fitguard.crash.explanation import explain

LAUNCHED = ("[1,0]<stderr>:Epoch 1/3", "[1,1]<stderr>:Epoch 1/3")
SHUT_DOWN = "[1,0]<stderr>:Unknown: Horovod has been shut down."
NOTICED = "{} noticed that process rank 1 with PID 12345 on node n1 exited on signal {}."
ENDS = {
    "srun: error: node1: task 1: Out Of Memory": "host-oom",
    "srun: error: node1: tasks 1-2: Killed": "host-oom",
    "srun: error: node1: task 1: Segmentation fault (core dumped)": None,
    "srun: error: node1: task 1: Bus error": None,
    NOTICED.format("mpirun", "9 (Killed)"): "unknown",
    NOTICED.format("prterun", "9 (Killed)"): "unknown",
    NOTICED.format("prterun", "9 (Killed)").replace(" signal", "\nsignal"): "unknown",
    NOTICED.format("mpirun", "11 (Segmentation fault)"): None,
    NOTICED.format("mpirun", "6 (Aborted)"): None,
    NOTICED.format("mpirun", "7 (Bus error)"): None,
}


def test_what_a_launcher_says_of_a_worker_counts_as_its_own() -> None:
    text = "\n".join(
        [
            "[1,0]<stderr>:Epoch 1/3",
            "[1,1]<stderr>:Epoch 1/3",
            "[1,0]<stderr>:Unknown: Horovod has been shut down. This was caused by an exception on "
            "one of the ranks",
            "mpirun noticed that process rank 1 with PID 0 on node n3 exited on signal 9 (Killed).",
        ]
    )
    answer = explain(text.encode())
    assert answer.workers is not None
    assert answer.workers.first == "rank 1"
    assert answer.workers.ends[1].evidence[0].text.startswith("mpirun noticed")


@pytest.mark.parametrize("others", [(), (SHUT_DOWN,)], ids=["nothing else", "fallout"])
@pytest.mark.parametrize(("line", "cause"), ENDS.items(), ids=ENDS)
def test_the_rank_that_a_launcher_names(line: str, cause: str, others: tuple[str, ...]) -> None:
    answer = explain("\n".join((*LAUNCHED, *others, line)).encode())
    assert answer.workers is not None
    assert answer.workers.first == "rank 1"
    assert answer.primary == cause
    assert all(found.cause != "none" for found in answer.causes)


def test_a_launcher_that_tells_of_a_good_end_blames_nobody() -> None:
    line = "Process 1 exit with status code 0"
    assert explain("\n".join((*LAUNCHED, line)).encode()).workers is None
