"""Answers of nodes, side by side.

`recorded/` holds what `fitguard doctor --what-if gpu=… driver=… tf=2.21 … --format json` wrote.
"""

from pathlib import Path

import msgspec
import pytest
from report.made_probes import HEALTHY_PROBES, SICK_PROBES

from fitguard.fleet.comparing import NodeAnswer, build_survey
from fitguard.report.render import render
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.hardware import Gpu
from fitguard.schema.probe import ProbedDevice, ProbeReport, ProbeResult, Rate

RECORDED = Path(__file__).parent / "recorded"


def doctor(name, recorded, offered=1, **facts):
    """`offered`: GPUs that Ray counts there."""
    text = (RECORDED / f"{recorded}.json").read_bytes()
    report = msgspec.json.decode(text, type=DoctorReport)
    changed = msgspec.structs.replace(report.facts, **facts)
    return NodeAnswer(
        name=name, gpus=offered, report=msgspec.structs.replace(report, facts=changed), seconds=2.0
    )


def silent(name, why="no answer after 60 s"):
    return NodeAnswer(name=name, why=why, seconds=60.0)


def rates(name, *values, card="NVIDIA H200", label="GPU"):
    """Each of the cards of a node multiplies matrices at this rate."""
    return NodeAnswer(
        name=name,
        gpus=len(values),
        report=ProbeReport(
            tensorflow="2.21.0",
            devices=tuple(
                ProbedDevice(label=f"{label} {index}", name=card) for index in range(len(values))
            ),
            results=tuple(
                ProbeResult(
                    name="matmul",
                    device=f"{label} {index}",
                    status="pass",
                    rates=(Rate(name="matmul", value=value, unit="TFLOP/s"),),
                )
                for index, value in enumerate(values)
            ),
        ),
    )


def differences(*answers):
    question = "doctor" if isinstance(answers[0].report, DoctorReport) else "probe"
    found = build_survey(question, answers).differences
    return {one.what: {shared.value: shared.nodes for shared in one.values} for one in found}


def test_nodes_that_are_alike_do_not_differ():
    survey = build_survey("doctor", [doctor("a", "h200"), doctor("b", "h200")])
    assert survey.ok
    assert survey.differences == ()
    assert [(one.name, one.state) for one in survey.nodes] == [("a", "fine"), ("b", "fine")]


def test_what_most_nodes_have_comes_first():
    found = differences(doctor("c", "old-driver"), doctor("a", "h200"), doctor("b", "h200"))
    assert found == {"driver": {"580.95.05": ("a", "b"), "470.57.02": ("c",)}}
    assert list(found["driver"]) == ["580.95.05", "470.57.02"]


def test_versions_and_cards_are_compared():
    found = differences(doctor("a", "h200"), doctor("b", "k80"))
    assert set(found) == {"driver", "Keras", "cuDNN", "Python", "GPUs"}
    assert found["GPUs"] == {"H200": ("a",), "Tesla K80": ("b",)}


def test_what_a_node_does_not_tell_is_no_difference():
    assert differences(doctor("a", "h200"), doctor("b", "h200", driver=None)) == {}


def test_the_same_card_with_less_memory():
    smaller = (Gpu(name="H200", memory_bytes=70 * 2**30),)
    found = differences(doctor("a", "h200"), doctor("b", "h200", gpus=smaller))
    assert found == {"memory of H200": {"141.0 GiB": ("a",), "70.0 GiB": ("b",)}}


def test_cards_that_ray_or_a_variable_leaves_out():
    found = differences(
        doctor("a", "h200"),
        doctor("b", "h200", offered=0),
        doctor("c", "h200", offered=0, environment={"CUDA_VISIBLE_DEVICES": "-1"}),
    )
    assert found == {
        "GPUs left out": {
            "none": ("a",),
            "Ray counts 0, the driver shows 1": ("b",),
            "CUDA_VISIBLE_DEVICES hides 1 of 1": ("c",),
        }
    }


def test_a_finding_of_several_nodes_is_listed_once():
    survey = build_survey("doctor", [doctor("a", "k80"), doctor("b", "old-driver")])
    assert not survey.ok
    found = {one.finding.code: one.nodes for one in survey.findings}
    assert found["FG304"] == ("a", "b")
    assert found["FG306"] == ("a",)
    severities = [one.finding.severity for one in survey.findings]
    assert severities == sorted(severities)
    assert severities[-1] == "info"


def test_a_node_without_an_answer_is_a_result():
    survey = build_survey("doctor", [doctor("a", "h200"), silent("b")])
    assert not survey.ok
    first, second = survey.nodes
    assert (first.name, first.state, first.why) == ("b", "no-answer", "no answer after 60 s")
    assert (second.name, second.state) == ("a", "fine")
    assert "no answer after 60 s" in render(survey, "text")


def test_no_node_is_not_fine():
    assert not build_survey("doctor", []).ok


def test_a_card_far_below_the_same_card_elsewhere():
    found = differences(rates("a", 780, 785), rates("b", 775, 410), rates("c", 790, 780))
    assert found == {
        "matmul of NVIDIA H200": {
            "780 TFLOP/s on others": ("a", "b", "c"),
            "410 TFLOP/s on GPU 1": ("b",),
        }
    }


def test_the_node_of_a_slower_card_has_a_warning():
    survey = build_survey("probe", [rates("a", 780), rates("b", 410)])
    states = {one.name: (one.state, one.why) for one in survey.nodes}
    assert states == {"a": ("fine", ""), "b": ("warnings", "slow: matmul")}
    assert survey.ok


@pytest.mark.parametrize(
    "others",
    [
        rates("b", 700),
        rates("b", 300, card="NVIDIA L4"),
        rates("a", 400),
    ],
    ids=["a little slower", "another card", "the same node"],
)
def test_rates_that_are_not_compared(others):
    found = differences(rates("a", 780), others)
    assert not [what for what in found if what.startswith("matmul")]


def test_two_nodes_are_enough_to_see_the_slower_one():
    found = differences(rates("a", 780), rates("b", 400))
    assert list(found["matmul of NVIDIA H200"]) == ["780 TFLOP/s on others", "400 TFLOP/s on GPU 0"]


def test_probes_that_fail_alike_are_listed_once():
    answers = [NodeAnswer(name=name, gpus=1, report=SICK_PROBES) for name in ("a", "b")]
    well = NodeAnswer(name="c", gpus=1, report=HEALTHY_PROBES)
    survey = build_survey("probe", [*answers, well])
    assert not survey.ok
    assert {one.nodes for one in survey.failures} == {("a", "b")}
    states = {one.name: (one.state, one.why) for one in survey.nodes}
    assert states["c"] == ("warnings", "slow: host-to-device · no time for 1 probe")
    assert states["a"][0] == "errors"
    assert states["a"][1].startswith("failed: memory-pattern")


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_what_differs_comes_first(form):
    survey = build_survey(
        "doctor", [doctor("node-a", "h200"), doctor("node-b", "old-driver"), silent("node-c")]
    )
    shown = render(survey, form)
    assert shown.index("470.57.02") < shown.index("no answer after 60 s") < shown.index("FG304")
