"""While TensorFlow's C++ is loading, it waits for a signal."""

import os
import signal
import sys

told, tell = os.pipe()
begun = []


def wait_for_signal(event, arguments):
    # Only a library of pybind11 that is being loaded makes this type.
    if event == "object.__setattr__" and "pybind11" in str(arguments[2:]) and not begun:
        begun.append(event)
        os.set_blocking(tell, False)
        signal.set_wakeup_fd(tell)
        os.write(1, b"C++ is loading\n")
        os.read(told, 1)


sys.addaudithook(wait_for_signal)
try:
    import tensorflow  # noqa: F401
finally:
    sys.stdout.write("finally\n")
