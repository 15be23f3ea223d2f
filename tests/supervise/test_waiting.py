"""Who holds the memory of the GPUs, and waiting for it."""

from facts.replay_nvml import ReplayNvml

from fitguard.environment.machine import view_machine
from fitguard.facts import nvml
from fitguard.schema.hardware import Gpu, GpuProcess
from fitguard.supervise.waiting import describe_holders, has_room, wait_for_memory

GIB = 2**30


def held(used: int, *processes: GpuProcess, index: int = 0) -> Gpu:
    return Gpu(index=index, memory_bytes=80 * GIB, used_bytes=used, processes=processes)


TAKEN = held(30 * GIB, GpuProcess(4711, "/home/ann/venv/bin/python", 30 * GIB))
FREE = held(0)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self, gives_up_after: int = 1000) -> None:
        self.seconds = 0.0
        self.pauses: list[float] = []
        self._most = gives_up_after

    def __call__(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> bool:
        self.seconds += seconds
        self.pauses.append(seconds)
        return len(self.pauses) >= self._most


def wait(states, clock: Clock, **options) -> tuple[bool, list[str]]:
    """Whether the memory came free; `states` are what NVML tells, one after the other."""
    left = list(states)
    said: list[str] = []
    free = wait_for_memory(
        read=lambda: left.pop(0) if len(left) > 1 else left[0],
        say=said.append,
        sleep=clock.sleep,
        clock=clock,
        **options,
    )
    return free, said


def test_who_holds_it_without_the_name_of_a_person():
    assert describe_holders([TAKEN]) == "GPU 0: python (pid 4711) holds 30.0 GiB"


def test_the_greatest_first_and_not_all_of_them():
    many = [GpuProcess(pid, "C:\\ann\\python.exe", pid * GIB) for pid in range(1, 6)]
    assert describe_holders([FREE, held(15 * GIB, *many, index=1)]) == (
        "GPU 1: python.exe (pid 5) holds 5.0 GiB, python.exe (pid 4) holds 4.0 GiB, "
        "python.exe (pid 3) holds 3.0 GiB and 2 more"
    )


def test_processes_of_another_container_are_not_shown():
    assert describe_holders([held(5 * GIB)]) == (
        "GPU 0: processes that are not shown here hold 5.0 GiB"
    )
    nameless = held(GIB, GpuProcess(9, None, GIB))
    assert describe_holders([nameless]) == "GPU 0: a process (pid 9) holds 1.0 GiB"


def test_nobody():
    assert describe_holders([FREE, held(2**20)]) == ""


def test_room_is_a_share_of_each_gpu_or_what_is_needed_of_it():
    assert has_room([], None, 1.0)
    assert has_room([FREE, TAKEN], None, 0.6)
    assert not has_room([FREE, TAKEN], None, 0.7)
    assert has_room([FREE, TAKEN], 50 * GIB, 0.7)
    assert not has_room([FREE, TAKEN], 51 * GIB, 0.6)


def test_free_at_once():
    clock = Clock()
    assert wait([[FREE]], clock) == (True, [])
    assert wait([[]], clock) == (True, [])
    assert clock.pauses == []


def test_it_waits_until_the_memory_is_free_and_says_who_has_it_once():
    other = held(40 * GIB, GpuProcess(5, "train", 40 * GIB))
    clock = Clock()
    free, said = wait([[TAKEN], [TAKEN], [other], [FREE]], clock)
    assert free
    assert said == [
        "Waiting for memory: GPU 0: python (pid 4711) holds 30.0 GiB.",
        "Waiting for memory: GPU 0: train (pid 5) holds 40.0 GiB.",
    ]
    assert clock.pauses == [2.0, 4.0, 5.0]


def test_the_deadline():
    clock = Clock()
    free, _ = wait([[TAKEN]], clock, deadline_seconds=100)
    assert not free
    assert clock.seconds == 100
    assert max(clock.pauses) <= 5


def test_who_interrupts_is_heard_at_once():
    clock = Clock(gives_up_after=1)
    free, _ = wait([[TAKEN]], clock)
    assert not free
    assert clock.pauses == [2.0]


def test_as_many_bytes_as_are_needed():
    assert wait([[TAKEN]], Clock(), needed_bytes=50 * GIB)[0]
    assert not wait([[TAKEN]], Clock(), needed_bytes=51 * GIB)[0]
    assert wait([[TAKEN]], Clock(), share=0.5)[0]


def test_a_gpu_that_does_not_tell_is_not_waited_for():
    assert wait(
        [[Gpu(index=0), Gpu(index=1, memory_bytes=8, used_bytes=8, mig_enabled=True)]], Clock()
    )[0]


def test_a_real_gpu_as_recorded():
    replay = ReplayNvml("h200")
    machine = view_machine({"PATH": "/usr/bin"}, read=lambda: nvml.ask(replay))
    (h200,) = machine.gpus
    assert h200.name == "NVIDIA H200"
    assert wait([machine.gpus], Clock())[0]


def test_only_gpus_that_the_training_sees():
    replay = ReplayNvml("h200")
    hidden = view_machine({"CUDA_VISIBLE_DEVICES": ""}, read=lambda: nvml.ask(replay))
    assert hidden.gpus == ()
    assert view_machine({}, read=nvml.NvmlFacts).gpus == ()
