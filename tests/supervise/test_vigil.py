"""What the parent does about an alert beside telling it."""

from types import SimpleNamespace

import pytest

from fitguard.monitor.heartbeat import Heartbeat, OwnHeartbeat
from fitguard.supervise.autotuning import AutotuningWatch
from fitguard.supervise.options import RunOptions
from fitguard.supervise.vigil import Vigil


@pytest.mark.parametrize(
    ("slug", "profile", "expected"),
    [
        ("slow-steps", 0, True),
        ("gpu-pressure", 100, True),
        ("slow-steps", None, False),
        ("loss-nan", 0, False),
    ],
)
def test_an_alert_that_a_trace_explains_is_a_wish_for_one(tmp_path, slug, profile, expected):
    heartbeat = Heartbeat(tmp_path / "heartbeat", create=True)
    desk = SimpleNamespace(
        options=RunOptions(profile=profile), folder=SimpleNamespace(stacks=tmp_path / "stacks")
    )
    save = lambda: heartbeat.wish("snapshot")  # noqa: E731
    vigil = Vigil(desk, 1, heartbeat, AutotuningWatch(20.0), save=save)
    vigil._profile(SimpleNamespace(slug=slug))
    own = OwnHeartbeat(tmp_path / "heartbeat")
    assert own.take_profile_wish() is expected
    assert own.take_profile_wish() is False
    assert own.read_wish() == "none"
