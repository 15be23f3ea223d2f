"""Where the runs of a fleet are kept: a folder that all nodes share, or what fsspec reaches.

    opening.py         from what `--storage` says to one of the two; what both can do
    shared_folder.py   a folder that all nodes see: they train in it
    remote.py          s3://, gs://, …: they train in a folder of their own, and copies go there
    beginning.py       which node marks it at the start, and tells how the runs stand

What is remote is no file system. Nothing is locked or renamed there, and it may be away:

    bucket.py          reads and writes it, and says what went wrong
    manifest.py        what is in a copy, and which copy counts: pure
    catalog.py         the copies of a run that are there
    node_folder.py     the folder of this node, and whether it has what the storage has
    pulling.py         the newest whole copy, into that folder
    mirroring.py       a copy after each snapshot, in a thread
    pausing.py         how long to wait before the next try
    fetching.py        a copy for somebody who wants to look at it
    content.py         which files belong into a copy
"""
