"""What a training with a limit tells its user."""

from types import SimpleNamespace

from fitguard.contract.hooks import Role
from fitguard.keras.memory_limit import limiting_wraps
from fitguard.schema.journal import Orders

GIB = 2**30


class Told:
    """The orders of a session, and what is noted in it."""

    def __init__(self, limit_bytes):
        self.orders = Orders(memory_limit_bytes=limit_bytes)
        self.notes = []

    def note(self, kind, text):
        self.notes.append((kind, text))


def begin(session, limits_mib=()):
    """TensorFlow builds its options for one GPU, with parts that the script has made of it."""
    from tensorflow.core.protobuf import config_pb2

    options = config_pb2.GPUOptions(visible_device_list="0")
    if limits_mib:
        options.experimental.virtual_devices.add(memory_limit_mb=limits_mib)
    wrap = limiting_wraps(session)[Role.GPU_OPTIONS_MADE]
    return wrap(lambda _: options, None)(SimpleNamespace(_config=None))


def test_without_a_limit_nothing_is_replaced():
    assert limiting_wraps(Told(None)) == {}


def test_a_limit_says_nothing_where_all_is_well(monkeypatch):
    monkeypatch.delenv("TF_GPU_ALLOCATOR", raising=False)
    session = Told(8 * GIB)
    (part,) = begin(session).experimental.virtual_devices
    assert list(part.memory_limit_mb) == [8192]
    assert session.notes == []


def test_more_than_the_limit_is_told(monkeypatch):
    monkeypatch.delenv("TF_GPU_ALLOCATOR", raising=False)
    session = Told(8 * GIB)
    begin(session, [16384])
    ((kind, text),) = session.notes
    assert kind == "memory-limit"
    assert "allows TensorFlow 16.0 GiB of a GPU, and --memory-limit 8.0 GiB" in text


def test_an_allocator_that_keeps_to_no_limit_is_told(monkeypatch):
    monkeypatch.setenv("TF_GPU_ALLOCATOR", "cuda_malloc_async")
    session = Told(8 * GIB)
    begin(session)
    ((kind, text),) = session.notes
    assert kind == "unguarded"
    assert "may take more than 8.0 GiB" in text
