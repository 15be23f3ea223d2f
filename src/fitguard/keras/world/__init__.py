"""The world beside the model: files and folders that a run makes, changes and removes.

A restart runs the script from its top, on a disk that earlier attempts have changed. Two things
make that as if nothing had happened:

    until a moment is restored    what the script does finds what the first attempt found: a folder
                                  that an earlier attempt made counts as new, a log that it appended
                                  to has its old length
    when a moment is restored     files are put back as they were at that moment

What is seen: watching (audit events), c_writers (TensorFlow and h5py, of which these do not tell),
named (looks into folders), territory (which paths count), ledger (on the disk at once).
What is done: rewinding (logs), replaying (functions of `os` that would fail) by replay; contents
(copies in the run folder), putting_back, aside, open_files; failing (what could not be treated).
"""

from fitguard.keras.world.world import (
    World,
    fit_begins,
    flush_files,
    read_files,
    watching,
    write_files,
)

__all__ = ["World", "fit_begins", "flush_files", "read_files", "watching", "write_files"]
