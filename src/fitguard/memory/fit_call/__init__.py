"""Finds the `fit` call of a script by running it up to there.

finding.py    the whole of it: `find_fit_call(Path("train.py"))`
catching.py   what happens where the script would begin to train
compiles.py   what `compile` was given
elsewhere.py  scripts that train in a thread or in a child process
"""

from fitguard.memory.fit_call.finding import FitCall as FitCall
from fitguard.memory.fit_call.finding import find_fit_call as find_fit_call
