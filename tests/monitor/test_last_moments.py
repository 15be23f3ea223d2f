"""Sentences on the last minutes of an attempt."""

import pytest

from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.last_moments import read_last_moments
from fitguard.monitor.run_folder import RunFolder

GIB = 2**30
CHILD = ("attempt", "allocator_peak_bytes", "allocator_limit_bytes")
PARENT = (
    *("attempt", "host_bytes", "host_limit_bytes", "cgroup_bytes", "allocation_failures"),
    *("open_files", "open_files_limit", "shm_free_bytes", "disk_free_bytes"),
    *("gpu_xid:0", "gpu_ecc_uncorrected:0", "gpu_throttle_reasons:0", "gpu_temperature:0"),
)


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path)


def write(folder, columns, *samples, attempt=1, begin=1000.0, every=10.0, steps=1):
    name = "child" if columns is CHILD else "parent"
    recorder = FlightRecorder(folder.flight_records / f"{name}.record", columns)
    for number, values in enumerate(samples):
        recorder.add(begin + number * every, number * steps + steps, {"attempt": attempt, **values})
    recorder.close()


def notable(folder, attempt=1):
    return [text for text, is_notable in read_last_moments(folder, attempt) if is_notable]


def test_nothing_measured_says_nothing(folder):
    assert read_last_moments(folder, 1) == []


def test_main_memory_that_was_full(folder):
    limit = {"host_limit_bytes": 32 * GIB}
    write(
        folder,
        PARENT,
        {"host_bytes": 4 * GIB, "cgroup_bytes": 6 * GIB, **limit},
        {"host_bytes": 29 * GIB, "cgroup_bytes": 31.4 * GIB},
    )
    assert notable(folder) == [
        "main memory was at 98 % of its limit at the end (31.4 GiB of 32.0 GiB)",
        "main memory of the training rose from 4.0 GiB to 29.0 GiB in the last 10 s",
    ]


def test_what_a_training_loads_before_its_first_step_is_no_rise(folder):
    held = [{"host_bytes": n * GIB, "cgroup_bytes": 1, "host_limit_bytes": 9 * GIB} for n in (1, 8)]
    write(folder, PARENT, *held, steps=0)
    assert notable(folder) == []


def test_main_memory_with_room_is_told_and_not_notable(folder):
    write(folder, PARENT, {"cgroup_bytes": 8 * GIB, "host_limit_bytes": 32 * GIB})
    assert [text for text, _ in read_last_moments(folder, 1)] == [
        "main memory was at 25 % of its limit at the end (8.0 GiB of 32.0 GiB)"
    ]
    assert notable(folder) == []


def test_the_allocator_that_was_full(folder):
    held = [{"allocator_peak_bytes": n * GIB, "allocator_limit_bytes": 14 * GIB} for n in (3, 13.5)]
    write(folder, CHILD, *held, every=200.0)
    assert notable(folder) == [
        "what TensorFlow's allocator held was at most 13.5 GiB of 14.0 GiB in the last 90 s"
    ]
    write(folder, CHILD, *held, begin=2000.0)
    assert notable(folder) == [
        "what TensorFlow's allocator held rose to 13.5 GiB of 14.0 GiB in the last 90 s"
    ]


def test_only_the_attempt_that_is_asked_for_counts(folder):
    full = {"cgroup_bytes": 31.4 * GIB, "host_limit_bytes": 32 * GIB}
    write(folder, PARENT, full)
    write(folder, PARENT, {**full, "cgroup_bytes": GIB}, attempt=2, begin=1005.0)
    assert notable(folder, 1)
    assert not notable(folder, 2)
    assert read_last_moments(folder, 3) == []


def test_faults_of_gpus_and_what_ran_out_on_the_host(folder):
    well = {"allocation_failures": 1, "gpu_ecc_uncorrected:0": 4, "gpu_temperature:0": 70}
    ill = {
        "allocation_failures": 4,
        "gpu_ecc_uncorrected:0": 6,
        "gpu_xid:0": 79,
        "gpu_throttle_reasons:0": 0x40 | 0x04,
        "gpu_temperature:0": 91,
        "open_files": 1020,
        "open_files_limit": 1024,
        "shm_free_bytes": 0,
        "disk_free_bytes": 2**20,
    }
    write(folder, PARENT, well, ill)
    assert notable(folder) == [
        "TensorFlow could not serve 3 allocations at once in the last 10 s",
        "GPU 0 reported Xid 79",
        "GPU 0 had 2 memory errors",
        "GPU 0 ran slower at 91 °C: hw-thermal",
        "the training had 1,020 of 1,024 open files",
        "/dev/shm had 0 bytes left",
        "the disk of the run had 1.0 MiB left",
    ]
