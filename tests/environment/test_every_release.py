"""Every TensorFlow release, with the configuration it was built for, is judged as fine.

Where the documentation names another cuDNN than the build (1.15: 7.4, not 7.6), the build decides.
"""

import re

import pytest

from fitguard.checks.framework.runner import judge_machine
from fitguard.environment.supposition import suppose
from fitguard.knowledge import knowledge

tables = knowledge()


def lower_bound(requirement):
    return re.search(r"(?:>=|~=)\s*([\d.]+)", requirement)[1]


def built_for(release, capability):
    package = release.gpu_package.partition("[")[0]
    given = {
        "tf": release.version,
        "package": package,
        "python": release.pythons[-1],
        "cuda": release.cuda,
        "cudnn": release.cudnn,
        "driver": tables.drivers.least(release.cuda),
        "compute-capability": capability,
        "os": "linux-x86_64",
        "numpy": lower_bound(release.numpy),
    }
    if release.keras:
        given["keras"] = lower_bound(release.keras)
    return given


@pytest.mark.parametrize("release", tables.tensorflow.all, ids=lambda release: release.version)
def test_the_build_is_fine(release):
    for capability in release.sass:
        report = judge_machine(suppose(built_for(release, capability)))
        grave = [item for item in report.findings if item.severity != "info"]
        assert not grave, (capability, [(item.code, item.title) for item in grave])


@pytest.mark.parametrize("release", tables.tensorflow.all, ids=lambda release: release.version)
def test_the_documented_configuration_is_fine_unless_the_build_disagrees(release):
    given = {
        "tf": release.version,
        "cuda": release.cuda_documented,
        "cudnn": release.cudnn_documented,
        "python": release.pythons[0],
    }
    report = judge_machine(suppose(given))
    disagrees = tables.cudnn.fit(release.cudnn_documented, release.cudnn, release.version) != "fits"
    assert report.ok is not disagrees, [item.title for item in report.findings]
    if disagrees:
        assert [item.slug for item in report.findings] == ["cudnn-too-old"]


@pytest.mark.parametrize(
    "version", [item.version for item in tables.tensorflow.all if "and-cuda" in item.gpu_package]
)
def test_and_cuda_is_fine(version):
    report = judge_machine(suppose({"tf": version, "extras": "and-cuda", "os": "linux-x86_64"}))
    assert report.ok
    overlooks_its_wheels = version in ("2.16.1", "2.21.0")
    assert [item.slug for item in report.findings] == ["cuda-missing"] * overlooks_its_wheels
