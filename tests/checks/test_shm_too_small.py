"""FG702: /dev/shm of a container."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Container, Gpu, Host

MIB = 2**20
DOCKER = Container("docker", "/.dockerenv exists")
TWO = (Gpu(), Gpu())


def judged(shm_bytes=64 * MIB, container=DOCKER, gpus=TWO, free=None, **environment):
    host = Host(shm_bytes=shm_bytes, shm_free_bytes=free)
    return run(
        "FG702", Facts(host=host, container=container, gpus=gpus, environment=environment or None)
    )


def test_two_gpus():
    (finding,) = judged().findings
    assert (finding.slug, finding.severity) == ("shm-too-small", "warning")
    assert finding.title == "/dev/shm has 64.0 MiB, too little for 2 GPUs in a container"
    assert [item.source for item in finding.evidence] == ["/dev/shm", "/.dockerenv exists"]
    assert "docker run --shm-size=8g" in finding.fix.text


@pytest.mark.parametrize("gpus", [(Gpu(),), None])
def test_one_gpu_or_unknown(gpus):
    assert judged(gpus=gpus).findings[0].severity == "info"


def test_kubernetes():
    (finding,) = judged(container=Container("kubernetes")).findings
    assert "emptyDir" in finding.fix.text


@pytest.mark.parametrize(
    "facts",
    [
        {"shm_bytes": 64 * MIB + 1},
        {"shm_bytes": None},
        {"container": Container()},
        {"gpus": ()},
    ],
    ids=["larger", "unknown", "no-container", "no-gpu"],
)
def test_fine(facts):
    assert judged(**facts).passed == ("FG702",)


def test_skips():
    assert judged(container=None).skipped[0].reason == "whether this is a container is not known"


def test_one_visible_gpu_of_two():
    assert judged(CUDA_VISIBLE_DEVICES="0").findings[0].severity == "info"


@pytest.mark.parametrize("container", [DOCKER, Container()])
def test_large_but_full(container):
    (finding,) = judged(8192 * MIB, container, free=3 * MIB).findings
    assert finding.severity == "warning"
    assert finding.title == "/dev/shm is nearly full: 3.0 MiB are left for several GPUs"


def test_full_matters_to_several_gpus_only():
    assert judged(8192 * MIB, gpus=(Gpu(),), free=0).passed == ("FG702",)
    assert judged(8192 * MIB, free=4096 * MIB).passed == ("FG702",)
