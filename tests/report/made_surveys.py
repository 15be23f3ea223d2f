"""Surveys of nodes to show: one that differs, one of probes, hostile texts."""

from report.made_probes import SICK_PROBES, hostile_probes

from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.fleet_survey import (
    Difference,
    FleetSurvey,
    SharedFailure,
    SharedFinding,
    SharedValue,
    SurveyedNode,
)

_TOO_OLD = Finding(
    code="FG304",
    slug="driver-too-old",
    title="Driver 470.57.02 is older than the 525.60.13 that CUDA 12.5 needs",
    evidence=(Evidence("driver 470.57.02", "/proc/driver/nvidia/version"),),
    fix=Fix("Install driver 580 or newer.", ("sudo apt install nvidia-driver-580",)),
)

DIFFERENT_NODES = FleetSurvey(
    question="doctor",
    ok=False,
    differences=(
        Difference(
            what="driver",
            values=(
                SharedValue(value="580.95.05", nodes=("6fa1c0de", "9b21aa07")),
                SharedValue(value="470.57.02", nodes=("01c4e7f2",)),
            ),
        ),
    ),
    nodes=(
        SurveyedNode(
            name="01c4e7f2",
            node="01c4e7f2" * 7,
            state="errors",
            errors=1,
            traits={"GPUs": "2 × NVIDIA H200", "driver": "470.57.02", "TensorFlow": "2.21.0"},
            seconds=2.1,
        ),
        SurveyedNode(name="77e0aa31", state="no-answer", why="no answer after 60 s", seconds=60.0),
        SurveyedNode(
            name="6fa1c0de",
            state="warnings",
            warnings=1,
            traits={"GPUs": "2 × NVIDIA H200", "driver": "580.95.05", "TensorFlow": "2.21.0"},
            seconds=1.9,
        ),
        SurveyedNode(name="9b21aa07", state="fine", traits={"driver": "580.95.05"}, seconds=2.0),
    ),
    findings=(SharedFinding(finding=_TOO_OLD, nodes=("01c4e7f2",)),),
    notes=("This Ray cluster lets in everybody who reaches its ports.",),
    seconds=60.0,
)

SICK_NODES = FleetSurvey(
    question="probe",
    ok=False,
    nodes=(SurveyedNode(name="6fa1c0de", state="errors", errors=1, why="failed: memory-pattern"),),
    failures=tuple(
        SharedFailure(result=result, nodes=("6fa1c0de",)) for result in SICK_PROBES.failures
    ),
)


def hostile_survey(text: str) -> FleetSurvey:
    """Every string is hostile."""
    finding = Finding(
        code="FG999", slug="hostile", title=text, evidence=(Evidence(text, text),), fix=Fix(text)
    )
    failures = hostile_probes(text).failures
    return FleetSurvey(
        question="doctor",
        ok=False,
        differences=(
            Difference(what=text, values=(SharedValue(value=text, nodes=(text,) * 20),) * 2),
        ),
        nodes=(SurveyedNode(name=text, state="no-answer", why=text, traits={"GPUs": text}),),
        findings=(SharedFinding(finding=finding, nodes=(text,)),),
        failures=tuple(SharedFailure(result=one, nodes=(text,)) for one in failures),
        notes=(text,),
    )
