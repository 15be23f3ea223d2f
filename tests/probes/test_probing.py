"""Probes in real processes on the CPU: what passes, and every kind of fault as what it is."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from fitguard.facts.processes import find_family
from fitguard.probes import child, probing, registry
from fitguard.probes.devices import cpu
from fitguard.probes.probing import run_probes
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.probe import ProbeReport, ProbeResult


def probe_with(
    fault: str, monkeypatch: pytest.MonkeyPatch, **limits: float
) -> tuple[ProbeReport, ProbeResult]:
    """The report of matmul-float32 alone, with a fault in it, and its result."""
    alone = msgspec.structs.replace(registry.all_probes()["matmul-float32"], **limits)
    monkeypatch.setattr(probing, "select_probes", lambda *_: (alone,))
    environment = {**os.environ, child.FAULT: f"matmul-float32:{fault}"}
    before = find_family(os.getpid())
    report = run_probes(environment=environment, devices=(cpu(),))
    after = find_family(os.getpid())
    assert {one.pid for one in after} <= {one.pid for one in before}, "a child was left behind"
    return report, report.results[-1]


def test_a_sound_machine_passes_and_says_that_it_is_no_gpu() -> None:
    told = []
    report = run_probes(
        only=["matmul-float32"], devices=(cpu(),), tell=lambda *words: told.append(words)
    )
    result = report.results[-1]
    assert [one.status for one in report.results] == ["pass"] * 4
    assert report.ok
    assert "No GPU is seen here" in report.notes[0]
    assert report.tensorflow.startswith("2.")
    assert result.diagnosis is None
    assert result.rates[0].value > 0
    assert {name for name, _, _ in told} == {
        f"{name} on CPU"
        for name in ("import-tensorflow", "list-devices", "first-kernel", "matmul-float32")
    }
    assert all(0 <= share <= 1 and left >= 0 for _, share, left in told)


@pytest.mark.parametrize(
    ("fault", "status", "detail", "cause"),
    [
        ("wrong-bits", "fail", "It gave another result when it was repeated", "hardware-fault"),
        ("wrong-bit", "fail", "It gave the same wrong result when it was", "framework-bug"),
        ("exception", "fail", "RuntimeError: a fault that a test asked for", "unknown"),
        ("segfault", "crash", "Its process was ended by SIGSEGV", "framework-bug"),
        ("abort", "crash", "Its process was ended by SIGABRT", None),
        ("exit", "crash", "Its process ended with exit code 3", "unknown"),
    ],
)
def test_every_fault_is_reported_as_what_it_is(
    fault: str, status: str, detail: str, cause: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, result = probe_with(fault, monkeypatch)
    assert result.status == status
    assert detail in result.detail
    assert not report.ok
    assert result.log
    assert result.diagnosis is not None
    assert result.diagnosis.causes
    if cause is not None:
        assert result.diagnosis.causes[0].cause == cause
    if cause == "hardware-fault":
        assert "memtest86+" in result.diagnosis.causes[0].fix.text, "it is no card"


def test_what_hangs_is_stopped_with_its_stack_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    _, result = probe_with("hang", monkeypatch, limit_seconds=3)
    assert result.status == "timeout"
    assert result.detail == "It was stopped: no answer after 3 s."
    assert result.diagnosis is not None
    assert result.diagnosis.primary == "hang"


def test_what_takes_the_hosts_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    _, result = probe_with("memory", monkeypatch, memory_bytes=2 * 2**30)
    assert result.status == "fail"
    assert "of the host's memory, and was given 2.0 GiB" in result.detail
    assert result.diagnosis is not None
    assert result.diagnosis.primary == "host-oom"


def test_where_the_import_fails_nothing_else_is_tried() -> None:
    environment = {**os.environ, child.FAULT: "import-tensorflow:import"}
    report = run_probes(environment=environment, devices=(cpu(),))
    assert report.results[0].status == "fail"
    assert {result.status for result in report.results[1:]} == {"skip"}
    assert report.results[1].detail == "import-tensorflow did not pass."


def test_what_the_time_does_not_reach_is_skipped() -> None:
    report = run_probes(minutes=1e-9, devices=(cpu(),))
    assert {result.status for result in report.results} == {"skip"}
    assert not report.ok


def test_what_hangs_does_not_outlast_the_minutes() -> None:
    alone = registry.all_probes()["matmul-float32"]
    environment = {**os.environ, child.FAULT: "matmul-float32:hang"}
    report = run_probes(minutes=0.05, environment=environment, devices=(cpu(),), probes=(alone,))
    assert [(one.status, one.detail) for one in report.results] == [("skip", "The time was up.")]
    assert "Nothing could be tried" in str(report)


def test_not_all_is_said_where_the_time_was_not_enough() -> None:
    told: list[str] = []
    known = registry.all_probes()
    report = run_probes(
        devices=(cpu(),),
        probes=(known["import-tensorflow"], known["matmul-float32"]),
        tell=lambda what, *_: told.append(what),
        stop=lambda: len(told) > 1,
    )
    assert [one.status for one in report.results] == ["pass", "skip"]
    assert "Not all was tried: there was no time for 1 probe" in str(report)
    assert report.results[0].seconds > 0.1, "of the import, its own time counts"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_what_was_found(number: signal.Signals, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        child.FAULT: "list-devices:hang",
        "CUDA_VISIBLE_DEVICES": "",
        "TMPDIR": str(tmp_path),
    }
    command = [sys.executable, "-m", "fitguard", "probe", "--format", "json"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    while not [one for one in find_family(process.pid) if b"list-devices" in read_words(one.pid)]:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    written, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    document = json.loads(written)
    assert document["results"][-1]["detail"] == "It was stopped."
    assert list(tmp_path.iterdir()) == []


def read_words(pid: int) -> bytes:
    """The command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_what_cannot_be_written_is_said_before_anything_is_tried(tmp_path: Path) -> None:
    for words in (["--format", "sarif"], ["--output", str(tmp_path)], ["--output", "/no/a.json"]):
        command = [sys.executable, "-m", "fitguard", "probe", *words]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 2
        assert "Received --" in done.stderr
        assert done.stdout == ""


def test_the_parents_death_ends_the_child() -> None:
    script = (
        "import os, sys, time\n"
        "from fitguard.probes.child import ProbeChild\n"
        "from fitguard.probes.devices import cpu\n"
        "from fitguard.probes.registry import all_probes\n"
        "child = ProbeChild(all_probes()['matmul-float32'], cpu(), sys.executable, os.environ)\n"
        "while child._program.process.poll() is None and not child._read_answers():\n"
        "    time.sleep(0.05)\n"
        "print(child._program.process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    pid = int(done.stdout)
    until = time.monotonic() + 60
    while find_family(pid) and find_family(pid)[0].state != "Z":
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_command_writes_json_and_exits_with_4() -> None:
    environment = {**os.environ, child.FAULT: "import-tensorflow:exit", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", "fitguard", "probe", "--format", "json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 4, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == "fitguard/probe/1"
    first = document["results"][0]
    assert (first["name"], first["status"]) == ("import-tensorflow", "crash")
    assert first["diagnosis"]["schema"] == "fitguard/diagnosis/1"


def test_wrong_input() -> None:
    with pytest.raises(
        UsageError, match=r"Received --only nothing\. Expected names of probes: imp"
    ):
        run_probes(only=["nothing"])
    with pytest.raises(UsageError, match=r"Received --device one\. Expected `all`, or numbers"):
        run_probes(device="one")
    with pytest.raises(
        UsageError, match=r"Received --device 9\. Expected `all`, or numbers of GPUs"
    ):
        run_probes(device="9")
    with pytest.raises(UsageError, match="Received --python nowhere, which does not exist"):
        run_probes(python="nowhere")
