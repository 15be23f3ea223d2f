"""FG314: GPUs that are not alike."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu

GIB = 2**30
BIG = {"name": "RTX 3090", "memory_bytes": 24 * GIB, "compute_capability": "8.6"}
SMALL = {"name": "RTX 3060", "memory_bytes": 12 * GIB, "compute_capability": "8.6"}


def judged(*cards, **environment):
    gpus = tuple(Gpu(index=index, **card) for index, card in enumerate(cards))
    return run("FG314", Facts(gpus=gpus, environment=environment))


def test_the_smallest_decides():
    (finding,) = judged(BIG, SMALL, BIG).findings
    assert finding.severity == "warning"
    assert finding.title == (
        "3 GPUs that are not alike would train together: the smallest has 12.0 GiB, and decides"
    )
    assert finding.evidence[1].text == "GPU 1: RTX 3060, 12.0 GiB, compute capability 8.6"
    assert finding.fix.commands[-1] == "export CUDA_VISIBLE_DEVICES=0,2"
    assert finding.fix.changes_results


def test_by_uuid_where_it_is_known():
    cards = [{**BIG, "uuid": "GPU-a"}, {**SMALL, "uuid": "GPU-b"}]
    (finding,) = judged(*cards).findings
    assert finding.fix.commands == ("export CUDA_VISIBLE_DEVICES=GPU-a",)


def test_compute_capability():
    (finding,) = judged(BIG, {**BIG, "name": "RTX 4090", "compute_capability": "8.9"}).findings
    assert finding.severity == "warning"


def test_only_the_name_differs():
    (finding,) = judged(BIG, {**BIG, "name": "RTX 3090 Ti"}).findings
    assert finding.severity == "info"


def test_alike():
    almost = {**BIG, "memory_bytes": 24 * GIB - 200 * 2**20}
    assert judged(BIG, almost).passed == ("FG314",)
    assert judged({}, {}).passed == ("FG314",)


@pytest.mark.parametrize("value", ["0", "-1"])
def test_skipped_where_fewer_are_visible(value):
    assert judged(BIG, BIG, CUDA_VISIBLE_DEVICES=value).skipped
    assert judged(BIG).skipped
