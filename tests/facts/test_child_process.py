import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from programs import LONGEST_SECONDS, is_alive, wait_for

from fitguard.facts import child_process
from fitguard.facts.child_process import KEPT_BYTES, Outcome


def run_python(code: str, limit_seconds: float = LONGEST_SECONDS) -> Outcome:
    return child_process.run([sys.executable, "-c", code], os.environ, limit_seconds)


def run_until_it_says_something(code: str) -> Outcome:
    """What never ends, with a limit behind its first words: a busy machine takes long to them."""
    outcomes = (run_python(code, limit_seconds) for limit_seconds in (0.5, 2, 8, 32, 128))
    return next(outcome for outcome in outcomes if outcome.stdout)


def test_output_and_exit_code() -> None:
    outcome = run_python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)")
    assert outcome == Outcome(b"out\n", b"err\n", 7)


def test_the_environment_is_the_given_one() -> None:
    code = "import os; print(os.environ.get('FITGUARD_TEST'), 'HOME' in os.environ)"
    outcome = child_process.run([sys.executable, "-c", code], {"FITGUARD_TEST": "yes"}, 10)
    assert outcome.stdout == b"yes False\n"


def test_a_signal_is_a_negative_code() -> None:
    assert run_python("import os; os.kill(os.getpid(), 11)").exit_code == -signal.SIGSEGV


def test_what_hangs_and_ignores_sigterm_is_stopped() -> None:
    outcome = run_until_it_says_something(
        "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True);"
        "time.sleep(600)"
    )
    assert outcome.timed_out
    assert outcome.exit_code == -signal.SIGKILL
    assert outcome.stdout == b"1\n"


def test_what_closes_its_output_and_hangs_is_stopped() -> None:
    outcome = run_python("import os, time; os.close(1); os.close(2); time.sleep(600)", 0.5)
    assert outcome.timed_out


def test_much_output_ends_well_and_its_end_is_kept() -> None:
    outcome = run_python(
        "import sys\n"
        "for stream in (sys.stdout, sys.stderr):\n"
        "    for _ in range(40_000): print('y' * 999, file=stream)\n"
        "    print('last words', file=stream)"
    )
    assert (outcome.exit_code, outcome.timed_out) == (0, False)
    for kept in (outcome.stdout, outcome.stderr):
        assert len(kept) == KEPT_BYTES
        assert kept.endswith(b"y\nlast words\n")


def test_endless_output_ends_at_the_time_limit() -> None:
    outcome = run_until_it_says_something("while True: print('y' * 1000)")
    assert outcome.timed_out
    assert 0 < len(outcome.stdout) <= KEPT_BYTES


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_while_waiting_leaves_no_child(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    body = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid()));time.sleep(600)"

    def interrupt() -> None:
        while not note.exists() or not note.read_text():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        run_python(body)
    wait_for(lambda: not is_alive(int(note.read_text())))


@pytest.mark.parametrize("escapes", [False, True])
def test_a_descendant_that_holds_the_pipe_does_not_hang_us(escapes: bool) -> None:
    outcome = run_python(
        "import subprocess, sys;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
        f"                        start_new_session={escapes});"
        "print(child.pid, flush=True)"
    )
    assert outcome.exit_code == 0
    assert not outcome.timed_out
    descendant = int(outcome.stdout)
    if escapes:
        os.kill(descendant, signal.SIGKILL)
    wait_for(lambda: not is_alive(descendant))


def test_what_cannot_start_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        child_process.run([str(tmp_path / "nothing")], {}, 1)
