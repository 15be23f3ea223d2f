"""Moves its data into a folder, and dies: a second attempt cannot move them again."""

import os
import shutil
import signal
from pathlib import Path

is_second = Path("store").exists()
Path("store").mkdir()
shutil.move("given.csv", "store")
if not is_second:
    os.kill(os.getpid(), signal.SIGKILL)
