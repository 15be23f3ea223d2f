"""The last lines that a training wrote, as a terminal would show them."""

import contextlib

from fitguard.monitor.regular_files import read_end
from fitguard.monitor.run_folder import RunFolder
from fitguard.report.privacy.redaction import UNSEEN
from fitguard.words import without_escapes

MOST_LINES = 40
_MOST_BYTES = 1 << 16
_LONGEST = 500


def read_output_end(folder: RunFolder, most_lines: int = MOST_LINES) -> tuple[str, ...]:
    """The newest last; nothing where nothing was written, or no output can be read."""
    data = b""
    for path in (folder.output, folder.older_output):
        if data.count(b"\n") < most_lines:
            with contextlib.suppress(OSError):
                data = read_end(path, _MOST_BYTES) + data
    lines = map(_show_line, data.decode("utf-8", "replace").split("\n"))
    return tuple([line for line in lines if line][-most_lines:])


def _show_line(line: str) -> str:
    """What is left of a progress bar that was drawn over itself, without what a terminal obeys."""
    written = [part for part in line.split("\r") if part.strip("\b ")]
    return UNSEEN.sub("", without_escapes(written[-1] if written else ""))[:_LONGEST].rstrip()
