"""SARIF for code scanning."""

import json

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.samples import BROKEN, FACTS, FOUND, HEALTHY, HOSTILE, ONE_CHECK_BROKE, hostile

from fitguard.report.formats.sarif import to_sarif
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.finding import Evidence, Finding, Fix

MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
LOCATION = {
    "type": "object",
    "required": ["logicalLocations"],
    "additionalProperties": False,
    "properties": {
        "message": MESSAGE,
        "logicalLocations": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "required": ["name"]},
        },
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "additionalProperties": False,
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": {
                        "uri": {"type": "string", "pattern": r"^[\w.~:/%+@=,;!$&'()*-]+$"}
                    },
                },
                "region": {
                    "type": "object",
                    "properties": {"startLine": {"type": "integer", "minimum": 1}},
                },
            },
        },
    },
}
RESULT = {
    "type": "object",
    "required": ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
    "properties": {
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": MESSAGE,
        "locations": {"type": "array", "items": LOCATION},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
RULE = {
    "type": "object",
    "required": ["id", "name", "shortDescription", "fullDescription", "help"],
    "properties": {"shortDescription": MESSAGE, "fullDescription": MESSAGE, "help": MESSAGE},
}
ESSENTIAL = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "properties": {
                                    "rules": {"type": "array", "items": RULE, "uniqueItems": True}
                                },
                            }
                        },
                    },
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}


def sarif(report: DoctorReport) -> dict[str, object]:
    """The one run, after the essential parts of the standard were checked."""
    whole = json.loads(to_sarif(report))
    jsonschema.Draft202012Validator(ESSENTIAL).validate(whole)
    return whole["runs"][0]


def results(*evidence: Evidence) -> list[dict]:
    finding = Finding(code="FG1", slug="a-b", title="t", evidence=evidence, fix=Fix(""))
    return sarif(DoctorReport(ok=False, findings=(finding,)))["results"]


@pytest.mark.parametrize("report", [HEALTHY, BROKEN, HOSTILE], ids=["healthy", "broken", "hostile"])
def test_the_essential_structure(report: DoctorReport) -> None:
    run = sarif(report)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_levels_rules_and_messages() -> None:
    run = sarif(BROKEN)
    assert [r["level"] for r in run["results"]] == ["error", "warning", "note"]
    assert run["tool"]["driver"]["rules"][0]["name"] == "CudnnTooOld"
    assert run["results"][2]["message"]["text"].endswith("\n$ env | grep TF_")
    assert run["results"][1]["properties"] == {"slug": "gpu-busy", "confidence": "medium"}


@pytest.mark.parametrize(
    ("path", "artifact"),
    [
        ("/usr/lib/a b.so", {"uri": "file:///usr/lib/a%20b.so"}),
        ("/opt/x (1), y.so", {"uri": "file:///opt/x%20%281%29%2C%20y.so"}),
        ("~/x y/z.so", {"uri": "x%20y/z.so", "uriBaseId": "HOME"}),
        (r"C:\x y\z.dll", {"uri": "file:///C:/x%20y/z.dll"}),
        (r"~\x\z.dll", {"uri": "x/z.dll", "uriBaseId": "HOME"}),
    ],
)
def test_a_file_is_a_physical_location(path: str, artifact: dict[str, str]) -> None:
    location = results(Evidence("x", "a sentence", 3, path))[0]["locations"][0]
    assert location["logicalLocations"][0]["name"] == "a sentence"
    assert location["physicalLocation"] == {
        "artifactLocation": artifact,
        "region": {"startLine": 3},
    }


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("/usr/lib/libcudart.so.11.0", "file:///usr/lib/libcudart.so.11.0"),
        ("~/x/y.so", "x/y.so"),
        (r"C:\x\z.dll", "file:///C:/x/z.dll"),
    ],
)
def test_a_source_that_is_wholly_a_path_names_the_file(source: str, uri: str) -> None:
    place = results(Evidence("x", source))[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == uri


@pytest.mark.parametrize(
    "source",
    [
        "NVML",
        "--what-if tf=2.1",
        "knowledge: cudnn.toml",
        "a\nb",
        "/a\nb",
        "/usr/lib/libcudart.so.11.0 (by LD_LIBRARY_PATH)",
        "/usr/lib/a.so,/usr/lib/b.so",
        "~/lib/a.so and ~/lib/b.so",
        r"C:\x\z.dll (by PATH)",
    ],
)
def test_anything_else_is_a_logical_location_only(source: str) -> None:
    location = results(Evidence("x", source))[0]["locations"][0]
    assert location["logicalLocations"][0]["name"] == source
    assert "physicalLocation" not in location


def test_a_check_that_broke_is_a_notification_of_the_run() -> None:
    (invocation,) = sarif(ONE_CHECK_BROKE)["invocations"]
    assert invocation["executionSuccessful"] is False
    (notice,) = invocation["toolExecutionNotifications"]
    assert notice["descriptor"] == {"id": "FG305"}
    assert "KeyError" in notice["message"]["text"]
    assert sarif(HEALTHY)["invocations"] == [{"executionSuccessful": True}]


def test_fingerprints_outlive_figures_and_tell_findings_apart() -> None:
    def prints(*titles: str) -> list[str]:
        findings = [
            Finding(code="FG305", title=title, evidence=(), fix=Fix("")) for title in titles
        ]
        run = sarif(DoctorReport(ok=False, findings=tuple(findings)))
        return [result["partialFingerprints"]["fitguard/v1"] for result in run["results"]]

    assert prints("138.1 GiB held") == prints("97.4 GiB held")
    assert prints("GPU held") != prints("GPU lost")
    first, second = prints("GPU 0 is held", "GPU 1 is held")
    assert first != second


@pytest.mark.parametrize("document", [FACTS, FOUND], ids=["facts", "resolution"])
def test_other_documents_have_no_sarif(document: msgspec.Struct) -> None:
    with pytest.raises(UsageError, match=r"Received --format sarif .* Expected .*doctor"):
        to_sarif(document)


@given(st.text(max_size=40))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_stay_valid(text: str) -> None:
    report = hostile(text)
    sarif(report)
    assert "\x1b" not in to_sarif(report)
