"""The folder of a run as it is at one moment, while the training goes on."""

import contextlib
import errno
import shutil
from collections.abc import Iterator
from pathlib import Path

from fitguard.monitor.regular_files import make_folder
from fitguard.monitor.run_folder import RunFolder

_TRIES = 20
_UNFINISHED = ".part"
"""How files end that are being written."""


@contextlib.contextmanager
def linking_run(folder: RunFolder, copy: Path) -> Iterator[Path]:
    """What a resume needs of a run, in a place where nothing is removed or changed.

    Args:
        copy: That place; it is gone afterward.

    Raises:
        OSError: where that cannot be done; with EAGAIN, where snapshots change too fast for it.
    """
    within = copy.parents[1]  # the run folder, or that of the node
    shutil.rmtree(copy, ignore_errors=True)
    try:
        for _ in range(_TRIES):
            before = _list_files(folder.snapshots)
            make_folder(copy, within)
            for tree in (folder.files, folder.snapshots):
                _link_tree(tree, copy / tree.name)
            if _list_files(folder.snapshots) == before:
                break
            # A file that went while others were linked may be one that these need.
            shutil.rmtree(copy)
        else:
            # Without them, it would look like a run that somebody has removed.
            raise OSError(errno.EAGAIN, "its snapshots changed while they were linked")
        # After the snapshots: it may tell of more than these, and never of less.
        for file in (folder.journal, folder.orders, folder.deeds):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(file, copy / file.name)
        yield copy
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def _list_files(tree: Path) -> list[Path]:
    return sorted(
        path
        for path in tree.rglob("*")
        if path.suffix != _UNFINISHED and path.is_file() and not path.is_symlink()
    )


def _link_tree(source: Path, target: Path) -> None:
    """Hard links to all files; copies where the file system has no links."""
    for path in _list_files(source):
        place = target / path.relative_to(source)
        make_folder(place.parent, target.parent)
        with contextlib.suppress(FileNotFoundError):  # it was removed meanwhile
            try:
                place.hardlink_to(path)
            except FileNotFoundError:
                raise
            except OSError:
                shutil.copyfile(path, place)
