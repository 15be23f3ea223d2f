"""FG315: GPUs that do not reach each other."""

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu, GpuLink


def judged(*links, count=2, **environment):
    gpus = tuple(Gpu(index=index, name="RTX 4090") for index in range(count))
    return run("FG315", Facts(gpus=gpus, gpu_links=links, environment=environment))


def link(first=0, second=1, **more):
    return GpuLink(first=first, second=second, **{"peer_access": True, **more})


def test_one_pair_without_access():
    closed = link(peer_access=False, path="one-processor", refusal="the GPUs do not support it")
    (finding,) = judged(closed).findings
    assert finding.severity == "info"
    assert finding.title == (
        "GPU 0 and GPU 1 have no peer access: gradients go through main memory"
    )
    assert finding.evidence[0].text == (
        "GPU 0 and GPU 1: no peer access, the GPUs do not support it, through the processor"
    )


def test_some_pairs_without_access():
    links = (link(0, 1), link(0, 2, peer_access=False), link(1, 2, peer_access=False))
    (finding,) = judged(*links, count=3).findings
    assert (finding.severity, len(finding.evidence)) == ("warning", 2)
    assert finding.title.startswith("2 of 3 pairs of GPUs have no peer access")


def test_across_processors():
    (finding,) = judged(link(path="several-processors", nvlink=False)).findings
    assert (finding.severity, finding.title) == (
        "info",
        "GPU 0 and GPU 1 exchange gradients across processors",
    )
    assert judged(link(path="several-processors", nvlink=True)).passed == ("FG315",)


def test_unknown_is_no_fault():
    assert judged(link(peer_access=None)).passed == ("FG315",)


def test_pairs_that_are_hidden_do_not_count():
    links = (link(0, 1), link(0, 2, peer_access=False), link(1, 2, peer_access=False))
    assert judged(*links, count=3, CUDA_VISIBLE_DEVICES="0,1").passed == ("FG315",)


def test_skipped():
    assert judged(count=1).skipped
    assert run("FG315", Facts(gpus=(Gpu(), Gpu(index=1)))).skipped[0].reason == (
        "how the GPUs reach each other is not known"
    )
