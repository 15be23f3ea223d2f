"""A script that goes on by itself: with no snapshot there, that is all there is, and it is said."""

from guarded.harness import GuardedRun

from fitguard.schema.journal import INEXACT, Noted


def test_that_no_snapshot_was_written_is_said(tmp_path):
    rarely = ["--snapshot-seconds", "1000"]
    with GuardedRun(tmp_path, "resumes_itself.py", options=rarely) as run:
        ended = run.wait()
    assert ended.code == 0, ended.text
    (told,) = [one.text for one in run.events(Noted) if one.kind == INEXACT]
    assert told.startswith(
        "fit call 1 begins with epoch 2. When it was called first, it began with"
    )
    assert "No snapshot of that attempt was written" in told
    assert f"fitguard: {told}" in ended.text
