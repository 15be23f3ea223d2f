"""All that the next step depends on, as plain data and arrays.

variables.py       the variables of a model, its optimizers, metrics and generators
walk.py            their names: the way that leads to each
tensors.py         one variable: read it, write it, on every replica
callbacks.py       what callbacks remember
attributes.py      the attributes of an object
callback_kinds.py  callbacks that need more than their attributes
randomness.py      the global generators of random numbers
plain.py           Python values as JSON, typed, so that they come back as they were
"""
