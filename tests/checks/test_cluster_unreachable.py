"""FG707: ports and peers."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.cluster import Cluster, ClusterTask
from fitguard.schema.facts import Facts
from fitguard.schema.software import Platform

OWN = {"own": True, "answers": False, "resolves": True, "on_this_host": True}


def task(index=0, **more):
    facts = {"name": f"worker {index}", "role": "worker", "index": index, "port": 2222, **more}
    return ClusterTask(**facts)


def judged(*peers, **own):
    tasks = (task(**{**OWN, **own}), *peers)
    found = Cluster(configured=True, role="worker", index=0, tasks=tasks)
    return run("FG707", Facts(cluster=found, platform=Platform(system="linux")))


def test_all_answer():
    assert judged(task(1, answers=True, resolves=True)).passed == ("FG707",)


def test_unknown_is_no_fault():
    assert judged(task(1)).passed == ("FG707",)


def test_the_own_port_is_taken():
    (finding,) = judged(
        answers=True, holder="process 7 (python)", refused="Address in use"
    ).findings
    assert finding.severity == "error"
    assert finding.title == ("Port 2222 of this process, worker 0, is taken by process 7 (python)")
    assert finding.fix.commands == ("ss -ltnp 'sport = :2222'",)


def test_the_own_port_is_closed():
    (finding,) = judged(refused="Permission denied").findings
    assert finding.severity == "error"
    assert "cannot be opened: Permission denied" in finding.title


def test_the_own_address_is_of_another_machine():
    (finding,) = judged(on_this_host=False, answers=None).findings
    assert (finding.severity, finding.title) == (
        "warning",
        "TF_CONFIG calls this process worker 0, whose address is another machine's",
    )


@pytest.mark.parametrize(
    ("count", "title"),
    [
        (1, "Worker 1 does not answer yet: the strategy waits until all are there"),
        (2, "Worker 1 and worker 2 do not answer yet"),
        (5, "Worker 1 and 4 more do not answer yet"),
    ],
)
def test_peers_that_have_not_started(count, title):
    peers = [task(index, answers=False, resolves=True) for index in range(1, count + 1)]
    (finding,) = judged(*peers).findings
    assert finding.severity == "info"
    assert finding.title.startswith(title)
    assert len(finding.evidence) == count


def test_a_host_that_nobody_knows():
    (finding,) = judged(task(1, resolves=False)).findings
    assert (finding.severity, finding.title) == (
        "warning",
        "The host of worker 1 is not known here",
    )


def test_skipped():
    assert run("FG707", Facts(cluster=Cluster())).skipped[0].reason == "TF_CONFIG is not set"
