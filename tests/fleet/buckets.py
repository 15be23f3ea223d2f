"""Storages that fsspec reaches, with faults; small runs that look like those of a training."""

import shutil
from pathlib import Path

import msgspec
from fsspec import register_implementation
from fsspec.implementations.local import LocalFileSystem

from fitguard.fleet.storage.bucket import Bucket
from fitguard.fleet.storage.mirroring import Mirror
from fitguard.fleet.storage.node_folder import NodeFolder
from fitguard.fleet.storage.pulling import Pull
from fitguard.schema.journal import RunStarted, SnapshotWritten
from fitguard.schema.run import Place

RUN = "a"


class FaultyFileSystem(LocalFileSystem):
    """`faulty://`: a local one that is away, or dies in the middle of an object, when told to."""

    protocol = "faulty"
    is_away = False
    dies_after = None
    """Objects until it is away for good, the last one half written."""

    def __init__(self, **options):
        super().__init__(**{"auto_mkdir": True, **options})

    def _open(self, path, mode="rb", **options):
        if FaultyFileSystem.is_away:
            raise TimeoutError("no answer from the storage")
        return super()._open(path, mode, **options)

    def put_file(self, lpath, rpath, **options):
        self._count(Path(lpath).read_bytes(), rpath)
        super().put_file(lpath, rpath, **options)

    def pipe_file(self, path, value, **options):
        self._count(value, path)
        super().pipe_file(path, value, **options)

    def find(self, path, **options):
        if FaultyFileSystem.is_away:
            raise TimeoutError("no answer from the storage")
        return super().find(path, **options)

    def _count(self, content, path):
        if FaultyFileSystem.is_away:
            raise TimeoutError("no answer from the storage")
        if FaultyFileSystem.dies_after is not None:
            FaultyFileSystem.dies_after -= 1
            if FaultyFileSystem.dies_after < 0:
                FaultyFileSystem.is_away = True
                Path(self._strip_protocol(path)).write_bytes(content[: len(content) // 2])
                raise ConnectionResetError("the storage went away")


register_implementation("faulty", FaultyFileSystem, clobber=True)


class Side:
    """One node: its folder, and what it does with the run `a`."""

    def __init__(self, url, folder):
        self.bucket = Bucket(url)
        self.node = NodeFolder(url, {"FITGUARD_NODE_FOLDER": str(folder)})
        assert not self.node.find_problem()
        self.told = []
        self.mirror = None

    @property
    def run(self):
        return self.node.open_run(RUN)

    def start(self, owner):
        """Take the run over."""
        pull = Pull(self.bucket, self.node, RUN, owner, tell=self.told.append)
        claimed = pull.claim()
        self.mirror = Mirror(self.bucket, self.node, RUN, claimed, self.told.append)
        return claimed

    def train(self, steps):
        """As far as this; the two newest snapshots stay."""
        folder = self.run
        folder.snapshots.mkdir(0o700, parents=True, exist_ok=True)
        for old in sorted(folder.snapshots.iterdir())[:-1]:
            old.unlink()
        (folder.snapshots / f"fit00001-step{steps:011d}-{steps:010d}.snapshot").write_bytes(
            bytes([steps]) * 100_000
        )
        place = Place(fit=1, total_steps=steps, step=steps)
        events = (
            [] if folder.journal.exists() else [RunStarted(time=1.0, id=RUN, command=("t.py",))]
        )
        events.append(
            SnapshotWritten(time=2.0, place=place, bytes=9, taking_seconds=0, writing_seconds=0)
        )
        with folder.journal.open("ab") as journal:
            for event in events:
                journal.write(msgspec.json.encode(event) + b"\n")
        for name in ("lock", "heartbeat", "lease.0000000001"):
            (folder.path / name).write_bytes(b"of this machine")

    def lose(self):
        """The disk of the node."""
        shutil.rmtree(self.node.path)
        assert not self.node.find_problem()

    def read(self):
        """All files of the run, but those of this machine."""
        return {
            str(path.relative_to(self.run.path)): path.read_bytes()
            for path in sorted(self.run.path.rglob("*"))
            if path.is_file() and path.name not in ("lock", "heartbeat", "lease.0000000001")
        }


def list_names(there, kind):
    """What there is of `objects` or `manifests`."""
    return sorted(path.name for path in (there / RUN / kind).iterdir())
