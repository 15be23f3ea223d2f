"""All that is not public in Keras and TensorFlow, and nothing else knows it.

libraries.py       which Keras is here: one description for all rooms
layers.py          layers inside of layers, and what symbolic tensors come from
nodes.py           the calls that a functional model is made of
compiling.py       what `compile` was given, and what Keras made of it
optimizers.py      optimizers make their variables late
held_variables.py  where objects of Keras hold their variables
callbacks.py       backups, progress bars, TensorBoard
saving.py          what a config names, and how it writes lambdas
replacing.py       another value for an attribute, for a while
"""
