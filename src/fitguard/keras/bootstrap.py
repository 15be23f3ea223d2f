"""The main program of a training process: runs the user's script with Keras' `fit` guarded.

    python clean_start.py fitguard.keras.bootstrap RUN_FOLDER train.py ARGUMENTS…
    python clean_start.py fitguard.keras.bootstrap RUN_FOLDER -m MODULE ARGUMENTS…

The script finds what it would find under plain Python: `__main__`, `sys.argv`, `sys.path`.
"""

import atexit
import builtins
import contextlib
import faulthandler
import os
import random
import runpy
import signal
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

from fitguard.contract.random_state import seed_new_generators
from fitguard.keras.fitting.guarded_fits import GuardedFits
from fitguard.keras.fitting.wrapping import guarding
from fitguard.keras.own_faults import own_fault, words_for
from fitguard.keras.refused import Refused
from fitguard.keras.session import Session
from fitguard.keras.sources import watch_sources
from fitguard.keras.standard_input import keep_standard_input
from fitguard.keras.termination import Terminated, end_without_threads, leave_when_terminated
from fitguard.keras.tracebacks import show
from fitguard.keras.world import watching
from fitguard.kernel import end_with_parent
from fitguard.monitor.regular_files import open_regular
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.signals import STACKS_SIGNAL
from fitguard.schema.exit_codes import ExitCode, UnreadableInput
from fitguard.schema.journal import OWN_FAULT, SYSTEM_EXIT, Failed

_MORE_OOM_SCORE = 300
_OURS = "fitguard."
"""Modules that run what a notebook sends: where to look for others, the kernel tells."""


def main(arguments: list[str]) -> int:
    """Run the script; what the process shall exit with."""
    folder, *command = arguments
    parent = os.getppid()
    session = Session.of(RunFolder(Path(folder)))
    _die_with_parents({parent, session.orders.parent} - {0})
    _be_killed_first()
    _tell_stacks(session.folder.stacks)
    _seed(session.orders.seed)
    leave_when_terminated(session.heartbeat, session.orders.preempt_signals)
    keep_standard_input(session.say)
    guard = contextlib.ExitStack()
    # After the end of all threads, and of what the script itself has registered: they may train.
    atexit.register(guard.close)
    guard.enter_context(watching(session))
    fits = guard.enter_context(guarding(session))
    watch_sources()
    try:
        code = _run(command, session)
    except Terminated:
        # The end of a `fit` may still be on its way to the disk.
        fits.writer.wait()
        end_without_threads()
        raise
    except SystemExit as leaving:
        if leaving.code:
            raise
        code = 0
    if code == 0 and session.orders.require_guard:
        return _require_guarded(fits, session)
    if code == 0:
        guard.callback(fits.tell_if_none)
    return code


def _require_guarded(fits: GuardedFits, session: Session) -> int:
    """A script that has ended well, and that nothing guarded, fails all the same."""
    try:
        fits.tell_if_none()
    except Refused as refused:
        session.record(Failed, kind=SYSTEM_EXIT, code=refused.code, error=str(refused))
        return int(ExitCode.GATE_FAILED)
    return 0


def _die_with_parents(parents: set[int]) -> None:
    """A parent that is killed must not leave a training behind that nobody guards.

    Args:
        parents: Who started this process, and who guards it: two, where `python` is a script.
    """
    end_with_parent(signal.SIGKILL)
    if any(_is_gone(parent) for parent in parents):
        os.kill(os.getpid(), signal.SIGKILL)


def _is_gone(pid: int) -> bool:
    """Whether a process has ended; also one that nobody has waited for."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return Path("/proc/self/stat").exists()
    except OSError:
        return False
    return state in ("Z", "X")


def _be_killed_first() -> None:
    """Where memory runs out, the kernel shall take this process and not the one that guards it."""
    score = Path("/proc/self/oom_score_adj")
    with contextlib.suppress(OSError, ValueError):
        score.write_text(str(min(1000, int(score.read_text()) + _MORE_OOM_SCORE)))


def _tell_stacks(path: Path) -> None:
    """Where a signal asks for it, write down what all threads do."""
    faulthandler.enable()
    with contextlib.suppress(OSError):
        # Open until the end: a process may hang while it ends.
        file = os.fdopen(open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a")
        faulthandler.register(STACKS_SIGNAL, file=file, all_threads=True)


def _seed(seed: int) -> None:
    """What the script does not seed itself draws the same in each attempt.

    Without that, a script that splits its data at random would train on its own test data after a
    restart. TensorFlow's seed is left alone: with one, Keras shuffles each epoch in the same order.
    """
    random.seed(seed)
    import numpy as np

    np.random.seed(seed % 2**32)
    seed_new_generators(seed)


def _run(command: list[str], session: Session) -> int:
    try:
        if command[0] == "-m":
            _run_module(command[1:])
        else:
            _run_script(*command)
    except Terminated:
        raise
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        if code:
            why = str(leaving) if isinstance(leaving, Refused) else ""
            session.record(Failed, kind=SYSTEM_EXIT, code=code, error=why)
        raise
    except KeyboardInterrupt as interrupt:
        show(interrupt)
        # Python itself ends by the signal, once it has run what shall run at the end.
        sys.excepthook = lambda *_: None
        raise
    except BaseException as error:
        session.record_failure(error, kind="exception")
        place = own_fault(error)
        show(error, whole=bool(place))
        if place:
            session.record(Failed, kind=OWN_FAULT, error=words_for(place))
            session.say(words_for(place))
        return 1
    return 0


def _run_script(given: str, *arguments: str) -> None:
    script = Path(given)
    _put_first(str(script.resolve().parent))
    sys.argv[:] = [given, *arguments]
    file = given if script.is_absolute() else f"{Path.cwd()}/{given}"
    module = _new_main()
    # A process that the script spawns looks for these.
    module.__dict__.update(
        __file__=file, __loader__=SourceFileLoader("__main__", file), __cached__=None
    )
    code = compile(script.read_bytes(), file, "exec", dont_inherit=True)
    exec(code, module.__dict__)


def _run_module(command: list[str]) -> None:
    name, *arguments = command
    sys.argv[:] = ["-m", *arguments]
    if not name.startswith(_OURS):
        with contextlib.suppress(FileNotFoundError):  # the current folder may be gone
            _put_first(os.getcwd())  # noqa: PTH109
    _new_main()
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def _put_first(folder: str) -> None:
    """Where Python looks for modules first, unless the user has forbidden it."""
    if not sys.flags.safe_path:
        sys.path.insert(0, folder)


def _new_main() -> ModuleType:
    """The script shall not find the names of this file."""
    module = ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __annotations__={})
    sys.modules["__main__"] = module
    return module


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UnreadableInput as error:
        print(f"fitguard: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(ExitCode.UNREADABLE_INPUT)
