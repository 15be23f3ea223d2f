"""The keeping of Python state: one walk over objects, one codec, one table of kinds.

For snapshots, from one process into another:
    keeper.py      the state of a training: as it was when its step was traced, and now
    graph.py       the walk: all objects that can be reached and changed, each with the way to it
    picture.py     their state as plain data and arrays, and back
    kinds.py, containers.py, iterators.py, objects.py, code_kinds.py, numbers.py
                   how objects of each kind are read, and written in place
    unkept.py      what can be reached and cannot be kept
    values.py, dtypes.py
                   the codec: values as JSON and arrays

Inside of one process, around code of the user's that is run only to look at it:
    keep.py        puts back what the code has changed
    reach.py       the same walk, into objects of libraries too

Into another process at once:
    culprit.py, not_carried.py, carried_sources.py
                   which part of an object cannot go over, what is said of it; the source of code

    users.py, code.py, bulk.py
                   whose code it is, what it names, and what is taken for data
"""
