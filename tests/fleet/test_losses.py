"""Why an actor was lost; the texts are those of Ray 2.60."""

from ray.exceptions import ActorDiedError, RayTaskError

from fitguard.fleet.losses import say_loss

KILLED = """The actor died unexpectedly before finishing this task.
\tclass_name: Trainer
\tpid: 5126
The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit \
detail: Worker unexpectedly exits with a connection error code 2. End of file. There are some \
potential root causes. (1) The process is killed by SIGKILL by OOM killer due to high memory usage.
"""


def test_the_detail_of_ray():
    expected = "its actor was lost (Worker unexpectedly exits with a connection error code 2)"
    assert say_loss(RuntimeError(KILLED)) == expected


def test_without_one_the_kind_of_error():
    assert say_loss(RuntimeError("something else")) == "its actor was lost (RuntimeError)"


def test_what_failed_on_the_node_is_told():
    cause = OSError(28, "No space left on device", "/runs/a")
    expected = "(OSError: [Errno 28] No space left on device: '/runs/a')"
    lines = f'Traceback (most recent call last):\n  File "a.py", line 1, in train\n{expected[1:-1]}'
    error = RayTaskError("train", lines, cause, "ray::Trainer", 1, "127.0.0.1")
    for raised in (error, error.as_instanceof_cause(), ActorDiedError.from_task_error(error)):
        assert say_loss(raised) == f"fitguard itself failed on its node {expected}"
