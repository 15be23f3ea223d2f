"""The command line as a user calls it: a real process."""

import os
import subprocess
import sys
from pathlib import Path

FITGUARD = str(Path(sys.executable).with_name("fitguard"))


def fitguard(*arguments, cwd=None, stdin=None, **environment):
    """Run `fitguard` with these arguments, with text or bytes on its standard input."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [FITGUARD, *map(str, arguments)],
        input=data if data is not None else b"",
        capture_output=True,
        check=False,
        timeout=300,
        cwd=cwd,
        env={**os.environ, **environment},
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )
