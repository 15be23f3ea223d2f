"""Where nothing decides: the facts that would, the most telling first, none that is known."""

import re
from pathlib import Path

import pytest

from fitguard.crash import questions as module
from fitguard.crash.questions import doubts, questions
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Ending, Role, Signal, Story
from fitguard.schema.diagnosis import CauseSlug, FoundCause
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Fix
from fitguard.schema.hardware import Driver, Gpu, KernelLog
from fitguard.schema.software import Packages, TensorFlow

MACHINE = Facts(
    tensorflow=TensorFlow(version="2.15.0"),
    packages=Packages(),
    gpus=(Gpu(name="T4", used_bytes=0),),
    driver=Driver(version="535"),
)
UNKNOWN = Facts()
ALL_SOURCES = ("log", "kernel log")


def signal(name: str, role: Role = "stop") -> Signal:
    return Signal(name, role, "text", "run.log", 1)


def asked(
    *names: str,
    ending: str | None = None,
    sources: tuple[str, ...] = ("log",),
    facts: Facts = UNKNOWN,
    causes: tuple[CauseSlug, ...] = (),
    lines: int = 1000,
    role: Role = "stop",
) -> list[str]:
    """How each question could be answered."""
    story = Story(
        signals=tuple(signal(name, role) for name in names),
        ending=Ending(None, ending),
        sources=sources,
        facts=facts,
        lines=lines,
    )
    found = [
        FoundCause(cause=slug, confidence="low", evidence=(), why="", fix=Fix(""))
        for slug in causes
    ]
    return [question.how for question in questions(story, found)]


def test_every_signature_that_is_asked_for_exists() -> None:
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    head = source.partition("def questions")[0]
    named = set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', head))
    assert len(named) > 20
    assert named - knowledge().signatures.meanings.keys() == set()


def test_only_an_exit_code_asks_for_the_log_first() -> None:
    how = asked(ending="SIGABRT", sources=())
    assert "tee train.log" in how[0]
    assert any("faulthandler" in item for item in how)


def test_a_kill_without_record_asks_the_kernel_and_the_cgroup() -> None:
    how = asked(ending="SIGKILL")
    assert "--kernel-log auto" in how[0]
    assert "memory.events" in how[1]
    assert asked("killed")[:2] == how[:2]


def test_a_kill_with_the_kernel_log_at_hand_asks_the_cgroup_only() -> None:
    how = asked(ending="SIGKILL", sources=ALL_SOURCES)
    assert "memory.events" in how[0]
    assert not any("--kernel-log" in item for item in how)


def test_a_kernel_log_among_the_facts_is_known_too() -> None:
    facts = Facts(kernel_log=KernelLog(readable=True))
    assert not any("--kernel-log" in item for item in asked(ending="SIGKILL", facts=facts))
    hidden = Facts(kernel_log=KernelLog(readable=False))
    assert any("--kernel-log" in item for item in asked(ending="SIGKILL", facts=hidden))


@pytest.mark.parametrize("names", [("segmentation-fault",), ("heap-corrupted",), ("kernel-died",)])
def test_a_segmentation_fault_asks_where(names: tuple[str, ...]) -> None:
    how = asked(*names)
    assert "python -X faulthandler" in how[0]
    assert "--kernel-log auto" in how[1]
    assert "--facts auto" in how[2]
    assert "coredumpctl" in how[3]


def test_an_asynchronous_error_asks_for_the_xid_and_a_blocking_run() -> None:
    how = asked("event-status")
    assert "--kernel-log auto" in how[0]
    assert "CUDA_LAUNCH_BLOCKING=1" in how[1]
    assert "CUDA_LAUNCH_BLOCKING=1" in asked("illegal-address", sources=ALL_SOURCES)[0]


def test_a_gpu_that_is_not_listed_asks_for_the_machine() -> None:
    assert "fitguard doctor" in asked("gpu-not-listed")[0]
    assert not any("doctor" in item for item in asked("gpu-not-listed", facts=MACHINE))


def test_a_hang_asks_for_the_stacks() -> None:
    assert "py-spy dump" in asked(causes=("hang",))[0]
    assert "py-spy dump" in asked("hang-told", role="words")[0]


def test_many_gpus_ask_for_one() -> None:
    assert any("NCCL_DEBUG=INFO" in item for item in asked("nccl-failed"))


def test_memory_asks_who_else_holds_it() -> None:
    assert "nvidia-smi" in asked(causes=("gpu-oom",))[0]
    assert not any("nvidia-smi" in item for item in asked(causes=("gpu-oom",), facts=MACHINE))


def test_nan_asks_for_its_origin() -> None:
    assert "enable_check_numerics" in asked(causes=("numeric-nan",))[0]


def test_a_log_in_which_nothing_is_known_asks_for_what_tensorflow_wrote() -> None:
    assert "TF_CPP_MIN_LOG_LEVEL=0" in asked()[0]
    assert "TF_CPP_MIN_LOG_LEVEL=0" in asked("numa-node", role="noise")[0]
    assert not any("TF_CPP_MIN_LOG_LEVEL" in item for item in asked("exception"))


def test_the_end_of_a_log_asks_for_its_beginning() -> None:
    assert any("whole log" in item for item in asked("exception", lines=5))
    assert not any("whole log" in item for item in asked("exception", lines=5000))


def test_a_log_from_its_start_on_is_whole() -> None:
    whole = Story(
        signals=(signal("numa-node", "noise"), signal("exception")), sources=("log",), lines=5
    )
    assert not any("whole log" in question.how for question in questions(whole, ()))


def test_a_segfault_that_only_the_kernel_tells_of_asks_where() -> None:
    how = asked("segfault-in", sources=ALL_SOURCES)
    assert "faulthandler" in how[0]
    assert not any("--kernel-log" in item for item in how)


def test_a_quiet_log_may_still_be_of_a_run_that_died() -> None:
    quiet = (signal("numa-node", "noise"),)
    how = [question.how for question in doubts(Story(signals=quiet, sources=("log",)))]
    assert any("--exit-code N" in item for item in how)
    finished = (*quiet, signal("training-finished", "healthy"))
    assert doubts(Story(signals=finished, sources=("log",))) == ()
    assert doubts(Story(signals=quiet, ending=Ending(0), sources=("log",))) == ()


def test_all_known_leaves_nothing_to_ask() -> None:
    assert asked("exception", ending="SIGTERM", sources=ALL_SOURCES, facts=MACHINE) == []


def test_four_at_most_and_none_twice() -> None:
    how = asked(
        "killed", "segmentation-fault", "event-status", "gpu-not-listed", "nccl-failed",
        causes=("hang", "gpu-oom", "numeric-nan"), sources=(), lines=0,
    )  # fmt: skip
    assert len(how) == 4
    assert len(set(how)) == 4
