"""What a training leaves behind: ended after a death, left alone after an end, never a zombie."""

import os
import signal
import subprocess

import pytest
from programs import is_alive, wait_for
from supervise.parents import UNTIL_TOLD, Parent

from fitguard.facts.processes import find_family

DIES_AT_ONCE = """
import os, pathlib, subprocess, time
left = pathlib.Path("left")
for step in training.steps(2):
    if training.attempt == 1:
        subprocess.Popen(["sh", "-c", {helper!r}], start_new_session={new_session})
        while not left.exists() or not left.read_text(): time.sleep(0.01)
        training.save()
        os._exit(3)
    print(os.path.exists("/proc/" + left.read_text().strip()), flush=True)
"""
SLEEPS = "echo $$ > left; exec sleep 600"
DEAF = "trap '' TERM; echo $$ > left; sleep 600; sleep 600"
DISTANT = "sleep 600 & echo $! > left"


@pytest.mark.parametrize(
    ("helper", "new_session"),
    [(SLEEPS, False), (SLEEPS, True), (DEAF, False), (DISTANT, False)],
    ids=["sleeps", "in-a-session", "deaf", "distant"],
)
def test_a_helper_of_a_dead_attempt_is_gone_before_the_next(tmp_path, helper, new_session):
    """Too early for a sample to have seen it."""
    parent = Parent(tmp_path, DIES_AT_ONCE.format(helper=helper, new_session=new_session))
    assert parent.ended() == 0
    assert parent.out == "False\nFalse\n"


def test_what_a_script_leaves_at_its_end_is_left_alone(tmp_path):
    text = """
import subprocess
print(subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL).pid, flush=True)
"""
    parent = Parent(tmp_path, text)
    assert parent.ended() == 0
    assert is_alive(int(parent.out))


def test_zombies_are_reaped(tmp_path):
    text = "import subprocess; subprocess.run(['sh', '-c', 'true & exit'])\n" + UNTIL_TOLD
    parent = Parent(tmp_path, text)
    parent.until("step 3")
    children = [parent.process.pid, parent.child]
    wait_for(lambda: [one.pid for one in find_family(parent.process.pid)] == children)
    (tmp_path / "enough").touch()
    assert parent.ended() == 0


def test_children_that_the_parent_had_before_are_not_its_own(tmp_path):
    """A shell script that starts something and then becomes `fitguard run`."""
    shell = ("sh", "-c", 'sleep 600 & echo $! > before; exec "$@"', "sh")
    text = DIES_AT_ONCE.format(helper=SLEEPS, new_session=False)
    parent = Parent(tmp_path, text, before=shell)
    assert parent.ended() == 0
    assert is_alive(int((tmp_path / "before").read_text()))
    assert not is_alive(int((tmp_path / "left").read_text()))


FIRST_PROCESS = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")


@pytest.mark.skipif(
    subprocess.run([*FIRST_PROCESS, "true"], capture_output=True, check=False).returncode != 0,
    reason="needs namespaces of its own",
)
def test_as_the_first_process_of_a_container_it_reaps_and_leaves(tmp_path):
    text = "import subprocess; subprocess.run(['sh', '-c', 'true & exit'])\n" + UNTIL_TOLD
    parent = Parent(tmp_path, text, before=FIRST_PROCESS)
    parent.until("step 3")
    first = find_family(parent.process.pid)[1].pid
    wait_for(lambda: len(find_family(first)) == 2)
    os.kill(first, signal.SIGTERM)
    assert parent.ended() == 75
    assert parent.run()["attempts"][0]["exit_code"] == 75
