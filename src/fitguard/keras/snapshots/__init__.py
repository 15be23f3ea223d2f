"""Snapshots on the disk: one file each, atomic and checksummed, free of pickle.

content.py  what one holds
file.py     the format: write one, read one
store.py    the folder: which are kept, which is the newest that is whole
writer.py   the thread that writes while training goes on
pacing.py   when the next one is due, so that all of them cost next to nothing
"""
