"""Snapshots on the disk: one file each, atomic and checksummed, free of pickle.

content.py    what one holds
file.py       write one, read one; heading.py, raw_bytes.py the format, flushing.py onto the disk
inventory.py  what lies in which file: arrays that did not change are not written again
aside.py      what is of another training, or broken: kept, and found again
store.py      the folder: which are kept, which is the furthest on that is whole
writer.py     the thread that writes while training goes on
pacing.py     when the next one is due, so that all of them cost next to nothing
"""
