"""What all nodes of a cluster answered, side by side."""

from typing import Literal

import msgspec

from fitguard.schema.document import Document
from fitguard.schema.finding import Finding
from fitguard.schema.probe import ProbeResult

FLEET_SURVEY_SCHEMA: Literal["fitguard/fleet-survey/1"] = "fitguard/fleet-survey/1"

Question = Literal["doctor", "probe"]
NodeState = Literal["fine", "warnings", "errors", "no-answer"]


class SharedValue(msgspec.Struct, frozen=True, kw_only=True):
    """What some of the nodes have: `580.95.05`."""

    value: str
    nodes: tuple[str, ...]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What is not the same on all nodes that tell it.

    Args:
        what: `driver`, `TensorFlow`, `matmul-float32 of NVIDIA H200`.
        values: What most nodes have comes first.
    """

    what: str
    values: tuple[SharedValue, ...]


class SharedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of the doctor, with its evidence on the first of the nodes that have it."""

    finding: Finding
    nodes: tuple[str, ...]


class SharedFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that failed in the same way on these nodes; the result is that of the first one."""

    result: ProbeResult
    nodes: tuple[str, ...]


class SurveyedNode(msgspec.Struct, frozen=True, kw_only=True):
    """One node.

    Args:
        name: The beginning of its number in Ray, or where private names are shown, its host name.
        node: Its whole number in Ray.
        why: There is no answer, or not all was tried; else empty.
        errors: How many findings or probes are errors; `warnings` likewise.
        traits: What is compared, by name: `{"driver": "580.95.05"}`.
        seconds: Until it answered.
    """

    name: str
    node: str = ""
    state: NodeState
    why: str = ""
    errors: int = 0
    warnings: int = 0
    traits: dict[str, str] = {}
    seconds: float = 0.0


class FleetSurvey(Document, frozen=True, kw_only=True):
    """The answers of all nodes to one question.

    Args:
        ok: No node has errors, and each has answered.
        findings: Of the doctor, gravest first; each once.
        failures: Of probes; each once.
        notes: What the user should know of the cluster.
    """

    schema: Literal["fitguard/fleet-survey/1"] = FLEET_SURVEY_SCHEMA
    question: Question
    ok: bool
    differences: tuple[Difference, ...] = ()
    nodes: tuple[SurveyedNode, ...] = ()
    findings: tuple[SharedFinding, ...] = ()
    failures: tuple[SharedFailure, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
