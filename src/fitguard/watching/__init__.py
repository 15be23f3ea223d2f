"""`fitguard watch`: a training while it runs, out of the files of its run.

    choosing.py       which run is meant, or which process
    glance.py         a run folder ──> the document Watch
    process_glance.py a process that nobody guards ──> the same
    kept.py           answers that are not made anew for each who asks
    watch.py          the same again and again; the door of the room

It writes nothing, and asks no process of a run: so it can look at one of another host through its
folder.
"""
