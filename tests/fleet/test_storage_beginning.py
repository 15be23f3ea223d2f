"""Which node marks the storage at the start: one that sees it, and answers."""

import errno
import os

import pytest

from fitguard.fleet.records import RunRecord
from fitguard.fleet.storage.beginning import begin, begin_here, count_seen
from fitguard.fleet.storage.bucket import NodeLacks
from fitguard.fleet.storage.shared_folder import SharedFolder
from fitguard.schema.exit_codes import UsageError


class Nodes:
    """Nodes that see folders of their own under the same path, or fail."""

    def __init__(self, **views):
        self._views = views

    def ask(self, nodes, function, _, *arguments, seconds):
        """Like `_ask` of the fleet, here."""
        assert seconds >= 60
        return {node: self._answer(self._views[node], function, arguments) for node in nodes}

    def _answer(self, view, function, arguments):
        if isinstance(view, dict):
            return view[function.__name__]
        return view if isinstance(view, Exception) else function(str(view), *arguments)

    def begin(self, storage, *runs, is_asked=lambda: False):
        hosts = {node: f"host-{node}" for node in self._views}
        return begin(str(storage), runs, hosts, self.ask, is_asked)


@pytest.fixture
def shared(tmp_path):
    """A folder with a run."""
    folder = tmp_path / "shared" / "runs"
    (folder / "a").mkdir(parents=True)
    return folder


def list_markers(folder):
    return [path.name for path in folder.glob(".fleet-*")] if folder.exists() else []


def test_a_node_without_the_mount_does_not_decide(shared, tmp_path):
    bare = tmp_path / "runs"
    nodes = Nodes(first=bare, second=shared)
    begun = nodes.begin(shared, "a")
    assert begun.node == "second"
    assert list_markers(shared) == [begun.storage.marker]
    assert begun.records == {"a": RunRecord(run="a")}
    assert not bare.exists()


def test_an_empty_folder_where_nothing_is_mounted_does_not_decide(shared, tmp_path):
    empty = tmp_path / "other" / "runs"
    empty.mkdir(parents=True)
    assert Nodes(first=empty, second=shared).begin(shared).node == "second"


def test_a_folder_that_is_nowhere_is_made_on_one_node(tmp_path):
    new = tmp_path / "new" / "runs"
    nodes = Nodes(first=new, second=new)
    assert nodes.begin(new).node == "first"
    assert len(list_markers(new)) == 1


@pytest.fixture
def full(shared):
    """A node that sees the folder, and cannot write to it."""
    return {"count_seen": count_seen(str(shared)), "begin_here": OSError(errno.ENOSPC, "full")}


LATE = TimeoutError("it did not answer for 60 seconds")


@pytest.mark.parametrize("error", [LATE, NodeLacks("s3fs is not installed")])
def test_the_next_node_comes_for_one_that_does_not_look(shared, error):
    assert Nodes(first=error, second=shared).begin(shared).node == "second"


def test_the_next_node_comes_for_one_that_cannot_mark(shared, full):
    assert Nodes(first=full, second=shared).begin(shared).node == "second"


def test_a_node_that_sees_less_does_not_come_for_those_that_fail(shared, full, tmp_path):
    bare = tmp_path / "runs"
    with pytest.raises(UsageError, match=r"host-first: OSError: .*full"):
        Nodes(first=full, second=bare).begin(shared)
    assert not bare.exists()


def test_reasons_are_told_where_no_node_is_left(shared):
    with pytest.raises(UsageError, match=r"host-a: .*did not answer.*; 1 more node likewise"):
        Nodes(a=LATE, b=LATE, c=LATE, d=LATE).begin(shared)
    with pytest.raises(NodeLacks, match="not installed"):
        Nodes(a=NodeLacks("s3fs is not installed")).begin("s3://bucket")
    with pytest.raises(UsageError, match="a cluster without a node"):
        Nodes().begin(shared)


def test_who_is_asked_to_leave_marks_nothing(shared):
    begun = Nodes(first=shared).begin(shared, "a", is_asked=lambda: True)
    assert (begun.node, begun.storage.marker) == ("", "")
    assert begun.records == {"a": RunRecord(run="a")}
    assert not list_markers(shared)


def test_how_much_a_node_sees_of_an_address(there):
    assert count_seen(f"file://{there}") == 0
    marked, records = begin_here(f"file://{there}", ("a",))
    assert (there / marked.marker).exists()
    assert records["a"].state is None


def test_a_folder_that_fails_is_not_taken_for_one_that_is_missing(monkeypatch, shared):
    def fail(_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("pathlib.Path.iterdir", fail)
    with pytest.raises(OSError, match="Input/output"):
        SharedFolder(shared).count_seen()
