"""A script that cannot work, however often it is started."""

import sys

with open(sys.argv[1], "a") as tries:  # noqa: PTH123
    tries.write("tried\n")
raise ValueError("this script is wrong")
