"""A diagnosis in SARIF: the primary cause is an error, the others are notes."""

import json

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.diagnoses import DECIDED, GPU_OOM, NOTHING_WRONG, UNDECIDED, hostile_diagnosis
from report.samples import NASTY
from report.test_sarif import ESSENTIAL

from fitguard.report.formats.sarif import to_sarif
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.finding import Evidence


def sarif(diagnosis: Diagnosis) -> dict:
    """The one run, after the essential parts of the standard were checked."""
    whole = json.loads(to_sarif(diagnosis))
    jsonschema.Draft202012Validator(ESSENTIAL).validate(whole)
    return whole["runs"][0]


def place(path: str | None, source: str = "train.log") -> dict | None:
    found = msgspec.structs.replace(GPU_OOM, evidence=(Evidence("x", source, 7, path),))
    run = sarif(Diagnosis(primary="gpu-oom", causes=(found,)))
    return run["results"][0]["locations"][0].get("physicalLocation")


def test_one_result_for_each_cause() -> None:
    run = sarif(DECIDED)
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [
        ("gpu-oom", "error"),
        ("gpu-fragmentation", "note"),
    ]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[r["ruleIndex"]]["id"] for r in run["results"]] == [
        "gpu-oom", "gpu-fragmentation",
    ]  # fmt: skip
    assert rules[0]["shortDescription"]["text"] == GPU_OOM.summary
    assert "fitguard explain gpu-oom" in rules[0]["help"]["text"]
    message = run["results"][0]["message"]["text"]
    assert GPU_OOM.why in message
    assert "\n$ TF_GPU_ALLOCATOR=cuda_malloc_async python" in message
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 812}


@pytest.mark.parametrize(
    ("path", "uri"),
    [("logs/a b.log", "logs/a%20b.log"), ("/var/a.log", "file:///var/a.log"), ("~/a", "a")],
)
def test_a_log_as_the_user_named_it(path: str, uri: str) -> None:
    found = place(path)
    assert found is not None
    assert found["artifactLocation"]["uri"] == uri


def test_what_is_no_file_has_no_physical_place() -> None:
    assert place(None, "kernel log") is None


def test_where_nothing_decides_there_are_notes_and_questions() -> None:
    run = sarif(UNDECIDED)
    assert [r["level"] for r in run["results"]] == ["note"]
    told = run["invocations"][0]["toolExecutionNotifications"]
    assert [notice["level"] for notice in told] == ["note", "note"]
    assert told[0]["message"]["text"].startswith("Would decide: What the kernel logged.")
    assert run["invocations"][0]["executionSuccessful"] is True


def test_nothing_wrong_is_no_result() -> None:
    assert sarif(NOTHING_WRONG)["results"] == []


def test_fingerprints_outlive_another_run() -> None:
    again = msgspec.structs.replace(
        DECIDED,
        causes=(msgspec.structs.replace(GPU_OOM, why="other figures"), DECIDED.causes[1]),
    )
    assert [r["partialFingerprints"] for r in sarif(DECIDED)["results"]] == [
        r["partialFingerprints"] for r in sarif(again)["results"]
    ]


@given(st.text(max_size=40))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_stay_valid(text: str) -> None:
    for hostile in (text, NASTY):
        diagnosis = hostile_diagnosis(hostile)
        sarif(diagnosis)
        assert "\x1b" not in to_sarif(diagnosis)
