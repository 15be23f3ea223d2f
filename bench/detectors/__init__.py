"""Simulated trainings for the detectors: healthy ones of many kinds, and leaks put into them."""
