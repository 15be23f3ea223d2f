"""A process of the cluster cannot be reached, or this one cannot open its port."""

from collections.abc import Iterator, Sequence

from fitguard import shell
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.cluster import Cluster, ClusterTask
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix

_SOURCE = "TF_CONFIG, tried from this machine"


@check("FG707", "cluster-unreachable", requires={"FG706"})
def cluster_unreachable(cluster: Cluster, facts: Facts) -> Iterator[Finding]:
    """
    ## What it means
    Each worker of a cluster opens the port that TF_CONFIG gives it, and connects to all others.
    Here this worker cannot open its own, or the others are not there: their names are not known, or
    nothing answers at their ports.

    ## Why training crashes
    A port that is taken gives *UnknownError: Could not start gRPC server* at once. Mostly another
    training holds it, or what is left of the last one. For a worker that does not answer the
    strategy waits, before the first step, without a word and for as long as it takes. It does not
    react to SIGTERM meanwhile.

    ## How to fix it
    End the process that holds the port, or give this worker another one, on all machines. Start all
    workers within a few minutes. If a worker runs and still does not answer, a firewall or a wrong
    address is in the way: try `nc -zv HOST PORT` from here.

    ## When this is wrong
    Workers that have not started yet do not answer: that is for information only. While this
    training itself runs, it holds its own port. In containers and behind address translation, the
    own address can be that of the host: then the warning that it is not of this machine is wrong.

    ## References
    - TensorFlow: multi-worker training with Keras
    - Tried with TensorFlow 2.21: MultiWorkerMirroredStrategy on one machine
    """
    if not cluster.configured:
        raise Missing("TF_CONFIG is not set")
    if cluster.own is not None:
        yield from _judge_own(cluster.own, facts)
    unknown = [task for task in cluster.tasks if task.resolves is False]
    if unknown:
        yield Finding(
            severity="warning",
            title=f"The host of {_name(unknown)} is not known here",
            evidence=tuple(
                Evidence(f"{one.name}: the name does not resolve", _SOURCE) for one in unknown
            ),
            fix=Fix("Correct the name in TF_CONFIG, or use addresses in numbers."),
        )
    silent = [task for task in cluster.peers if task.answers is False]
    if silent:
        yield Finding(
            severity="info",
            title=f"{_name(silent, start=True)} {'does' if len(silent) == 1 else 'do'} not answer "
            "yet: the strategy waits until all are there",
            evidence=tuple(
                Evidence(f"{one.name}: nothing at port {one.port}", _SOURCE) for one in silent
            ),
            fix=Fix("Start all workers. If they run, look for a firewall or a wrong address."),
        )


def _judge_own(own: ClusterTask, facts: Facts) -> Iterator[Finding]:
    if own.answers:
        holder = f" by {own.holder}" if own.holder else ""
        yield Finding(
            title=f"Port {own.port} of this process, {own.name}, is taken{holder}",
            evidence=(Evidence(own.refused or "a process listens there", f"port {own.port}"),),
            fix=Fix(
                "End the process that holds it, or give this worker another port in TF_CONFIG, on "
                "all machines.",
                commands=shell.posix_only(facts, f"ss -ltnp 'sport = :{own.port}'"),
            ),
        )
    elif own.refused:
        yield Finding(
            title=f"Port {own.port} of this process, {own.name}, cannot be opened: {own.refused}",
            evidence=(Evidence(own.refused, f"port {own.port}"),),
            fix=Fix("Give this worker another port in TF_CONFIG, 1024 or above, on all machines."),
        )
    elif own.on_this_host is False:
        yield Finding(
            severity="warning",
            title=f"TF_CONFIG calls this process {own.name}, whose address is another machine's",
            evidence=(Evidence(f"{own.name} is not an address of this machine", _SOURCE),),
            fix=Fix("Give each machine its own index in TF_CONFIG."),
        )


def _name(tasks: Sequence[ClusterTask], *, start: bool = False) -> str:
    """`worker 1`, `worker 1 and worker 2`, `worker 1 and 3 more`."""
    names = [task.name for task in tasks]
    if len(names) > 2:
        names = [names[0], f"{len(names) - 1} more"]
    text = " and ".join(names)
    return text[0].upper() + text[1:] if start else text
