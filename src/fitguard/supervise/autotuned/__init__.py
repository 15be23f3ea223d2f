"""XLA's autotuning results, from one process that trains to the next.

XLA tries many kernels before the first step, in each process anew. It can write down what it found,
and begin with what is written.

giving.py         what an attempt gets, and what it leaves; the door of the room
choosing.py       the files of one run: which is the newest whole one
kept.py           what later runs get, in the user's cache folder
circumstances.py  what must be the same, in a digest
results.py        whether XLA can read such a file
flags.py          flags of ours beside those of the user
"""
