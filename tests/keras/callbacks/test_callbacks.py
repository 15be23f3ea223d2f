"""`MemoryMonitor` and `StopOnPressure`, in a real `fit` of Keras 2 and 3."""

import csv
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from fitguard.schema.exit_codes import UsageError

SCRIPT = Path(__file__).with_name("trains_with_callbacks.py")


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_what_they_measure_reaches_logs_and_pressure_stops_in_time(tmp_path, library):
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    done = subprocess.run(
        [sys.executable, SCRIPT, library], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    names = {"allocator_bytes", "allocator_peak_bytes", "host_bytes", "step_seconds"}
    assert names <= told["history"].keys()
    assert told["history"]["host_bytes"][-1] > 50e6
    assert told["history"]["allocator_peak_bytes"][-1] >= told["history"]["allocator_bytes"][-1] > 0
    assert [names <= set(logs) for logs in told["batches"]] == [False, True] * 4
    rows = list(csv.DictReader((tmp_path / "log.csv").open()))
    assert float(rows[1]["host_bytes"]) == told["history"]["host_bytes"][1]
    events = b"".join(file.read_bytes() for file in (tmp_path / "board").rglob("*tfevents*"))
    assert b"epoch_host_bytes" in events
    assert told["is_callback"]
    assert "of GPU memory, and can have 200.0 MiB" in told["reason"]
    assert told["reason"] in done.stderr
    assert told["calm"] == ""
    assert told["leaks"] == 0
    assert {"allocator_low_bytes", "allocator_limit_bytes", "host_bytes", "epoch"} <= set(
        told["measured"]
    )


def test_a_leak_is_found_and_told_once():
    import fitguard.keras

    told = []
    detector = fitguard.keras.LeakDetector(on_leak=told.append, verbose=0)
    for second in range(1200):
        detector._steps = 50 * second
        held = 1e9 + 1e6 * second
        detector._take(
            1e9 + second, {"allocator_bytes": held, "allocator_limit_bytes": 8e9, "host_bytes": 3e9}
        )
    detector._detect()
    detector._detect()
    assert [alert.slug for alert in told] == ["gpu-leak"]
    assert told == detector.found
    assert "TensorFlow's memory leaks" in told[0].title


def test_wrong_arguments_are_told():
    import fitguard.keras

    with pytest.raises(UsageError, match="Received the metric speed"):
        fitguard.keras.MemoryMonitor(metrics=["speed"])
    for wrong in (0, 1.5, "x"):
        with pytest.raises(UsageError, match="Expected 1, 2, 3"):
            fitguard.keras.MemoryMonitor(every_batches=wrong)
    with pytest.raises(UsageError, match="Expected a share"):
        fitguard.keras.StopOnPressure(host="a")
    with pytest.raises(UsageError, match="Expected a function of one alert"):
        fitguard.keras.LeakDetector(on_leak=3)
    with pytest.raises(UsageError, match=r"Received gpu=95. Expected a share, such as 0.95"):
        fitguard.keras.StopOnPressure(gpu=95)
