"""Python runs this at the start of each program that a test starts: `conftest.py` sets the path.

Of the seconds in which a process imports TensorFlow and ends, garbage collection takes 40 percent:
it looks again and again at a million objects of modules, which stay.
"""

import atexit
import gc

gc.set_threshold(20_000)
# Runs last, since it was registered first: behind it, Python only takes its modules down.
atexit.register(gc.freeze)
