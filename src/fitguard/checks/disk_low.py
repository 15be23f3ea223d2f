"""The disk is nearly full: checkpoints and the driver's kernel cache will not fit."""

from fitguard import shell
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Host
from fitguard.words import size

_LEAST_BYTES = 2 * 2**30


@check("FG705", "disk-low")
def disk_low(host: Host, facts: Facts) -> Finding | None:
    """
    ## What it means
    Less than 2 GiB are free on the disk that holds the current folder. A checkpoint with the state
    of Adam is three times as big as the model, and a new one is written before the old one goes.

    ## Why training crashes
    *OSError: No space left on device*, *ResourceExhaustedError: … No space left on device*, or a
    checkpoint that is cut off and cannot be read. It comes after hours, at the first checkpoint.
    The driver cannot keep compiled kernels either, and compiles them at each start again.

    ## How to fix it
    Make room, or write checkpoints, TensorBoard logs and caches to another disk. Keep fewer
    checkpoints: `save_best_only=True`, or `max_to_keep` of `tf.train.CheckpointManager`.

    ## When this is wrong
    Where checkpoints and logs go to another disk than that of the current folder. Quotas are not
    seen: a user can run out of space on a disk that is half empty.

    ## References
    - Keras documentation: ModelCheckpoint
    """
    if host.disk_free_bytes is None:
        raise Missing("how much of the disk is free is not known")
    if host.disk_free_bytes >= _LEAST_BYTES:
        return None
    return Finding(
        severity="warning",
        title=f"Only {size(host.disk_free_bytes)} of disk space is left for checkpoints and caches",
        evidence=(Evidence(f"{size(host.disk_free_bytes)} free", "disk of the current folder"),),
        fix=Fix(
            text="Make room, or write checkpoints and logs to another disk.",
            commands=shell.disk_use(facts),
        ),
    )
