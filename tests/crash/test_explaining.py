"""Why an attempt died: from what was seen of it to the end that the journal tells."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from programs import LONGEST_SECONDS

from fitguard.crash.explaining import Request, answer, explain_in_child
from fitguard.monitor.last_moments import Moment
from fitguard.schema.journal import LEFT_AS_ASKED, OWN_FAULT, AttemptEnded, Failed
from fitguard.schema.run import Place
from fitguard.supervise import postmortem
from fitguard.supervise.child import ExitStatus
from fitguard.supervise.live_attempt import Observation
from fitguard.supervise.postmortem import examine_end

OUT_OF_MEMORY = (
    b"W0000 00:00:1794706402.432981   23037 op_kernel.cc:1858] OP_REQUIRES failed at "
    b"matmul_op_impl.h:962 : RESOURCE_EXHAUSTED: OOM when allocating tensor with "
    b"shape[131072,4096] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by "
    b"allocator GPU_0_bfc\n"
)
KERNEL = [
    "[  100.000000] Out of memory: Killed process 812 (python) total-vm:1kB, anon-rss:1kB",
    "[  150.000000] python3[31]: segfault at 10 ip 00007f3c8d1b4c5c sp 00007ffd2ed55c28 error 4 in "
    "libtensorflow_cc.so.2[7f3c80000000+1f000000] likely on CPU 0 (core 0, socket 0)",
    "[  200.000000] NVRM: Xid (PCI:0000:65:00): 79, pid=812, GPU has fallen off the bus.",
]
OTHERS = KERNEL[:2]
"""What befell other programs while it ran."""

SEEN = Observation(
    exit_status=ExitStatus(exit_code=1),
    reason=None,
    evidence=(),
    foreseen="",
    leaks={},
    forwarded=frozenset(),
    told_to_end=False,
    place=Place(fit=1, step=3, total_steps=3),
    output=b"",
    since_seconds=0.0,
    reader_gone=False,
    stuck=False,
    relatives=(),
    last_moments=(),
    memory_limit_bytes=None,
    numbers={4711: 200.0},
    peak_host_bytes=5,
    peak_gpu_bytes=6,
)
KILLED = replace(SEEN, exit_status=ExitStatus(signal="SIGKILL"))


@pytest.fixture(autouse=True)
def _recorded_kernel_log(monkeypatch):
    """In place of that of this machine."""
    monkeypatch.setattr(postmortem, "explain_in_child", lambda request: answer(request, OTHERS))


def test_the_other_process_answers():
    request = Request(output=OUT_OF_MEMORY, exit_code=1, since_seconds=time.monotonic())
    found = explain_in_child(request, LONGEST_SECONDS)
    assert found.diagnosis.primary == "gpu-oom"


def test_no_answer_in_time_is_an_empty_one():
    assert explain_in_child(Request(output=b""), limit_seconds=0.01).diagnosis.primary is None


def test_only_the_kernels_young_lines_count():
    assert [
        xid.number for xid in answer(Request(output=b"", since_seconds=150.0), KERNEL).xids
    ] == [79]
    killed = Request(output=b"", signal="SIGKILL", since_seconds=90.0, numbers={812: 100.0})
    assert answer(killed, KERNEL).diagnosis.primary == "host-oom"


def test_a_crash_of_the_attempt_is_quoted_from_the_kernels_log():
    crashed = replace(
        SEEN, exit_status=ExitStatus(signal="SIGSEGV"), numbers={4711: 200.0, 31: 150.0}
    )
    event = examine_end(crashed, 1, [], killed_by_kernel=None).event
    assert event.cause == "framework-bug"
    assert any("libtensorflow_cc" in line for line in event.evidence)


@pytest.mark.parametrize("numbers", [{4711: 200.0}, {}])
def test_a_crash_of_another_program_is_no_evidence(numbers):
    killed = replace(KILLED, numbers=numbers)
    event = examine_end(killed, 1, [], killed_by_kernel=None).event
    assert event.cause != "framework-bug"
    assert not any("libtensorflow_cc" in line for line in event.evidence)


def test_an_error_has_its_cause_and_its_place():
    found = examine_end(replace(SEEN, output=OUT_OF_MEMORY), 1, [], killed_by_kernel=None)
    assert found.event.outcome == "crashed"
    assert found.event.cause == "gpu-oom"
    assert found.event.last.total_steps == 3
    assert (found.event.peak_host_bytes, found.event.peak_gpu_bytes) == (5, 6)
    assert "RESOURCE_EXHAUSTED" in found.event.evidence[0]
    assert found.found is not None


def test_memory_that_ran_out_because_it_had_leaked():
    seen = replace(SEEN, output=OUT_OF_MEMORY, leaks={"FG410": "It grew by 2.0 GiB."})
    event = examine_end(seen, 1, [], killed_by_kernel=None).event
    assert event.cause == "gpu-memory-leak"
    assert event.evidence[0] == "It grew by 2.0 GiB."
    other = replace(seen, leaks={"FG413": "Main memory grew."})
    found = examine_end(other, 1, [], killed_by_kernel=None)
    assert found.event.cause == "gpu-oom"


def test_a_leak_that_a_restart_brought_back_is_no_reason_to_split_the_batch():
    seen = replace(SEEN, output=OUT_OF_MEMORY)
    before = AttemptEnded(time=1, attempt=1, outcome="out-of-memory", cause="gpu-memory-leak")
    ended = examine_end(seen, 2, [before], killed_by_kernel=None).event
    assert (ended.cause, ended.confidence) == ("gpu-memory-leak", "medium")
    assert "a restart brings back" in ended.why


def test_the_kernels_counter_proves_that_memory_ran_out():
    event = examine_end(KILLED, 1, [], killed_by_kernel=1).event
    assert (event.outcome, event.cause, event.confidence) == ("killed", "host-oom", "high")
    assert event.evidence[0] == "the kernel counts 1 such kill since the attempt began"


def test_what_was_measured_last_is_evidence():
    full = "main memory was at 98 % of its limit at the end (31.4 GiB of 32.0 GiB)"
    calm = "what TensorFlow's allocator held was at most 1.0 GiB of 14.0 GiB in the last 90 s"
    moments = (Moment(full, is_notable=True), Moment(calm, is_notable=False))
    killed = replace(KILLED, last_moments=moments)
    event = examine_end(killed, 1, [], killed_by_kernel=None).event
    assert (event.cause, event.confidence) == ("host-oom", "high")
    assert event.evidence.count(full) == 1
    assert calm not in event.evidence
    counted = examine_end(killed, 1, [], killed_by_kernel=0).event
    assert full in counted.evidence
    finished = replace(killed, exit_status=ExitStatus(exit_code=0))
    assert examine_end(finished, 1, [], killed_by_kernel=None).event.evidence == ()


def test_a_counter_that_did_not_move_proves_the_contrary():
    event = examine_end(KILLED, 1, [], killed_by_kernel=0).event
    assert (event.cause, event.confidence) == ("unknown", None)
    assert event.why.startswith("Something killed the process, and it was not the kernel")


def test_a_fault_of_fitguard_is_not_blamed_on_packages():
    failed = Failed(time=1.0, attempt=1, kind=OWN_FAULT, error="This is a fault of fitguard")
    output = b"AttributeError: module 'keras' has no attribute 'x'"
    event = examine_end(replace(SEEN, output=output), 1, [failed], killed_by_kernel=None).event
    assert (event.outcome, event.cause, event.confidence) == ("exception", "unknown", None)
    assert event.why == failed.error


def test_autotuning_that_was_cut_short_is_written_down_for_the_child():
    cut = replace(KILLED, reason="out-of-memory", evidence=("Allocator ran out of memory",))
    found = examine_end(cut, 2, [], killed_by_kernel=0)
    assert found.event.outcome == "out-of-memory"
    assert found.failed is not None
    assert (found.failed.kind, found.failed.mode) == ("out-of-memory", "xla")
    assert found.failed.attempt == 2


@pytest.mark.parametrize("reason", ["interrupted", "preempted"])
def test_what_was_meant_is_not_explained(reason):
    event = examine_end(replace(KILLED, reason=reason), 1, [], killed_by_kernel=0).event
    assert (event.outcome, event.cause, event.evidence) == (reason, "", ())


def test_a_broken_pipe_is_not_explained_away():
    failed = Failed(time=1.0, attempt=1, kind="exception", error="BrokenPipeError")
    gone = replace(SEEN, reader_gone=True, exit_status=ExitStatus(exit_code=1))
    event = examine_end(gone, 1, [failed], killed_by_kernel=None).event
    assert (event.outcome, event.cause) == ("exception", "")
    assert "pipe is broken" in event.why


def test_the_request_survives_any_bytes():
    found = explain_in_child(Request(output=os.urandom(1000)), LONGEST_SECONDS)
    assert found.diagnosis.schema == "fitguard/diagnosis/1"


def test_a_planned_end_names_what_it_came_before():
    left = replace(
        SEEN,
        exit_status=ExitStatus(exit_code=LEFT_AS_ASKED),
        reason="planned",
        evidence=("memory grows",),
        foreseen="gpu-memory-leak",
    )
    event = examine_end(left, 1, [], killed_by_kernel=0).event
    assert (event.outcome, event.cause) == ("planned", "gpu-memory-leak")
    assert event.evidence == ("memory grows",)


SCRATCH = (Path(__file__).parent / "recordings" / "scratch_space_refused.log").read_bytes()
"""Of a guarded training on an H200, which a fleet had allowed 2.0 GiB of it."""


def test_a_pool_that_was_made_small_is_not_what_others_left_over():
    seen = replace(SEEN, output=SCRATCH, memory_limit_bytes=2_200_010_555)
    assert examine_end(seen, 1, [], killed_by_kernel=None).event.cause == "gpu-oom"
    unlimited = replace(seen, memory_limit_bytes=None)
    assert examine_end(unlimited, 1, [], killed_by_kernel=None).event.cause == "unknown"
