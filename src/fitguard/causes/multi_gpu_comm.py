"""The GPUs or machines that train together could not talk to each other."""

import re
from dataclasses import replace

from fitguard.causes.derived.fallout import (
    LATE,
    OUT_OF_ORDER,
    SILENT,
    find_fallout,
)
from fitguard.causes.derived.many_gpus import find_joint_training
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Fix

ANOTHER_FAILED_FIRST = "Another worker failed first, and this one only reports it."
_FALLOUT_WEIGHT = 0.85
_PORT_WEIGHT = 0.9
_OF_ALL_GPUS = re.compile(r"nccl|Collective(?:Reduce|Gather|Bcast|AllToAll)", re.IGNORECASE)


@cause("multi-gpu-comm")
def multi_gpu_comm(story: Story) -> Verdict | None:
    """
    ## What it means
    After each step all GPUs add up their gradients. NCCL moves them: over NVLink or PCIe from GPU
    to GPU, over shared memory within a machine, over the network between machines. If one of these
    ways is closed, or one worker is gone, the others wait: an error, or no progress for ever.

    ## How to be sure
    - `NCCL_DEBUG=INFO` shows the ways that NCCL chooses, and its last words.
    - Does it run with one GPU (`CUDA_VISIBLE_DEVICES=0`)? Then it is the talk between them.
    - Does it run with `NCCL_P2P_DISABLE=1`? Then it is the direct way: IOMMU, ACS, PCIe switches.
    - In a container `df -h /dev/shm` must show far more than docker's 64 MB.

    ## How to fix it
    - Container: start it with `--shm-size=1g --ulimit memlock=-1`, or `--ipc=host`.
    - Hang with all GPUs at 100 %: switch IOMMU (VT-d, AMD-Vi) off in the BIOS, or set
      `NCCL_P2P_DISABLE=1`.
    - In TensorFlow: `cross_device_ops=tf.distribute.HierarchicalCopyAllReduce()`, or
      `ReductionToOneDevice()`, does without NCCL.
    - Machines: the same versions everywhere, every address in TF_CONFIG reachable from all, no
      firewall between; `NCCL_SOCKET_IFNAME` names the network card. Look at the first worker that
      died: the others only report that it is gone.

    ## When this reading is wrong
    *Socket closed*, *Connection reset by peer*, *stopped sending heartbeats* and *ncclRemoteError*
    are fallout: another worker failed first, and only its log says why. Give `fitguard explain` the
    logs of all workers. Batches that differ between replicas also stall a step.

    ## References
    - NVIDIA, NCCL user guide: environment variables, troubleshooting
    - tensorflow/tensorflow issues 44976 (IOMMU), 32654, 22889; NVIDIA/nccl issue 290 (shm)
    """
    if fallout := find_fallout(story):
        return _judge_fallout(story, fallout)
    if taken := story.first("own-port-taken"):
        return _judge_port(taken)
    scales = Scales()
    several = find_joint_training(story)
    scales.add(0.93, story.first("nccl-shared-memory"))
    scales.add(0.85, story.first("nccl-failed"))
    scales.add(0.8, story.first("mpi-aborted"))
    scales.add(0.78, story.first("collective-aborted"))
    scales.add(0.72, story.first("worker-unreachable"))
    scales.add(0.75, story.first("nccl-in-stack"))
    scales.add(0.82, story.first("many-gpus-hang"))
    scales.add(0.45, story.first("peer-access-failed"))
    scales.add(0.4, story.first("many-gpus-fail"))
    scales.add(0.6, _of_nccl(story))
    if story.has("bus-error"):
        scales.add(0.55, story.first("shared-memory-told", "shm-limit-default"))
    if several is not None:
        scales.add(0.6, story.first("launch-timeout"))
        scales.add(0.6, story.first("hang-told", "stacks-at-timeout"))
        scales.add(0.3, story.first("bus-error", "segmentation-fault", "illegal-address"))
        scales.add(0.2, story.finding("shm-too-small"), story.first("shm-limit-default"))
        scales.add(0.15, several)
    elif len(story.facts.gpus or ()) > 1:
        scales.add(0.5, story.first("hang-told", "stacks-at-timeout"))
        scales.add(0.2, story.first("launch-timeout"))
    return scales.verdict(why=_why(story), fix=_fix(story))


def _judge_port(taken: Signal) -> Verdict | None:
    address = taken.values.get("address", "")
    where = f" ({address})" if address else ""
    scales = Scales()
    scales.add(_PORT_WEIGHT, taken)
    return scales.verdict(
        why=f"This worker could not listen at its own address in TF_CONFIG{where}: another process "
        "has the port, often one of an earlier run, or the address is another machine's.",
        fix=Fix(
            "See who listens there, and end it if it is left over; or give this worker another "
            "port in TF_CONFIG, the same for all workers. `fitguard run --workers` and `--gang` "
            "choose free ports by themselves.",
            ("ss -ltnp",),
        ),
        summary="This worker could not listen at its address.",
    )


def _judge_fallout(story: Story, fallout: Signal) -> Verdict | None:
    scales = Scales()
    named = next((line for line in story.all("peer-named") if line.order > fallout.order), None)
    scales.add(_FALLOUT_WEIGHT, fallout, named)
    task = f"worker {named.values['task']}" if named else "the other workers"
    found = scales.verdict(
        why=_tell_of_others(fallout),
        fix=Fix(
            f"Read the log of {task}: why it failed stands there, and not here. `fitguard explain "
            "worker0.log worker1.log …` reads the logs of all workers, and says which of them "
            "failed first and why."
        ),
        summary=ANOTHER_FAILED_FIRST,
    )
    return found and replace(found, fallout=True)


def _tell_of_others(fallout: Signal) -> str:
    if fallout.name in SILENT:
        return (
            "Another worker stopped answering: it is frozen, its machine is gone, or the network "
            "between them is cut."
        )
    if fallout.name in LATE:
        return "Another worker did not come to a step that all do together: it is stuck, or gone."
    if fallout.name in OUT_OF_ORDER:
        return (
            "Another worker is at another step. That is so when one of them was started again "
            "alone, or when the workers do not take the same way through the script."
        )
    return "The connection to another worker broke off, because that worker ended."


def _of_nccl(story: Story) -> Signal | None:
    """An error of another kind that names NCCL: an operation that is not there on Windows."""
    lines = story.role("stop", "symptom")
    return next((line for line in lines if _OF_ALL_GPUS.search(line.text)), None)


def _why(story: Story) -> str:
    if story.has("nccl-shared-memory"):
        return "NCCL could not make its buffers in /dev/shm: the container has too little of it."
    if story.has("nccl-failed"):
        return "NCCL itself reports the failure, and it does nothing but move data between GPUs."
    if story.has("collective-aborted", "worker-unreachable"):
        return "A step that all workers do together broke off because one of them did not answer."
    if story.has("launch-timeout"):
        return (
            "Kernels that wait for other GPUs ran into the time limit; with one GPU there is "
            "nothing to wait for."
        )
    return "Only training on several GPUs fails, at the place where they exchange gradients."


def _fix(story: Story) -> Fix:
    if story.has("nccl-shared-memory", "shm-limit-default", "shared-memory-told") or story.finding(
        "shm-too-small"
    ):
        return Fix(
            "Start the container with more shared memory: `docker run --shm-size=1g --ulimit "
            "memlock=-1 …`, or `--ipc=host`; in Kubernetes mount an emptyDir with medium: Memory "
            "at /dev/shm.",
            ("df -h /dev/shm",),
        )
    if story.has("worker-unreachable", "collective-aborted"):
        return Fix(
            "Read the log of the worker that ended first: the others only tell that it is gone. "
            "Then check that every address in TF_CONFIG can be reached from every machine, and "
            "that all have the same TensorFlow, CUDA and NCCL.",
        )
    return Fix(
        "Try in this order: NCCL_DEBUG=INFO to see where it stops; NCCL_P2P_DISABLE=1 (then switch "
        "IOMMU off in the BIOS); `tf.distribute.MirroredStrategy(cross_device_ops="
        "tf.distribute.HierarchicalCopyAllReduce())`, which does without NCCL; one GPU alone.",
        ("nvidia-smi topo -m",),
    )
