"""Diagnoses to show: decided, undecided, nothing wrong, and hostile."""

from fitguard.schema.diagnosis import Diagnosis, FoundCause, Noise, Question, WorkerEnd, Workers
from fitguard.schema.finding import Evidence, Fix

LOG = "/home/ann/mnist/train.log"

GPU_OOM = FoundCause(
    cause="gpu-oom",
    summary="The GPU has too little memory for this model and batch.",
    confidence="high",
    evidence=(
        Evidence(
            "OOM when allocating tensor with shape[256,112,112,64] and type float on "
            "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
            LOG,
            812,
            LOG,
        ),
        Evidence("Limit: 7083982848  InUse: 6905331712  MaxInUse: 6981222400", LOG, 790, LOG),
    ),
    why="The allocator was asked for 784.0 MiB when 170.4 MiB of 6.6 GiB were free.",
    fix=Fix(
        "Train with a batch of 128: it needs 613.6 MiB less.\nOr split the batch, which keeps "
        "the results.",
        ("TF_GPU_ALLOCATOR=cuda_malloc_async python /home/ann/mnist/train.py",),
        True,
    ),
)
FRAGMENTATION = FoundCause(
    cause="gpu-fragmentation",
    summary="There is enough free GPU memory, but no piece that is large enough.",
    confidence="low",
    evidence=(Evidence("If the cause is memory fragmentation maybe …", LOG, 788, LOG),),
    why="TensorFlow names it, but it always does.",
    fix=Fix("Try the other allocator: `TF_GPU_ALLOCATOR=cuda_malloc_async`."),
)
NUMA = Noise(
    name="numa-node",
    meaning="The kernel does not say which NUMA node the GPU belongs to; node 0 is taken.",
    count=6,
    evidence=Evidence(
        "successful NUMA node read from SysFS had negative value (-1), but there must be at "
        "least one NUMA node, so returning NUMA node zero.",
        LOG,
        3,
        LOG,
    ),
)
REGISTRATION = Noise(
    name="factory-registration",
    meaning="Two copies of a plugin announce themselves; the first stays.",
    count=1,
    evidence=Evidence("Unable to register cuDNN factory", LOG, 1, LOG),
)

DECIDED = Diagnosis(
    primary="gpu-oom",
    causes=(GPU_OOM, FRAGMENTATION),
    noise=(NUMA, REGISTRATION),
    notes=("driver=R5x: no single driver can be read from it; left out",),
    lines=1204,
)
OF_WORKERS = Diagnosis(
    primary="gpu-oom",
    causes=(GPU_OOM,),
    lines=240,
    workers=Workers(
        first="worker1.log",
        told_by="Only worker1.log has a failure of its own. By the time stamps it failed 10.8 s "
        "before the others.",
        ends=(
            WorkerEnd(
                name="worker0.log",
                part="fallout",
                cause="multi-gpu-comm",
                summary="It only reports that another worker is gone or stuck.",
                evidence=(Evidence("Socket closed", "worker0.log", 26, "worker0.log"),),
                time="2026-11-16 17:22:21.617 UTC",
            ),
            WorkerEnd(name="worker1.log", part="first", cause="gpu-oom", summary=GPU_OOM.summary),
            WorkerEnd(name="worker2.log", part="silent", summary="Its log ends without a failure."),
        ),
    ),
)
NOBODY_FIRST = Diagnosis(
    primary="multi-gpu-comm",
    causes=(GPU_OOM,),
    workers=Workers(
        first=None,
        told_by="Every log tells of another worker.",
        ends=(WorkerEnd(name="rank 0", part="later"), WorkerEnd(name="rank 1", part="well")),
    ),
)
UNDECIDED = Diagnosis(
    causes=(FRAGMENTATION,),
    questions=(
        Question("What the kernel logged", "`fitguard explain LOG --kernel-log auto`"),
        Question("The run's own log", "Give its output: `fitguard explain train.log`."),
    ),
    lines=1,
)
NOTHING_WRONG = Diagnosis(
    primary="none",
    causes=(
        FoundCause(
            cause="none",
            summary="Nothing is wrong.",
            confidence="high",
            evidence=(Evidence("Epoch 10/10", LOG, 200, LOG),),
            why="The training came to its end.",
            fix=Fix("Nothing needs to be done."),
        ),
    ),
    lines=200,
)
NOTHING_KNOWN = Diagnosis()


def hostile_diagnosis(text: str, *, decided: bool = True) -> Diagnosis:
    """A diagnosis in which every free string is the given one."""
    evidence = (Evidence(text, text, 3), Evidence(text, text, None, f"/tmp/{text}"))
    causes = tuple(
        FoundCause(
            cause=slug,
            summary=text,
            confidence="medium",
            evidence=evidence,
            why=text,
            fix=Fix(text, (text,), True),
        )
        for slug in ("hang", "gpu-oom")
    )
    return Diagnosis(
        primary="hang" if decided else None,
        causes=causes,
        noise=(Noise(name=text, meaning=text, count=2, evidence=evidence[0]),),
        questions=() if decided else (Question(text, text),),
        notes=(text,),
        lines=3,
        workers=Workers(
            first=text,
            told_by=text,
            ends=(
                WorkerEnd(name=text, part="first", summary=text, evidence=evidence, time=text),
                WorkerEnd(name=text, part="fallout", summary=text),
            ),
        ),
    )
