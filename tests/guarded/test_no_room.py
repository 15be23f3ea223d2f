"""A training that no remedy can save: its last words say which part is too large, and what fits.

TensorFlow's GPU allocator on the CPU, with a limit; it waits 10 seconds before it gives up.
"""

import pytest
from guarded.harness import GuardedRun, memory_limit

from fitguard.schema.journal import AttemptStarted, MicroBatchChosen, NoRoom


@pytest.mark.parametrize(
    ("kind", "megabytes", "told", "helps"),
    [
        (
            "state",
            100,
            ("weights 37.", "the optimizer's state 74.", "100.0 MiB can be used"),
            "Lion, or SGD with momentum, would keep 37.",
        ),
        (
            "layers",
            40,
            ("it needs 69.", "40.0 MiB can be used", "that the layers compute", "conv2d"),
            "Compute in mixed_float16",
        ),
    ],
)
def test_the_last_words_say_what_has_no_room(kind, megabytes, told, helps, tmp_path):
    limit = memory_limit(megabytes)
    with GuardedRun(tmp_path, "no_room.py", kind, environment=limit) as run:
        ended = run.wait()
    assert ended.code == 1, ended.text
    (event,) = run.events(NoRoom)
    assert event.text.startswith("Not even one sample fits: ")
    for words in told:
        assert words in event.text
    assert helps in event.text
    (last,) = [one.text for one in run.record.decisions if one.action == "stop"]
    assert event.text in last
    assert "fitguard: to do:" not in ended.text
    assert "ResourceExhaustedError" in ended.text
    assert len(run.events(AttemptStarted)) == 1
    # Smaller parts are no remedy for weights.
    assert bool(run.events(MicroBatchChosen)) == (kind == "layers")
