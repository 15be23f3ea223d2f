"""GPUs are hidden while a script is looked at: what a strategy would make of them."""

import msgspec

from fitguard.checks.derived.visible_gpus import visible
from fitguard.checks.framework.data import judge_data
from fitguard.schema.data import DataReport
from fitguard.schema.facts import Facts
from fitguard.schema.model import ModelFacts

_TAKES_ALL = ("MirroredStrategy", "MultiWorkerMirroredStrategy")
"""Without a list of devices, they take all GPUs, and the CPU where there is none."""


def count_gpus(facts: Facts) -> int:
    """How many GPUs the training will see on this machine."""
    return visible(facts.gpus, facts).count if facts.gpus else 0


def count_replicas(model: ModelFacts, gpus: int) -> int | None:
    """How many replicas there will be where GPUs are seen; None for as many as there are here."""
    took_cpu = model.replicas == 1 and model.replica_devices == "CPU"
    return gpus if model.strategy in _TAKES_ALL and took_cpu and gpus > 1 else None


def judge_on_gpus(report: DataReport, gpus: int, ignore: tuple[str, ...]) -> DataReport:
    """The same data, judged with a replica on each GPU."""
    replicas = count_replicas(report.facts.model, gpus)
    if replicas is None:
        return report
    model = msgspec.structs.replace(
        report.facts.model, replicas=replicas, replica_devices="GPU", gpus=gpus
    )
    facts = msgspec.structs.replace(report.facts, model=model)
    results = judge_data(facts, ignore=ignore)
    return msgspec.structs.replace(report, ok=results.ok, facts=facts, **results._asdict())
