"""FG370: a small known computation failed."""

from fitguard.checks.framework.testing import run
from fitguard.schema.diagnosis import Diagnosis, FoundCause
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Fix
from fitguard.schema.probe import ProbeResult
from fitguard.schema.software import DeepImport

XID = "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus."
DIAGNOSIS = Diagnosis(
    primary="hardware-fault",
    causes=(
        FoundCause(
            cause="hardware-fault",
            confidence="high",
            why="",
            evidence=(Evidence(XID, "kernel log"), Evidence("fitguard probe copies: no", "log")),
            fix=Fix("Check the power cables."),
        ),
    ),
)


def judged(*results, deep=None):
    return run("FG370", Facts(probes=results, deep=deep))


def result(status, name="copies", **more):
    return ProbeResult(name=name, device="GPU 0", status=status, detail="It died.", **more)


def test_what_passed_or_was_skipped_is_no_finding():
    report = judged(result("pass"), result("skip"))
    assert report.findings == ()
    assert report.passed


def test_without_probes_there_is_nothing_to_judge():
    (skipped,) = judged().skipped
    assert "--deep" in skipped.reason


def test_the_fix_is_that_of_the_cause():
    (finding,) = judged(result("crash", diagnosis=DIAGNOSIS)).findings
    assert (finding.slug, finding.severity) == ("probe-failed", "error")
    assert finding.title == "The probe copies crashes on GPU 0 (hardware-fault)"
    assert [one.text for one in finding.evidence] == ["It died.", XID]
    assert finding.fix.text == "Check the power cables."


def test_without_a_cause_the_end_of_the_log_is_quoted():
    (finding,) = judged(result("timeout", log=("a", "", "b"))).findings
    assert finding.title == "The probe copies does not end on GPU 0"
    assert finding.evidence[-1].text == "a\nb"
    assert finding.fix.commands == ("fitguard probe --only copies --verbose",)


def test_a_gpu_that_is_not_seen_is_told_once():
    unseen = result("fail", name="list-devices")
    assert not judged(unseen, deep=DeepImport(version="2.18.0", gpus=())).findings
    assert judged(unseen, deep=DeepImport(version="2.18.0", gpus=("GPU:0",))).findings
