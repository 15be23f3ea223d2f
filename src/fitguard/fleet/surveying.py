"""`fitguard.fleet.doctor` and `fitguard.fleet.probe`: all nodes of a Ray cluster at once."""

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from fitguard.fleet.asking import Told, ask_here
from fitguard.fleet.comparing import NodeAnswer, build_survey
from fitguard.fleet.connecting import connecting
from fitguard.monitor.regular_files import UNDECODABLE
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.fleet_survey import FleetSurvey, Question
from fitguard.schema.probe import Level, ProbeReport
from fitguard.words import short

DOCTOR_SECONDS = 60.0
PROBE_SECONDS = 600.0
_PROBE_SHARE = 0.8
"""Of the time for a node: the rest is for the start of Ray's worker and of TensorFlow."""
_FETCH_SECONDS = 10.0
_SHORT_NUMBER = 8
_LONGEST_REASON = 300
_REPORTS: dict[Question, type[DoctorReport] | type[ProbeReport]] = {
    "doctor": DoctorReport,
    "probe": ProbeReport,
}


def doctor(
    address: str | None = None,
    *,
    seconds: float = DOCTOR_SECONDS,
    python: str | None = None,
    show_private: bool = False,
) -> FleetSurvey:
    """Will these machines train? What differs between them, and what is wrong with each.

    Args:
        address: Of the Ray cluster; default: RAY_ADDRESS, or the one that runs on this machine.
        seconds: For each node; all are asked at once.
        python: The interpreter that trains, on the nodes.
        show_private: Name nodes by their hosts, and keep home folders and user names.

    Example:
        >>> survey = fitguard.fleet.doctor("ray://head:10001")
        >>> [node.name for node in survey.nodes if node.state == "no-answer"]

    Raises:
        UsageError: where there is no Ray, or no cluster at the address.
    """
    words = ["doctor", "--format", "json", *_list_shared_words(python, show_private)]
    return _survey("doctor", words, address, seconds, show_private=show_private)


def probe(
    address: str | None = None,
    *,
    level: Level = "quick",
    only: Sequence[str] = (),
    seconds: float = PROBE_SECONDS,
    python: str | None = None,
    show_private: bool = False,
) -> FleetSurvey:
    """Do the GPUs of these machines really compute, and each as fast as its likes?

    A node is probed when all of its GPUs are free: probes take nearly all memory of a GPU.

    Args:
        address: Of the Ray cluster; default: RAY_ADDRESS, or the one that runs on this machine.
        level: `quick` or `medium`.
        only: Names of probes; all of the level where there is none.
        seconds: For each node; all are asked at once.
        python: The interpreter that trains, on the nodes.
        show_private: Name nodes by their hosts, and keep home folders and user names.

    Example:
        >>> survey = fitguard.fleet.probe(only=["matmul-float32"])
        >>> survey.differences

    Raises:
        UsageError: where there is no Ray, no cluster at the address, or no such level.
    """
    if level == "long":
        raise UsageError(
            "Received the level long for all nodes. Expected quick or medium, or on one of them: "
            "fitguard probe --level long"
        )
    words = ["probe", "--format", "json", "--level", level]
    words += ["--minutes", f"{_PROBE_SHARE * seconds / 60:.4f}"]
    words += [word for name in only for word in ("--only", name)]
    words += _list_shared_words(python, show_private)
    return _survey("probe", words, address, seconds, show_private=show_private)


def _list_shared_words(python: str | None, show_private: bool) -> list[str]:
    return [
        *(("--python", python) if python else ()),
        *(("--show-private",) if show_private else ()),
    ]


def _survey(
    question: Question,
    words: Sequence[str],
    address: str | None,
    seconds: float,
    *,
    show_private: bool,
) -> FleetSurvey:
    with connecting(address, local=False) as notes:
        import ray

        nodes = [node for node in ray.nodes() if node["Alive"]]
        names = _name_nodes(nodes, by_host=show_private)
        answers = _ask_all(question, words, nodes, names, seconds)
    return build_survey(question, answers, notes)


def _ask_all(
    question: Question,
    words: Sequence[str],
    nodes: Sequence[dict[str, Any]],
    names: dict[str, str],
    seconds: float,
) -> list[NodeAnswer]:
    import ray

    began = time.monotonic()
    asked = {node["NodeID"]: _ask(question, node, words, seconds) for node in nodes}
    try:
        answered, _ = ray.wait(list(asked.values()), num_returns=len(asked), timeout=seconds)
        return [
            NodeAnswer(
                name=names[node["NodeID"]],
                node=node["NodeID"],
                gpus=_count_gpus(node),
                **_hear(question, node, asked[node["NodeID"]], answered, seconds, began),
            )
            for node in nodes
        ]
    finally:
        for one in asked.values():
            ray.cancel(one, force=True)


def _ask(question: Question, node: dict[str, Any], words: Sequence[str], seconds: float) -> Any:
    """Probes wait until all GPUs of the node are free, and keep others away meanwhile."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    task = ray.remote(ask_here).options(
        num_cpus=0,
        num_gpus=_count_gpus(node) if question == "probe" else 0,
        max_retries=0,
        scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
    )
    return task.remote(tuple(words), seconds)


def _hear(
    question: Question,
    node: dict[str, Any],
    one: Any,
    answered: Sequence[Any],
    seconds: float,
    began: float,
) -> dict[str, Any]:
    """What a node has told, as fields of its answer."""
    import ray

    busy = question == "probe" and _count_gpus(node) > 0
    waited = {"why": f"no answer after {seconds:g} s" + "; its GPUs may be in use" * busy}
    if one not in answered:
        return {**waited, "seconds": time.monotonic() - began}
    try:
        told: Told = ray.get(one, timeout=_FETCH_SECONDS)
    except ray.exceptions.GetTimeoutError:
        return {**waited, "seconds": time.monotonic() - began}
    except ray.exceptions.RayError as error:
        return {"why": _explain(error)}
    known = {"fitguard": told["fitguard"], "seconds": told["seconds"]}
    if told["problem"]:
        return {**known, "why": told["problem"]}
    try:
        return {**known, "report": msgspec.json.decode(told["text"], type=_REPORTS[question])}
    except UNDECODABLE as error:
        return {**known, "why": f"its answer cannot be read: {error}"}


def _explain(error: Exception) -> str:
    text = str(error)
    if "No module named 'fitguard" in text:
        return "fitguard is not installed there, or an older one without `fleet`"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return short(lines[-1] if lines else type(error).__name__, _LONGEST_REASON)


def _name_nodes(nodes: Sequence[dict[str, Any]], *, by_host: bool) -> dict[str, str]:
    """By the number of each node, which several on one host have different ones of."""
    numbers = {node["NodeID"]: node["NodeID"][:_SHORT_NUMBER] for node in nodes}
    if not by_host:
        return numbers
    hosts = {node["NodeID"]: node["NodeManagerHostname"] for node in nodes}
    several = Counter(hosts.values())
    return {
        number: f"{host} ({numbers[number]})" if several[host] > 1 else host
        for number, host in hosts.items()
    }


def _count_gpus(node: dict[str, Any]) -> int:
    return int(node["Resources"].get("GPU", 0))
