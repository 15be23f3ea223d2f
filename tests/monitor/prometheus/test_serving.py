"""Metrics over real HTTP, as promtool and Prometheus' own parser read them."""

import contextlib
import shutil
import socket
import subprocess
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from facts.replay_nvml import ReplayNvml
from prometheus_client.parser import text_string_to_metric_families

from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.journal import Journal
from fitguard.monitor.lease_files import Lease, create_lease, lease_path
from fitguard.monitor.prometheus import gpu_labels
from fitguard.monitor.prometheus.naming import name_metric
from fitguard.monitor.prometheus.serving import format_address, read_address, serving_metrics
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import (
    Alerted,
    AttemptEnded,
    AttemptStarted,
    Decided,
    Orders,
    RunEnded,
    SnapshotWritten,
)
from fitguard.schema.metrics import METRICS
from fitguard.schema.run import Place

HERE = socket.gethostname()
COLUMNS = [f"{metric.name}:0" if metric.each_gpu else metric.name for metric in METRICS.values()]


def make_run(path, *, host=HERE, ended=False):
    """A run that died once and trains again."""
    folder = RunFolder(path)
    path.mkdir()
    now = time.time()
    journal = Journal(folder.journal)
    events = [
        AttemptStarted(time=now - 50, attempt=1, pid=1, orders=Orders()),
        SnapshotWritten(
            time=now - 40, place=Place(), bytes=5, taking_seconds=0.1, writing_seconds=0.1
        ),
        AttemptEnded(time=now - 30, attempt=1, outcome="killed", cause="host-oom"),
        Decided(time=now - 30, attempt=1, action="restart", text="Again."),
        AttemptStarted(time=now - 20, attempt=2, pid=2, orders=Orders(attempt=2)),
        Alerted(
            time=now, code="FG410", slug="leak", severity="warning", title="It grows", text="Much."
        ),
    ]
    for event in events:
        journal.append(event)
    if ended:
        journal.append(RunEnded(time=now, state="finished", exit_code=0))
    create_lease(lease_path(path, 1), Lease(number=1, host=host, renewed=now))
    recorder = FlightRecorder(folder.flight_records / "child.record", COLUMNS)
    recorder.add(now - 10, 90, dict.fromkeys(COLUMNS, 1.0))
    recorder.add(now - 1, 99, dict.fromkeys(COLUMNS, 2.0))
    recorder.close()
    return folder


def scrape(*folders):
    with serving_metrics(("127.0.0.1", 0), lambda: folders) as port:
        address = f"http://127.0.0.1:{port}/metrics"
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read().decode()


def parse(text):
    """Values by name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def h200(monkeypatch):
    gpu_labels._identify_gpus.cache_clear()
    recording = ReplayNvml("h200")
    monkeypatch.setattr("fitguard.facts.nvml.load", lambda *_: recording)
    yield
    gpu_labels._identify_gpus.cache_clear()


@pytest.mark.usefixtures("h200")
def test_what_is_measured_and_what_happened_is_served(tmp_path):
    found = parse(scrape(make_run(tmp_path / "night-1")))
    run = {"run": "night-1", "Hostname": HERE}

    def get(name, **labels):
        return found[name, tuple(sorted({**run, **labels}.items()))]

    assert get("fitguard_run_state", state="running") == 1
    assert get("fitguard_run_state", state="lost") == 0
    assert get("fitguard_attempts_total") == 2
    assert get("fitguard_deaths_total", cause="host-oom") == 1
    assert get("fitguard_restarts_total", action="restart") == 1
    assert get("fitguard_alerts_total", code="FG410", slug="leak", severity="warning") == 1
    assert get("fitguard_snapshot_bytes") == 5
    assert get("fitguard_allocator_bytes", attempt="2") == 2
    assert get("fitguard_cpu_seconds_total", attempt="2") == 2
    assert get("fitguard_steps_per_second") == pytest.approx(1, rel=0.01)
    gpu = {"gpu": "0", "device": "nvidia0", "modelName": "NVIDIA H200", "UUID": "redacted"}
    assert get("fitguard_gpu_temperature_celsius", attempt="2", **gpu) == 2
    assert get("fitguard_gpu_ecc_corrected_total", attempt="2", **gpu) == 2


def test_many_that_scrape_at_once_count_each_event_once(tmp_path):
    folder = make_run(tmp_path / "night-1")
    with (
        serving_metrics(("127.0.0.1", 0), lambda: [folder]) as port,
        ThreadPoolExecutor(8) as pool,
    ):
        address = f"http://127.0.0.1:{port}/metrics"
        answers = list(pool.map(lambda _: urllib.request.urlopen(address).read(), range(16)))
    found = {line for text in answers for line in text.splitlines() if b"alerts_total{" in line}
    assert [line.rpartition(b" ")[2] for line in found] == [b"1.0"]


def test_a_run_of_another_host_one_that_ended_and_a_broken_one(tmp_path):
    other = make_run(tmp_path / "other", host="node-b", ended=True)
    broken = RunFolder(tmp_path / "broken")
    broken.flight_records.mkdir(parents=True)
    broken.journal.write_bytes(b"\xff{}\n")
    (broken.flight_records / "child.record").write_bytes(b"no record")
    found = parse(scrape(other, broken, RunFolder(tmp_path / "missing")))
    labels = (("Hostname", "node-b"), ("run", "other"), ("state", "finished"))
    assert found["fitguard_run_state", labels] == 1
    lost = (("Hostname", ""), ("run", "broken"), ("state", "lost"))
    assert found["fitguard_run_state", lost] == 1
    names = {dict(key[1]).get("modelName") for key in found}
    assert names == {None, ""}


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
@pytest.mark.usefixtures("h200")
def test_promtool_accepts_all_of_it(tmp_path):
    text = scrape(make_run(tmp_path / "night-1"))
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )
    # `modelName` is a name of dcgm-exporter: with another one, the two could not be joined.
    strange = [line for line in done.stderr.splitlines() if "camelCase" not in line]
    assert strange == []
    assert done.returncode in (0, 3)


def test_names_have_their_units():
    names = {metric.name: name_metric(metric) for metric in METRICS.values()}
    assert names["gpu_power_limit"] == "fitguard_gpu_power_limit_watts"
    assert names["gpu_clock"] == "fitguard_gpu_clock_hertz"
    assert names["step_seconds"] == "fitguard_step_seconds"
    assert names["gpu_busy_ratio"] == "fitguard_gpu_busy_ratio"
    assert names["traces"] == "fitguard_traces"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("9402", ("127.0.0.1", 9402)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
        ("[::1]:9402", ("::1", 9402)),
        ("gpu-node:9402", ("gpu-node", 9402)),
    ],
)
def test_addresses(given, expected):
    assert read_address(given) == expected


@pytest.mark.parametrize("given", ["", "host", "host:", "70000", "a b:1", "http://h:1"])
def test_addresses_that_are_none(given):
    with pytest.raises(UsageError, match="Expected PORT or HOST:PORT"):
        read_address(given)


def test_an_address_is_told_as_it_can_be_typed():
    assert format_address("127.0.0.1", 9402) == "http://127.0.0.1:9402/metrics"
    assert format_address("::1", 9402) == "http://[::1]:9402/metrics"


def test_an_address_that_is_taken_is_an_error_and_its_end_frees_it():
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(serving_metrics(("127.0.0.1", 0), list))
        with pytest.raises(OSError, match="in use"):
            stack.enter_context(serving_metrics(("127.0.0.1", port), list))
    with serving_metrics(("127.0.0.1", port), list):
        pass
