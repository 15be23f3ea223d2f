"""No training: it writes its number, waits for a file, and ends."""

import os
import sys
import time
from pathlib import Path

Path(sys.argv[1]).write_text(str(os.getpid()))
while not Path(sys.argv[2]).exists():
    time.sleep(0.05)
