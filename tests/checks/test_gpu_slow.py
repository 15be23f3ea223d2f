"""FG371: a GPU computes correctly, and slowly."""

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.probe import ProbeResult, Rate


def judged(verdict, value=10.0):
    rate = Rate(
        name="matmul-float32",
        value=value,
        unit="TFLOP/s",
        expected=50.0,
        verdict=verdict,
        reasons=("The GPU is throttled by heat.",),
    )
    probe = ProbeResult(name="matmul-float32", device="GPU 0", status="pass", rates=(rate, rate))
    return run("FG371", Facts(probes=(probe,)))


def test_a_slow_one_is_told_once_with_its_reasons():
    (finding,) = judged("slow").findings
    assert (finding.slug, finding.severity) == ("gpu-slow", "warning")
    assert finding.evidence[0].text == "matmul-float32: 10 TFLOP/s, 20% of the 50 it should give"
    assert finding.evidence[-1].text == "The GPU is throttled by heat."
    assert len(finding.evidence) == 3


def test_what_is_fine_or_not_known_is_no_finding():
    assert not judged("fine").findings
    assert not judged("unknown").findings
