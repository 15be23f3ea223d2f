import resource
import subprocess
import sys
from pathlib import Path

from facts.fake_tree import plant

from fitguard.facts import host

GIB = 1 << 30
MEMINFO = """MemTotal:       16777216 kB
MemFree:         1000000 kB
MemAvailable:    8388608 kB
SwapTotal:       2097152 kB
HugePages_Total:       0
"""


def test_memory(tmp_path: Path) -> None:
    found = host.read(plant(tmp_path, {"proc/meminfo": MEMINFO}))
    assert found.ram_bytes == 16 * GIB
    assert found.available_bytes == 8 * GIB
    assert found.swap_bytes == 2 * GIB
    assert (found.cgroup_limit_bytes, found.cgroup_used_bytes) == (None, None)


def test_meminfo_that_is_garbage_costs_its_fields_only(tmp_path: Path) -> None:
    found = host.read(plant(tmp_path, {"proc/meminfo": "MemTotal: many\nMemAvailable\n\0\n"}))
    assert found.available_bytes is None
    assert found.disk_free_bytes


def test_this_machine() -> None:
    found = host.read()
    assert found.ram_bytes
    assert found.disk_free_bytes is not None
    assert found.limits["nofile"] == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert set(found.limits) == {"nofile", "memlock", "as", "nproc", "core"}


def test_no_limit_is_minus_one(tmp_path: Path) -> None:
    code = (
        "import resource; from fitguard.facts import host; "
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 46, resource.RLIM_INFINITY)); "
        "print(host.read().limits['as']); "
        "resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2); "
        "print(host.read().limits['as'])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == [str(1 << 46), "-1"]


def test_shared_memory_has_its_size(tmp_path: Path) -> None:
    assert host.read(tmp_path).shm_bytes is None
    found = host.read(plant(tmp_path, {"dev/shm/": ""}))
    assert found.shm_bytes is not None
    assert found.shm_free_bytes is not None
    assert 0 < found.shm_free_bytes <= found.shm_bytes


def test_directory_that_was_removed(tmp_path: Path) -> None:
    assert host.read(tmp_path, tmp_path / "gone").disk_free_bytes is None
