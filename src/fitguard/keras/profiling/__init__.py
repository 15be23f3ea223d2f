"""`fitguard run --profile`: a trace of a few steps at the right moment, and what it says.

profiler.py      takes it, between two steps
time_shares.py   pure: events in, shares of the time out
"""

from fitguard.keras.profiling.profiler import Profiler

__all__ = ["Profiler"]
