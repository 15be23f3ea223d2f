"""A process that nobody guards: measured from outside, until it ends."""

import os
import subprocess
import sys

import pytest
from programs import start
from supervise.parents import UNTIL_TOLD, Parent

import fitguard
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.journal import now
from fitguard.schema.exit_codes import UsageError
from fitguard.watching.process_glance import ProcessGlance

HOLDS_MEMORY = "held = bytearray(64 << 20); print('ready', flush=True); input()"


@pytest.fixture
def process():
    started = start(
        [sys.executable, "-c", HOLDS_MEMORY], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert started.stdout.readline() == b"ready\n"
    return started


def test_a_process_is_measured_until_it_ends(process):
    moments = fitguard.watch(process.pid, every_seconds=0.05)
    first = next(moments)
    assert (first.id, first.state, first.pid) == ("", "running", process.pid)
    assert first.command[0] == sys.executable
    assert first.values["host_bytes"] > 64 << 20
    assert 0 <= first.seconds < 600
    assert "fitguard does not guard this process" in first.missing[0]
    process.communicate(b"\n")
    assert [moment.state for moment in moments][-1] == "ended"


def test_what_detectors_find_in_it_is_shown(process):
    glance = ProcessGlance(process.pid)
    recorder = FlightRecorder(glance._record, ("gpu_xid:0",))
    for second in range(60):
        recorder.add(now() - 60 + second, 0, {"gpu_xid:0": 79 if second > 30 else 0})
    recorder.close()
    (alert,) = glance.look().alerts
    glance.close()
    assert alert.slug == "gpu-xid"
    assert not glance._record.exists()


def test_the_number_of_a_guarded_training_means_its_run(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    runs = tmp_path / "runs"
    for pid in (parent.child, parent.process.pid):
        moments = fitguard.watch(str(pid), runs_folder=runs)
        assert next(moments).id == parent.run_folder.name
    (tmp_path / "enough").touch()
    assert parent.ended() == 0


def test_no_such_process(tmp_path):
    process = subprocess.Popen(["true"])
    process.wait()
    with pytest.raises(UsageError, match=rf"Received {process.pid}, but no process has this numb"):
        fitguard.watch(process.pid, runs_folder=tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_process_of_another_user(process):
    source = (
        "import os, sys, fitguard, fitguard.watching.watch as _\n"
        "os.setuid(65534)\n"
        f"try: fitguard.watch({process.pid})\n"
        "except fitguard.UsageError as error: sys.exit(str(error))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )
    assert f"Received {process.pid}, which is a process of root. Expected one of y" in done.stderr
