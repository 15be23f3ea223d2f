import subprocess
import sys
import threading
import time

import pytest
from programs import LONGEST_SECONDS

from fitguard.facts.probe import Probe
from fitguard.schema.facts import FailedProbe


def test_answer() -> None:
    probe = Probe("cpu", lambda: 5, 1)
    assert probe.answer() == 5
    assert probe.failure is None


def test_none_is_an_answer_too() -> None:
    probe = Probe("cpu", lambda: None, 1)
    assert probe.answer() is None
    assert probe.failure is None


def test_probe_that_raises() -> None:
    probe = Probe("cpu", lambda: int("many"), 1)
    assert probe.answer() is None
    assert probe.failure == FailedProbe(
        "cpu", "ValueError: invalid literal for int() with base 10: 'many'"
    )


def test_probe_that_hangs_costs_its_limit() -> None:
    start = time.monotonic()
    probe = Probe("nvml", lambda: time.sleep(600), 0.2)
    assert probe.answer() is None
    assert 0.1 < time.monotonic() - start < LONGEST_SECONDS
    assert probe.failure == FailedProbe("nvml", "no answer within 0.2 s")


def test_the_limits_of_several_run_at_the_same_time() -> None:
    over = threading.Event()
    start = time.monotonic()
    probes = [Probe("x", over.wait, 1.0) for _ in range(60)]
    assert [probe.answer() for probe in probes] == [None] * 60
    assert time.monotonic() - start < 30
    over.set()


@pytest.mark.parametrize("hang", ["time.sleep(600)", "ctypes.CDLL(None).sleep(600)"])
def test_process_ends_while_a_probe_hangs(hang: str) -> None:
    code = (
        "import ctypes, time\n"
        "from fitguard.facts.probe import Probe\n"
        f"print(Probe('nvml', lambda: {hang}, 0.2).answer())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LONGEST_SECONDS
    )
    assert (done.returncode, done.stdout) == (0, "None\n")
