"""The main program of a training process: runs the user's script with Keras' `fit` guarded.

    python -m fitguard.keras.bootstrap RUN_FOLDER train.py ARGUMENTS…
    python -m fitguard.keras.bootstrap RUN_FOLDER -m MODULE ARGUMENTS…

The script finds what it would find under plain Python: `__main__`, `sys.argv`, `sys.path`.
"""

import builtins
import contextlib
import ctypes
import faulthandler
import os
import random
import runpy
import signal
import sys
from pathlib import Path
from types import ModuleType, TracebackType

from fitguard.keras.fitting.wrapping import guarding
from fitguard.keras.session import Session, shortened
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import ExitCode, UnreadableInput
from fitguard.schema.journal import Failed

STACKS_SIGNAL = signal.SIGRTMIN + 5
"""Makes the process write down what all its threads are doing."""

_PR_SET_PDEATHSIG = 1
_MORE_OOM_SCORE = 300


def main(arguments: list[str]) -> int:
    """Run the script; what the process shall exit with."""
    folder, *command = arguments
    parent = os.getppid()
    session = Session.of(RunFolder(Path(folder)))
    _die_with_parent(parent)
    _be_killed_first()
    with session.folder.stacks.open("a") as stacks:
        faulthandler.enable()
        faulthandler.register(STACKS_SIGNAL, file=stacks, all_threads=True)
        _seed(session.orders.seed)
        _leave_when_terminated(session)
        with guarding(session):
            return _run(command, session)


def _die_with_parent(parent: int) -> None:
    """A parent that is killed must not leave a training behind that nobody guards."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _be_killed_first() -> None:
    """Where memory runs out, the kernel shall take this process and not the one that guards it."""
    score = Path("/proc/self/oom_score_adj")
    with contextlib.suppress(OSError, ValueError):
        score.write_text(str(min(1000, int(score.read_text()) + _MORE_OOM_SCORE)))


def _leave_when_terminated(session: Session) -> None:
    """A signal that all processes of a job get shall not kill this one before its snapshot."""

    def terminated(number: int, _frame: object) -> None:
        if session.is_here:
            session.heartbeat.wish("leave")
            return
        # A process that the script has forked ends as it would have ended.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, terminated)


def _seed(seed: int) -> None:
    """What the script does not seed itself draws the same in each attempt.

    Without that, a script that splits its data at random would train on its own test data after a
    restart. TensorFlow's seed is left alone: with one, Keras shuffles each epoch in the same order.
    """
    random.seed(seed)
    import numpy as np

    np.random.seed(seed % 2**32)


def _run(command: list[str], session: Session) -> int:
    try:
        if command[0] == "-m":
            _run_module(command[1:])
        else:
            _run_script(Path(command[0]), command[1:])
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        if code:
            session.record(Failed, kind="system-exit", code=code)
        raise
    except KeyboardInterrupt as interrupt:
        _show(interrupt)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException as error:
        session.record(Failed, kind="exception", error=shortened(error))
        _show(error)
        return 1
    return 0


def _run_script(script: Path, arguments: list[str]) -> None:
    sys.path[0] = str(script.resolve().parent)
    sys.argv[:] = [str(script), *arguments]
    module = ModuleType("__main__")
    # A process that the script spawns looks for these.
    module.__dict__.update(__file__=str(script), __builtins__=builtins, __cached__=None)
    sys.modules["__main__"] = module
    code = compile(script.read_bytes(), str(script), "exec")
    exec(code, module.__dict__)


def _run_module(command: list[str]) -> None:
    name, *arguments = command
    sys.argv[:] = ["-m", *arguments]
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def _show(error: BaseException) -> None:
    """Print the traceback as plain Python would, without the frames of this file."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__):
        trace = trace.tb_next
    sys.stdout.flush()
    sys.excepthook(type(error), error.with_traceback(trace), trace)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UnreadableInput as error:
        print(f"fitguard: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(ExitCode.UNREADABLE_INPUT)
