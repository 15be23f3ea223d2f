import resource
from pathlib import Path

import pytest
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


def test_no_limit_is_minus_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, 0))
    assert set(host.read(tmp_path).limits.values()) == {-1}


def test_shared_memory_has_its_size(tmp_path: Path) -> None:
    assert host.read(tmp_path).shm_bytes is None
    found = host.read(plant(tmp_path, {"dev/shm/": ""}))
    assert found.shm_bytes is not None
    assert found.shm_free_bytes is not None
    assert 0 < found.shm_free_bytes <= found.shm_bytes


def test_directory_that_was_removed(tmp_path: Path) -> None:
    assert host.read(tmp_path, tmp_path / "gone").disk_free_bytes is None
