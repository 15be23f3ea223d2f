"""As in a container: the parent is process 1, and `docker stop` sends it SIGTERM."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from supervise.parents import UNTIL_TOLD, Parent

CONTAINER = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")


def can_unshare():
    try:
        return (
            subprocess.run([*CONTAINER, "true"], check=False, capture_output=True).returncode == 0
        )
    except OSError:
        return False


@pytest.mark.skipif(not can_unshare(), reason="no namespaces of processes here")
@pytest.mark.parametrize("options", [{}, {"preempt_signals": [signal.SIGUSR1]}])
def test_the_first_process_of_a_container_leaves_with_a_snapshot(tmp_path, options):
    parent = Parent(tmp_path, UNTIL_TOLD, before=CONTAINER, resume="auto", name="n", **options)
    parent.until("step 3")
    outside = parent.process.pid
    (first,) = Path(f"/proc/{outside}/task/{outside}/children").read_text().split()
    os.kill(int(first), signal.SIGUSR1 if options else signal.SIGTERM)
    assert parent.ended() == 75
    (tmp_path / "enough").touch()
    again = Parent(tmp_path, UNTIL_TOLD, before=CONTAINER, resume="auto", name="n", **options)
    assert again.ended() == 0
    assert "continues the run n." in again.err
