"""Runs the user's Python code, and puts back all that it could change.

reach.py      what code can reach: closures, globals, attributes
bulk.py       long lists of samples among it
keep.py       keeping it all
restores.py   putting single objects back
"""
