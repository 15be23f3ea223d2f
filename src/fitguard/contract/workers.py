"""Strategies that meet other processes, made as if there were none."""

from typing import Any


def start_alone(extended: Any, cluster_resolver: Any, devices: Any) -> int:
    """Make a MultiWorkerMirroredStrategy of this process alone, which waits for nobody.

    Args:
        extended: What such a strategy is about to prepare.

    Returns:
        How many workers its cluster has.
    """
    extended._initialize_local(cluster_resolver, devices=devices)
    roles = {} if devices else cluster_resolver.cluster_spec().as_dict()
    return max(1, sum(len(roles.get(role, ())) for role in ("chief", "worker")))
