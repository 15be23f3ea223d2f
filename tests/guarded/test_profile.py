"""`fitguard run --profile`, with the real profiler."""

import json

from cli.process import fitguard
from guarded.harness import GuardedRun

from fitguard.monitor.heartbeat import Heartbeat


def test_traces_are_taken_when_they_are_wished_for_and_the_report_says_where_time_went(tmp_path):
    with GuardedRun(tmp_path, "slow_input.py", options=["--profile=4"]) as guarded:
        assert guarded.next_child() is not None
        Heartbeat(guarded.folder.heartbeat).wish_profile()
        ended = guarded.wait()
    assert ended.code == 0, ended.text
    wished, named = guarded.record.profiles
    assert (wished.why, named.why) == ("the steps after an alert", "step 4")
    assert (wished.place.total_steps, named.place.total_steps) == (0, 6)
    assert wished.steps == named.steps == 5
    assert named.shares["input"] > 0.5
    assert sum(named.shares.values()) > 0.99
    assert "waiting for data" in named.text
    assert named.text in ended.text
    for profile in (wished, named):
        assert list((guarded.folder.path / profile.folder).rglob("*.xplane.pb"))
    shown = fitguard("report", guarded.folder.path, "--format", "json", cwd=tmp_path)
    assert len(json.loads(shown.stdout)["profiles"]) == 2
