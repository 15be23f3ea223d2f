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
    "RAY_gcs_storage": "rocksdb",
}


class SmallCluster:
    """Nodes with declared cards; the head has none, outlives them, and keeps its books on disk."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="fgt-", dir="/tmp"))
        os.environ.update(SETTINGS, RAY_gcs_storage_path=str(self.folder / "books"))
        from ray.cluster_utils import Cluster

        # Ray notes the address of a cluster there, and expects the folder.
        (self.folder / "ray").mkdir()
        os.environ["RAY_TMPDIR"] = str(self.folder)
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

    def add_node(self, cards, **variables):
        """`FakeA:600MiB,FakeB:300MiB`, and what else its environment has."""
        return self._cluster.add_node(
            num_cpus=1,
            num_gpus=cards.count(",") + 1,
            object_store_memory=80 * 2**20,
            env_vars={"FITGUARD_CARDS": cards, **variables},
            temp_dir=str(self.folder),
        )

    def kill_node(self, node):
        """kill -9 of its raylet."""
        pid = node.all_processes["raylet"][0].process.pid
        os.kill(pid, signal.SIGKILL)
        return pid

    def restart_head(self, after_seconds):
        """kill -9 of what keeps the cluster together; it comes back with its books."""
        head = self._cluster.head_node
        os.kill(head.all_processes["gcs_server"][0].process.pid, signal.SIGKILL)
        time.sleep(after_seconds)
        head.kill_gcs_server(check_alive=False)
        head.start_gcs_server()

    def stop(self):
        self._cluster.shutdown()
        del os.environ["RAY_TMPDIR"]
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
        process_group=0,
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
