"""A fleet on nodes with nothing in common but a storage: `file://`, and a real S3."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys

import pytest
from fleet.clusters import find_processes, small_cluster, wait_for
from guarded.results import difference

from fitguard.fleet.storage.manifest import parse_number

pytestmark = pytest.mark.soak
SECONDS = 900
CARDS = "FakeA:300MiB"
JOBS = """
defaults: {memory: 200MiB, options: --snapshot-seconds 1}
jobs:
  - {name: long, run: small.py long.npz 2 30 go}
"""


class S3:
    """Moto's server on loopback."""

    def __init__(self, folder):
        pytest.importorskip("s3fs", reason="`make soak` installs it")
        pytest.importorskip("moto.server", reason="`make soak` installs it")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.variables = {
            "FSSPEC_S3_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ACCESS_KEY_ID": "fleet",
            "AWS_SECRET_ACCESS_KEY": "fleet",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        self.url = "s3://bucket/runs"
        words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        with (folder / "s3.log").open("w") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log)

    def prepare(self):
        """A bucket, as soon as it answers."""
        wait_for(self._answers, SECONDS)
        self.open().mkdir("bucket")

    def _answers(self):
        with socket.socket() as door:
            return door.connect_ex(("127.0.0.1", self.port)) == 0

    def open(self):
        import s3fs

        return s3fs.S3FileSystem(
            key="fleet",
            secret="fleet",
            endpoint_url=self.variables["FSSPEC_S3_ENDPOINT_URL"],
        )

    def list_manifests(self):
        files = self.open()
        files.invalidate_cache()
        return files.find("bucket/runs/long/manifests")

    def stop(self):
        self.process.kill()
        self.process.wait()


class LocalFolder:
    """`file://`."""

    def __init__(self, folder):
        self.variables = {}
        self.path = folder / "bucket"
        self.url = f"file://{self.path}"

    def list_manifests(self):
        return list((self.path / "long" / "manifests").glob("*"))

    def prepare(self):
        """Nothing has to run."""

    stop = prepare


@pytest.fixture(params=[LocalFolder, S3])
def storage(request, tmp_path):
    kind = request.param(tmp_path)
    try:
        kind.prepare()
        yield kind
    finally:
        kind.stop()


def count_copies(storage):
    """Those that were made after the start itself."""
    found = [parse_number(str(one).rpartition("/")[2]) for one in storage.list_manifests()]
    return max((number.sequence for number in found if number), default=0)


def lose(cluster, number, folder):
    """Raylet, processes and disk of a node."""
    cluster.kill_node(cluster.nodes[number])
    for process in find_processes(str(folder)):
        process.send_signal(signal.SIGKILL)
    wait_for(lambda: not find_processes(str(folder)), SECONDS)
    shutil.rmtree(folder)


def test_a_node_is_lost_with_its_disk(tmp_path, storage, scripts, start, train_plainly):
    folder = tmp_path / "project"
    folder.mkdir()
    scripts(folder)
    places = [tmp_path / "node-0", tmp_path / "node-1"]
    with small_cluster() as cluster:
        cluster.nodes = [
            cluster.add_node(CARDS, FITGUARD_NODE_FOLDER=str(place), **storage.variables)
            for place in places
        ]
        words = ("--address", cluster.address, "--storage", storage.url)
        fleet = start(JOBS, folder, *words, environment={**os.environ, **storage.variables})
        wait_for(lambda: count_copies(storage) >= 2 or fleet.poll() is not None, SECONDS)
        assert fleet.poll() is None, fleet.communicate()
        lost = next(i for i, place in enumerate(places) if find_processes(str(place)))
        lose(cluster, lost, places[lost])
        other = places[1 - lost]
        wait_for(lambda: find_processes(str(other)), SECONDS)
        (folder / "go").touch()
        answer, said = fleet.communicate(timeout=SECONDS)
        assert fleet.returncode == 0, said
        training = json.loads(answer)["trainings"][0]
        assert (training["state"], training["starts"], training["why"]) == ("finished", 2, "")
        journal = next(other.glob("*/runs/long/journal.jsonl")).read_text()
        assert journal.count('"event":"run-started"') == 2
        assert journal.count('"event":"snapshot"') > 2
        assert not difference(folder / "long.npz", train_plainly(folder, "long", "2", "30"))
        # Finished before: the storage says so, and nobody trains.
        again = start(JOBS, folder, *words, environment={**os.environ, **storage.variables})
        answer, said = again.communicate(timeout=SECONDS)
        assert "finished before: 1 of 1" in said
    fetched = [sys.executable, "-m", "fitguard", "fleet", "fetch", storage.url, "long"]
    done = subprocess.run(
        fetched, cwd=folder, env={**os.environ, **storage.variables}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "fitguard-runs" / "long" / "output.log").exists()
