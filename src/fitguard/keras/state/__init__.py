"""All that the next step depends on, as plain data and arrays.

model_state.py     the variables of a model, its optimizers, metrics and generators
walk.py            their names: the way that leads to each
tensors.py         one variable: read it, write it, on every replica
callbacks.py       what callbacks remember
callback_kinds.py  callbacks that need more than their attributes
randomness.py      the global generators of random numbers
"""
