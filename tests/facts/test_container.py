from pathlib import Path

import pytest
from facts.fake_tree import plant

from fitguard.facts import container


@pytest.mark.parametrize(
    ("files", "runtime", "evidence"),
    [
        ({".dockerenv": ""}, "docker", "/.dockerenv exists"),
        ({"run/.containerenv": "engine=podman"}, "podman", "/run/.containerenv exists"),
        ({".singularity.d/": ""}, "singularity", "/.singularity.d exists"),
        (
            {"proc/1/environ": "PATH=/bin\0container=lxc\0TERM=x\0"},
            "lxc",
            "/proc/1/environ: container=lxc",
        ),
        ({"run/systemd/container": "podman\n"}, "podman", "/run/systemd/container: podman"),
        (
            {"proc/1/cgroup": "4:memory:/docker/0123abcd\n"},
            "docker",
            "/proc/1/cgroup: 4:memory:/docker/0123abcd",
        ),
        (
            {"proc/1/cgroup": "0::/kubepods.slice/kubepods-burstable.slice/x.scope\n"},
            "kubernetes",
            "/proc/1/cgroup: 0::/kubepods.slice/kubepods-burstable.slice/x.scope",
        ),
        (
            {"proc/1/cgroup": "0::/system.slice/docker-0123abcd.scope\n"},
            "docker",
            "/proc/1/cgroup: 0::/system.slice/docker-0123abcd.scope",
        ),
        ({"proc/1/cgroup": "0::/init.scope\n"}, None, None),
        ({"proc/1/environ": "container=wsl\0"}, None, None),
        ({}, None, None),
    ],
)
def test_runtime_by_its_marks(
    tmp_path: Path, files: dict[str, str | bytes], runtime: str | None, evidence: str | None
) -> None:
    found = container.read({}, plant(tmp_path, files))
    assert (found.runtime, found.evidence) == (runtime, evidence)


@pytest.mark.parametrize(
    ("variable", "runtime"),
    [
        ("KUBERNETES_SERVICE_HOST", "kubernetes"),
        ("SINGULARITY_NAME", "singularity"),
        ("APPTAINER_NAME", "singularity"),
    ],
)
def test_runtime_by_its_variables_before_dockers_mark(
    tmp_path: Path, variable: str, runtime: str
) -> None:
    found = container.read({variable: "x"}, plant(tmp_path, {".dockerenv": ""}))
    assert (found.runtime, found.evidence) == (runtime, f"environment variable {variable}")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"proc/driver/nvidia/version": "NVRM"}, True),
        ({"sys/module/nvidia/": ""}, True),
        ({"sys/module/ext4/": ""}, False),
        ({}, None),
    ],
)
def test_driver_of_the_host(
    tmp_path: Path, files: dict[str, str | bytes], expected: bool | None
) -> None:
    assert container.read({}, plant(tmp_path, files)).host_has_gpu is expected
