"""A Ray cluster of several raylets on this machine, with cards that are declared."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

SETTINGS = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # loopback only
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
}


class SmallCluster:
    """Nodes with declared cards; the head has none, and outlives them."""

    def __init__(self):
        os.environ.update(SETTINGS)
        from ray.cluster_utils import Cluster

        self.folder = Path(tempfile.mkdtemp(prefix="fgt-", dir="/tmp"))
        self._cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 1,
                "num_gpus": 0,
                "include_dashboard": False,
                "temp_dir": str(self.folder),
                "object_store_memory": 80 * 2**20,
            },
        )
        self.address = self._cluster.address

    def add_node(self, cards):
        """`FakeA:600MiB,FakeB:300MiB`."""
        return self._cluster.add_node(
            num_cpus=1,
            num_gpus=cards.count(",") + 1,
            object_store_memory=80 * 2**20,
            env_vars={"FITGUARD_CARDS": cards},
            temp_dir=str(self.folder),
        )

    def kill_node(self, node):
        """kill -9 of its raylet."""
        pid = node.all_processes["raylet"][0].process.pid
        os.kill(pid, signal.SIGKILL)
        return pid

    def stop(self):
        self._cluster.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def small_cluster(*cards):
    """A cluster with a node for each list of cards."""
    cluster = SmallCluster()
    try:
        cluster.nodes = [cluster.add_node(one) for one in cards]
        yield cluster
    finally:
        cluster.stop()


def start_fleet(jobs, folder, *words, environment=None, stderr=subprocess.PIPE):
    """`fitguard fleet run` in a process; its answer is JSON."""
    (folder / "jobs.yaml").write_text(jobs)
    return subprocess.Popen(
        [sys.executable, "-m", "fitguard", "fleet", "run", "jobs.yaml", "--format=json", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def find_processes(text):
    """Processes with this text in their command line."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(text in word for word in words) and process.pid != os.getpid():
            found.append(process)
    return found


def wait_for(condition, seconds=60.0, every=0.1):
    """Until it is true; what it was."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(every)
    raise AssertionError(f"not within {seconds} s")
