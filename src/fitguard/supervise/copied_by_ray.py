"""Folders that Ray makes for `ray job submit --working-dir`: copies of one folder of the user.

Each submission of changed files has a new one, beside those of earlier submissions.
"""

import itertools
from pathlib import Path

_FOLDER = "working_dir_files"
_PACKAGE = "_ray_pkg_"


def find_place_in_copy(folder: Path) -> Path | None:
    """Where in the user's folder this is; None where it is not in such a copy."""
    parts = folder.parts
    for index, (outer, inner) in enumerate(itertools.pairwise(parts)):
        if outer == _FOLDER and inner.startswith(_PACKAGE):
            return Path(*parts[index + 2 :])
    return None
