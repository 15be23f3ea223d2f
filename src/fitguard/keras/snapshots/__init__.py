"""Snapshots on the disk: one file each, atomic and checksummed, free of pickle.

content.py    what one holds
file.py       write one, read one; the format is in monitor/snapshot_heading.py
inventory.py  what lies in which file: arrays that did not change are not written again
aside.py      what is of another training, or broken: kept, and found again
budget.py     how much of the disk they take
store.py      the folder: which are kept, which is the furthest on that is whole
rooms.py      memory of earlier snapshots, for the next
writer.py     the thread that writes while training goes on
pacing.py     when the next one is due, so that all of them cost next to nothing
"""
