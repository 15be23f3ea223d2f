"""What the kernel tells of real processes, and of a container that shows little."""

import os
import subprocess
import sys

from facts.fake_tree import plant
from programs import wait_for

from fitguard.facts.processes import Process, find_family
from fitguard.monitor.sampling.host import HOST_COLUMNS, HostReader
from fitguard.schema.metrics import METRICS

GIB = 2**30
CHILD = """
import subprocess, sys, threading
files = [open("/dev/null") for _ in range(50)]
held = bytearray(64 << 20)
threading.Thread(target=input, daemon=True).start()
subprocess.run(["sleep", "60"])
"""


def test_a_process_and_its_descendants_are_counted(tmp_path):
    parent = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE)
    try:
        family = wait_for(lambda: (found := find_family(parent.pid))[1:] and found)
        values = HostReader(parent.pid, tmp_path).read()
    finally:
        subprocess.run(["kill", *(str(process.pid) for process in family)], check=False)
        parent.communicate()
    assert set(values) <= set(HOST_COLUMNS) <= set(METRICS)
    assert values["host_bytes"] > 64 << 20
    assert values["threads"] >= 3
    assert values["open_files"] >= 50
    assert values["open_files_limit"] >= 50
    assert values["cpu_seconds"] >= 0
    assert values["disk_free_bytes"] > 0
    assert values["cgroup_bytes"] < values["host_limit_bytes"]


def test_the_own_process_needs_no_family():
    reader = HostReader(os.getpid())
    values = reader.read()
    assert values["host_bytes"] > 0
    assert "disk_free_bytes" not in values


def test_a_container_counts_against_its_limit_without_what_can_be_dropped(tmp_path):
    plant(
        tmp_path,
        {
            "proc/meminfo": "MemTotal: 67108864 kB\nMemAvailable: 33554432 kB\n",
            "proc/7/cgroup": "0::/box\n",
            "sys/fs/cgroup/box/memory.max": f"{8 * GIB}\n",
            "sys/fs/cgroup/box/memory.current": f"{7 * GIB}\n",
            "sys/fs/cgroup/box/memory.stat": f"inactive_file {GIB}\n",
        },
    )
    reader = HostReader(7, root=tmp_path)
    values = reader.read([Process(7, 1, 1)])
    assert (values["cgroup_bytes"], values["host_limit_bytes"]) == (6 * GIB, 8 * GIB)
    (tmp_path / "sys/fs/cgroup/box/memory.max").write_text(f"{16 * GIB}\n")
    assert reader.read([])["host_limit_bytes"] == 16 * GIB


def test_without_a_container_the_machine_counts(tmp_path):
    plant(tmp_path, {"proc/meminfo": "MemTotal: 64 kB\nMemAvailable: 16 kB\n"})
    values = HostReader(7, root=tmp_path).read([])
    assert (values["cgroup_bytes"], values["host_limit_bytes"]) == (48 << 10, 64 << 10)


def test_what_is_not_shown_is_named_and_not_guessed(tmp_path):
    reader = HostReader(7, tmp_path / "gone", root=tmp_path)
    values = reader.read([Process(7, 1, 1)])
    # The machine tells its size otherwise, too.
    assert {name for name, value in values.items() if value is not None} <= {"host_limit_bytes"}
    missing = " ".join(reader.describe_missing(values))
    assert all(word in missing for word in ("open files", "/dev/shm", "disk", "container"))
