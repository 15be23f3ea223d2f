"""A hook of mkdocs: runs the commands of a page while the documentation is built.

`<!-- run: fitguard resolve --what-if tf=2.10 -->` becomes the command and what it prints;
`<!-- run 12: … -->` shows the first 12 lines of it. Only for commands that need no TensorFlow:
`scripts/record.py` records those that train.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from mkdocs.exceptions import PluginError

TREE = Path(__file__).resolve().parent.parent
COLUMNS = "88"
_MARK = re.compile(r"^<!-- run(?: (\d+))?: (fitguard .+?) -->$", re.M)
_ANSWERS = (0, 3)
"""Exit codes with which a command has answered."""


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put a console block where a page asks for one."""
    return _MARK.sub(lambda match: _run(match[2], match[1]), markdown)


def _run(command: str, shown: str | None) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        capture_output=True,
        text=True,
        cwd=TREE,
        env={**os.environ, "COLUMNS": COLUMNS, "NO_COLOR": "1"},
        timeout=60,
    )
    if done.returncode not in _ANSWERS:
        raise PluginError(f"$ {command}\nexit code {done.returncode}\n{done.stderr}")
    lines = done.stdout.rstrip().splitlines()
    if shown and len(lines) > int(shown):
        lines = [*lines[: int(shown)], "…"]
    return "\n".join(["```console", f"$ {command}", *lines, "```"])
