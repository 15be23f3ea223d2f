"""What can go wrong while a training runs, one file for each: a flight record in, alerts out.

Pure, as checks are: no clock, no file, no process. The docstring of a detector is its page, and
says how it judges. `framework/settings.py` has all thresholds, with their reasons.
"""
