"""`--tensorboard`: a process beside the run writes its scalars."""

import contextlib
import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from fitguard.clean_start import words_to_run
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.orphans import STARTING
from fitguard.words import short

_LAST_SECONDS = 10.0
_LONGEST = 300


def require_tensorboard() -> None:
    """Say at once that it is missing.

    Raises:
        UsageError: where it is.
    """
    if importlib.util.find_spec("tensorboard") is None:
        raise UsageError(
            "--tensorboard needs the package tensorboard, which is not installed here. Install it: "
            "pip install 'fitguard[tensorboard]'"
        )


@contextlib.contextmanager
def writing_board(
    logs: Path, folder: RunFolder, say: Callable[[str], None], spare: Callable[[int], None]
) -> Iterator[None]:
    """Write scalars while it lasts.

    Args:
        spare: Told of the process: it is no helper of the training.
    """
    words = words_to_run("fitguard.monitor.board_writer")
    with STARTING:
        process = subprocess.Popen(
            [sys.executable, *words, str(folder.path.absolute()), str(logs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        spare(process.pid)
    try:
        yield
    finally:
        try:
            _, said = process.communicate(timeout=_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            _, said = process.communicate()
        if process.returncode != 0:
            last = said.decode(errors="replace").strip().rpartition("\n")[2]
            say(f"--tensorboard failed: {short(last, _LONGEST) or 'it was too slow'}.")
