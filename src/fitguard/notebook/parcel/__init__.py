"""What goes from one process to another, by cloudpickle; large and living things go apart.

packing.py     objects become a stream; unpacking.py the way back
kinds.py       what goes over in a way of its own: arrays.py, models.py, …
originals.py   what came from the other side goes back into the very same object
files.py       where it is: nobody but the user can read or write it
"""
