from pathlib import Path

import pytest
from facts.fake_tree import plant

from fitguard.facts import cgroup

GIB = 1 << 30
RAM = 64 * GIB
NO_LIMIT_V1 = 9223372036854771712


def test_version_2_tightest_limit_on_the_way_up(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "proc/self/cgroup": "0::/kubepods.slice/pod1/box\n",
            "sys/fs/cgroup/kubepods.slice/memory.max": f"{32 * GIB}\n",
            "sys/fs/cgroup/kubepods.slice/pod1/memory.max": f"{4 * GIB}\n",
            "sys/fs/cgroup/kubepods.slice/pod1/memory.current": f"{3 * GIB}\n",
            "sys/fs/cgroup/kubepods.slice/pod1/memory.stat": f"anon 5\ninactive_file {GIB}\n",
            "sys/fs/cgroup/kubepods.slice/pod1/box/memory.max": "max\n",
        },
    )
    assert cgroup.memory(tmp_path, RAM) == (4 * GIB, 2 * GIB)


def test_version_2_inside_a_container(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/memory.max": f"{8 * GIB}\n",
            "sys/fs/cgroup/memory.current": f"{GIB}\n",
        },
    )
    assert cgroup.memory(tmp_path, RAM) == (8 * GIB, GIB)


def test_version_1_inside_a_container_that_sees_the_hosts_path(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "proc/self/cgroup": "9:name=systemd:/docker/ab\n4:memory:/docker/ab\n0::/system\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{2 * GIB}\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{GIB}\n",
            "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 1024\n",
        },
    )
    assert cgroup.memory(tmp_path, RAM) == (2 * GIB, GIB - 1024)


def test_version_1_with_controllers_together(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "proc/self/cgroup": "4:cpu,memory:/job\n",
            "sys/fs/cgroup/memory/job/memory.limit_in_bytes": f"{GIB}\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{NO_LIMIT_V1}\n",
        },
    )
    assert cgroup.memory(tmp_path, RAM) == (GIB, None)


@pytest.mark.parametrize("limit", ["max", str(NO_LIMIT_V1), str(RAM + 1), "", "-1", "garbage"])
def test_what_limits_nothing(tmp_path: Path, limit: str) -> None:
    plant(
        tmp_path,
        {
            "proc/self/cgroup": "0::/\n4:memory:/\n",
            "sys/fs/cgroup/memory.max": limit,
            "sys/fs/cgroup/memory/memory.limit_in_bytes": limit,
        },
    )
    assert cgroup.memory(tmp_path, RAM) == (None, None)


@pytest.mark.parametrize("listing", ["", "garbage", "0::/../..\n", "::\n"])
def test_strange_membership(tmp_path: Path, listing: str) -> None:
    plant(tmp_path, {"proc/self/cgroup": listing})
    assert cgroup.memory(tmp_path, RAM) == (None, None)


def test_version_2_counts_what_the_oom_killer_ended(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "proc/self/cgroup": "0::/job/step\n",
            "sys/fs/cgroup/job/memory.events": "oom_kill 7\n",
            "sys/fs/cgroup/job/step/memory.events": "low 0\noom 2\noom_kill 2\n",
        },
    )
    assert cgroup.oom_kills(tmp_path) == 2


def test_version_1_counts_what_the_oom_killer_ended(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "proc/self/cgroup": "4:memory:/docker/ab\n0::/\n",
            "sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\noom_kill 1\n",
        },
    )
    assert cgroup.oom_kills(tmp_path) == 1


def test_no_count_of_kills_is_no_number(tmp_path: Path) -> None:
    plant(tmp_path, {"proc/self/cgroup": "0::/\n"})
    assert cgroup.oom_kills(tmp_path) is None
