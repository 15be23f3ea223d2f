"""The training process of a notebook: what both kinds of work share."""

import signal
import sys
from pathlib import Path
from types import ModuleType

from fitguard.notebook.request import Visit
from fitguard.notebook.settings import write_settings


def arrived(folder: Path) -> Visit:
    """What the kernel sent, in the surroundings that the kernel had."""
    # The kernel is interrupted with all of its group: it decides what that means for us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Names of the user's must not meet those of the program that runs this.
    main = ModuleType("__main__")
    sys.modules["__main__"] = main
    visit = Visit(folder, main)
    known = set(sys.path)
    sys.path.extend(path for path in visit.surroundings["path"] if path not in known)
    write_settings(visit.surroundings["settings"])
    return visit
