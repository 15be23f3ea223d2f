"""The child's main program: a script finds what it finds under plain Python."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from programs import LONGEST_SECONDS, foreground_signals, is_alive, start, wait_for

from fitguard.clean_start import words_to_run
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.signals import STACKS_SIGNAL
from fitguard.schema.journal import Failed, Orders

NOTHING = "fitguard: nothing was guarded: the script does not load Keras\n"

TELLING = """
import json, random, sys, numpy
known = sorted(name for name in globals() if name not in ("json", "random", "sys", "numpy"))
print(json.dumps({
    "argv": sys.argv,
    "name": __name__,
    "file": __file__,
    "path": sys.path,
    "flags": str(sys.flags),
    "is main": sys.modules["__main__"].__dict__ is globals(),
    "known": known,
    "spec": getattr(__spec__, "name", None),
    "loader": type(__loader__).__name__,
    "package": __package__,
}))
if "--fitguard" in sys.argv:
    from pathlib import Path
    print(json.dumps({
        "loaded": sorted({"tensorflow", "keras", "tf_keras"} & sys.modules.keys()),
        "oom": int(Path("/proc/self/oom_score_adj").read_text()),
        "drawn": [
            random.random(), float(numpy.random.uniform()), numpy.random.default_rng().random()
        ],
    }))
"""


@pytest.fixture
def run_folder(tmp_path):
    """As the parent leaves it."""
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    folder.orders.write_bytes(msgspec.json.encode(Orders(seed=9)))
    Heartbeat(folder.heartbeat, create=True).close()
    return folder


@pytest.fixture
def scripts(tmp_path):
    """A folder with the script and the modules of a test."""
    folder = tmp_path / "scripts"
    folder.mkdir()
    return folder


def run(*command, folder, ignored=(), **more):
    with foreground_signals(ignored):
        return subprocess.run(
            [sys.executable, *map(str, command)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_SECONDS,
            stdin=subprocess.DEVNULL,
            **more,
        )


def guarded(run_folder, *command, folder, **more):
    bootstrap = (*words_to_run("fitguard.keras.bootstrap"), run_folder.path)
    return run(*bootstrap, *command, folder=folder, **more)


def failures(run_folder):
    return [event for event in Journal(run_folder.journal).read() if isinstance(event, Failed)]


SCRIPT = ("./here/tell.py", "a", "-b")
MODULE = ("-m", "here.tell", "a")


@pytest.mark.parametrize(
    ("options", "command", "variables"),
    [
        ((), SCRIPT, {}),
        ((), ("linked.py",), {}),
        ((), MODULE, {}),
        ((), ("-m", "here"), {}),
        ((), SCRIPT, {"PYTHONSAFEPATH": "1"}),
        (("-P",), MODULE, {"PYTHONPATH": ".:more"}),
        (("-I",), SCRIPT, {"PYTHONPATH": "more"}),
        (("-E",), SCRIPT, {"PYTHONPATH": "more", "PYTHONSAFEPATH": "1"}),
    ],
)
def test_scripts_and_modules_find_what_they_find_under_python(
    options, command, variables, run_folder, scripts
):
    (scripts / "here").mkdir()
    (scripts / "here" / "tell.py").write_text(TELLING)
    (scripts / "here" / "__main__.py").write_text(TELLING)
    (scripts / "linked.py").symlink_to("here/tell.py")
    environment = {**os.environ, **variables}
    plain = run(*options, *command, folder=scripts, env=environment)
    bootstrap = (*words_to_run("fitguard.keras.bootstrap"), run_folder.path)
    told = run(*options, *bootstrap, *command, folder=scripts, env=environment)
    assert (told.returncode, told.stderr) == (plain.returncode, NOTHING)
    assert json.loads(told.stdout) == json.loads(plain.stdout)


def test_nothing_is_loaded_and_all_is_seeded(run_folder, scripts):
    (scripts / "tell.py").write_text(TELLING)
    usual = int(Path("/proc/self/oom_score_adj").read_text())
    first, second = (
        guarded(run_folder, "tell.py", "--fitguard", folder=scripts).stdout.splitlines()[1]
        for _ in range(2)
    )
    told = json.loads(first)
    assert told["loaded"] == []
    assert told["oom"] == min(1000, usual + 300)
    assert json.loads(second)["drawn"] == told["drawn"]


FAILING = """
import sys
def inner(number):
    return 1 / number
def outer():
    try:
        inner(0)
    except ZeroDivisionError as error:
        raise ValueError("no number") from error
if "plain-hook" not in sys.argv:
    sys.excepthook = lambda kind, error, trace: print("hook", kind, error, trace.tb_lineno)
outer()
"""


@pytest.mark.parametrize("words", [("-m", "fails"), ("fails.py",), ("fails.py", "plain-hook")])
def test_an_error_looks_as_under_python(words, run_folder, scripts):
    (scripts / "fails.py").write_text(FAILING)
    plain = run(*words, folder=scripts)
    told = guarded(run_folder, *words, folder=scripts)
    assert told.returncode == plain.returncode == 1
    assert (told.stderr, told.stdout) == (plain.stderr, plain.stdout)
    (failed,) = failures(run_folder)
    assert (failed.kind, failed.error) == ("exception", "ValueError: no number")


def test_a_script_that_python_cannot_read(run_folder, scripts):
    (scripts / "broken.py").write_text("a b\n")
    plain = run("broken.py", folder=scripts)
    told = guarded(run_folder, "broken.py", folder=scripts)
    assert (told.returncode, told.stderr) == (1, plain.stderr)


@pytest.mark.parametrize(
    ("word", "code", "said"), [("", 0, NOTHING), ("3", 3, ""), ("'too hot'", 1, "too hot\n")]
)
def test_exit_codes_are_those_of_the_script(word, code, said, run_folder, scripts):
    (scripts / "leaves.py").write_text(f"import sys; sys.exit({word})")
    told = guarded(run_folder, "leaves.py", folder=scripts)
    assert (told.returncode, told.stderr) == (code, said)
    assert [(event.kind, event.code) for event in failures(run_folder)] == (
        [("system-exit", code)] if code else []
    )


INTERRUPTED = """
import atexit, os, signal, threading, time
from fitguard.keras.fitting.wrapping import current_fits
atexit.register(lambda: print("at the end", current_fits() is not None))
def last_long():
    time.sleep(0.3)
    print("thread", current_fits() is not None)
threading.Thread(target=last_long).start()
os.kill(os.getpid(), signal.SIGINT)
time.sleep(30)
"""


def test_an_interrupt_ends_it_as_it_ends_python(run_folder, scripts):
    (scripts / "waits.py").write_text(INTERRUPTED)
    plain = run("waits.py", folder=scripts)
    told = guarded(run_folder, "waits.py", folder=scripts)
    assert told.returncode == plain.returncode == -signal.SIGINT
    assert told.stderr == plain.stderr
    # Threads and what the script has registered are guarded to the end.
    assert told.stdout == "thread True\nat the end True\n"
    assert failures(run_folder) == []


TERMINATED = """
import multiprocessing, os, signal, time
def work(number):
    return number + 1
if __name__ == "__main__":
    child = os.fork()
    if not child:
        time.sleep(30)
        os._exit(0)
    os.kill(child, signal.SIGTERM)
    print("forked", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    child = os.fork()
    if not child:
        raise SystemExit(7)
    print("left", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print("spawned", pool.map(work, [1, 2]), flush=True)
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        print("still here")
    finally:
        print("finally")
"""


def test_sigterm_outside_of_fit_ends_the_script_and_children_are_as_usual(run_folder, scripts):
    (scripts / "works.py").write_text(TERMINATED)
    told = guarded(run_folder, "works.py", folder=scripts)
    assert (told.returncode, told.stderr) == (75, "")
    assert told.stdout == "forked -15\nleft 7\nspawned [2, 3]\nfinally\n"
    assert failures(run_folder) == []


NOTICED = """
import os, signal
worker = os.fork()
if not worker:
    os.kill(os.getpid(), signal.SIGUSR1)
    os._exit(5)
print("worker", os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]), flush=True)
os.kill(os.getpid(), signal.SIGUSR1)
print("still here, outside of fit")
"""


def test_a_notice_of_the_scheduler_works_like_sigterm_and_ends_no_worker(run_folder, scripts):
    orders = Orders(seed=9, preempt_signals=(int(signal.SIGUSR1),))
    run_folder.orders.write_bytes(msgspec.json.encode(orders))
    (scripts / "works.py").write_text(NOTICED)
    told = guarded(run_folder, "works.py", folder=scripts)
    assert (told.returncode, told.stdout) == (75, "worker 5\n")
    assert Heartbeat(run_folder.heartbeat).read_wish() == "leave"


IGNORING = """
import os, signal
for number in (signal.SIGHUP, signal.SIGINT):
    os.kill(os.getpid(), number)
print("still here", flush=True)
"""


def test_what_the_shell_ignores_is_no_wish(run_folder, scripts):
    (scripts / "goes_on.py").write_text(IGNORING)
    ignored = (signal.SIGHUP, signal.SIGINT)
    told = guarded(run_folder, "goes_on.py", folder=scripts, ignored=ignored)
    assert (told.returncode, told.stdout, told.stderr) == (0, "still here\n", NOTHING)
    assert Heartbeat(run_folder.heartbeat).read_wish() != "leave"


PARENT = """
import subprocess, sys
from fitguard.clean_start import words_to_run
words = words_to_run("fitguard.keras.bootstrap")
child = subprocess.Popen([sys.executable, *words, *sys.argv[1:]])
child.wait()
"""
SLEEPING = """
import os, pathlib, time
pathlib.Path("pid").write_text(str(os.getpid()))
pathlib.Path("pid").rename("ready")
time.sleep(60)
"""


def test_it_tells_its_stacks_and_dies_with_its_parent(run_folder, scripts):
    (scripts / "sleeps.py").write_text(SLEEPING)
    (scripts / "parent.py").write_text(PARENT)
    command = [sys.executable, "parent.py", str(run_folder.path), "sleeps.py"]
    parent = start(command, cwd=scripts)
    wait_for((scripts / "ready").exists)
    child = int((scripts / "ready").read_text())
    os.kill(child, STACKS_SIGNAL)
    wait_for(lambda: "sleeps.py" in run_folder.stacks.read_text())
    assert run_folder.stacks.stat().st_mode & 0o777 == 0o600
    assert is_alive(child)
    parent.kill()
    wait_for(lambda: not is_alive(child))


def test_without_orders_it_says_what_is_missing(run_folder, scripts):
    run_folder.orders.unlink()
    told = guarded(run_folder, "any.py", folder=scripts)
    assert told.returncode == 5
    assert "orders.json" in told.stderr
    assert "Expected the orders" in told.stderr


OWN_FAULT = """
from fitguard.keras.fitting.wrapping import current_fits
current_fits().begin("no size")
"""


def test_a_fault_of_fitguard_is_called_so(run_folder, scripts):
    (scripts / "train.py").write_text(OWN_FAULT)
    told = guarded(run_folder, "train.py", "--epochs", "3", folder=scripts)
    assert told.returncode == 1
    assert "keras/snapshots/pacing.py" in told.stderr
    *_, failed = failures(run_folder)
    assert failed.kind == "own-fault"
    assert f"fitguard: {failed.error}\n" in told.stderr
    assert "and not of your script: `python train.py --epochs 3` trains without it" in failed.error
