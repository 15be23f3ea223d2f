"""TF_CONFIG does not describe a cluster that can train."""

import json
from collections.abc import Iterator

from fitguard import shell
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.cluster import Cluster, ClusterTask
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix, Severity

_ROLES = ("chief", "worker", "ps", "evaluator")
_EXAMPLE = (
    '{"cluster": {"worker": ["host1:2222", "host2:2222"]}, "task": {"type": "worker", "index": 0}}'
)
_SEE = Fix(f"Correct TF_CONFIG on every machine. It looks like this: {_EXAMPLE}")


@check("FG706", "cluster-config")
def cluster_config(cluster: Cluster, facts: Facts) -> Iterator[Finding]:
    """
    ## What it means
    TF_CONFIG tells a process which others train along (`cluster`), and which of them it is itself
    (`task`). It must be the same on all machines, but for the task. Here something in it cannot be
    right.

    ## Why training crashes
    Most of it stops at once: *JSONDecodeError*, *When `cluster_spec` is given, you must also
    specify `task_type` and `task_id`*, *The `task_id` 2 exceeds the maximum id of worker*,
    *Disallowed task type found in cluster spec*, *There must be at most one 'chief' job*, *Could
    not parse port for local server*. Worse is what does not stop: two processes with the same
    address, or one that is never started. The strategy then waits for the others, without a word,
    and does not even react to SIGTERM.

    ## How to fix it
    Write it like this, with another index on each machine:

        TF_CONFIG='{"cluster": {"worker": ["host1:2222", "host2:2222"]},
                    "task": {"type": "worker", "index": 0}}'

    All workers are equal. The first one, or a `chief` where there is one, also writes checkpoints.
    `ps` is for ParameterServerStrategy only, which needs a `chief` or a coordinator beside it.

    ## When this is wrong
    A cluster of one worker trains, alone. It is for information only. TensorFlow ignores a
    TF_CONFIG without a cluster. Other roles can be right where the script itself reads TF_CONFIG,
    and for `master` with the Estimators of TensorFlow 1.

    ## References
    - TensorFlow: multi-worker training with Keras, `TFConfigClusterResolver`
    - Tried with TensorFlow 2.21: MultiWorkerMirroredStrategy on one machine
    """
    if not cluster.configured:
        raise Missing("TF_CONFIG is not set")
    if cluster.unreadable:
        yield _find(f"TF_CONFIG cannot be read: {cluster.unreadable}", cluster)
        return
    if not cluster.tasks:
        yield Finding(
            severity="warning",
            title="TF_CONFIG names no other process: each one trains alone",
            evidence=(_quote(cluster),),
            fix=Fix(
                f"Name all workers, or unset TF_CONFIG. It looks like this: {_EXAMPLE}",
                commands=(shell.unset_variable(facts, "TF_CONFIG"),),
            ),
        )
        return
    yield from _judge_addresses(cluster)
    yield from _judge_roles(cluster)
    yield from _judge_task(cluster)
    if len(cluster.tasks) == 1 and cluster.own is not None:
        yield _find("TF_CONFIG names one worker: it trains alone", cluster, severity="info")


def _judge_addresses(cluster: Cluster) -> Iterator[Finding]:
    for task in cluster.tasks:
        if task.problem:
            yield _find(
                f"The address of {task.name} in TF_CONFIG is wrong: {task.problem}", cluster
            )
        elif task.same_as:
            yield _find(f"TF_CONFIG gives {task.name} the address of {task.same_as}", cluster)
    local = [task for task in cluster.tasks if task.loopback]
    remote = [task for task in cluster.tasks if not task.loopback and not task.problem]
    if local and remote:
        yield _find(
            f"TF_CONFIG calls {local[0].name} localhost, which {remote[0].name} cannot reach",
            cluster,
        )


def _judge_roles(cluster: Cluster) -> Iterator[Finding]:
    roles = _count(cluster.tasks)
    unknown = [role for role in roles if role not in _ROLES]
    if unknown:
        yield _find(
            f"TF_CONFIG has the role {unknown[0]}; TensorFlow knows chief, worker, ps, evaluator",
            cluster,
        )
    if roles.get("chief", 0) > 1:
        yield _find(f"TF_CONFIG has {roles['chief']} chiefs; there can be one", cluster)
    if "ps" in roles and "worker" not in roles:
        yield _find("TF_CONFIG has parameter servers (ps), but no worker", cluster)


def _judge_task(cluster: Cluster) -> Iterator[Finding]:
    roles = _count(cluster.tasks)
    if cluster.role is None or cluster.index is None:
        lacking = "type" if cluster.role is None else "index"
        yield _find(
            f"TF_CONFIG does not say who this process is: its task has no {lacking}", cluster
        )
    elif cluster.role == "evaluator":
        return  # it trains nothing, and need not be in the cluster
    elif cluster.role not in roles:
        yield _find(
            f"TF_CONFIG calls this process a {cluster.role}, but its cluster has none", cluster
        )
    elif cluster.own is None:
        known = f"{roles[cluster.role]} of them, counted from 0"
        yield _find(
            f"TF_CONFIG calls this process {cluster.role} {cluster.index}, but has {known}", cluster
        )


def _count(tasks: tuple[ClusterTask, ...]) -> dict[str, int]:
    roles: dict[str, int] = {}
    for task in tasks:
        roles[task.role] = roles.get(task.role, 0) + 1
    return roles


def _find(title: str, cluster: Cluster, severity: Severity = "error") -> Finding:
    return Finding(severity=severity, title=title, evidence=(_quote(cluster),), fix=_SEE)


def _quote(cluster: Cluster) -> Evidence:
    """What TF_CONFIG says, with numbers in place of addresses."""
    if cluster.unreadable:
        return Evidence(cluster.unreadable, "environment variable TF_CONFIG")
    task = {"type": cluster.role, "index": cluster.index}
    shape = {"cluster": _count(cluster.tasks), "task": task}
    return Evidence(json.dumps(shape), "environment variable TF_CONFIG, addresses counted")
