"""Scripts in which nothing is guarded: they run as they are, and that is said at the end."""

import pytest
from guarded.harness import GuardedRun


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("own_loop.py", "line 19 of own_loop.py trains without fit, in a loop of its own"),
        ("no_training.py", "nothing was guarded: the script does not load Keras"),
    ],
)
def test_it_is_said_at_the_end(tmp_path, script, why):
    with GuardedRun(tmp_path, script) as run:
        ended = run.wait()
    assert ended.code == 0
    assert why in ended.text
    assert "; nothing was guarded; fitguard report" in ended.text
    assert {note.kind for note in run.record.notes} == {"unguarded"}
    if script == "own_loop.py":
        assert "for step in range(guard.start, steps):" in ended.text


def test_a_process_of_horovod_is_not_guarded_alone(tmp_path):
    several = {"HOROVOD_SIZE": "2"}
    with GuardedRun(tmp_path, "horovod_one_of_two.py", environment=several) as run:
        ended = run.wait()
    assert ended.code == 0
    assert (
        "this fit is not guarded, because Horovod trains with 2 processes, and fitguard sees this "
        "one alone"
    ) in " ".join(ended.text.split())
