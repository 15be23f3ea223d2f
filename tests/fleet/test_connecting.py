"""What this process has of Ray already is not ended."""

import pytest
import ray

from fitguard.fleet.connecting import connecting
from fitguard.schema.exit_codes import UsageError


def test_a_local_fleet_leaves_the_ray_of_its_process_alone(monkeypatch):
    ended = []

    def init(*_, **__):
        raise RuntimeError("Maybe you called ray.init twice by accident?")

    monkeypatch.setattr(ray, "is_initialized", lambda: True)
    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(ray, "shutdown", lambda: ended.append("ray"))
    with (
        pytest.raises(UsageError, match="Received local=True in a process that is connected"),
        connecting(None, local=True),
    ):
        pass
    assert not ended
