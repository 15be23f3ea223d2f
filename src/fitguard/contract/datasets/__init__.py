"""All that is not public in `tf.data`: what a dataset is made of, seen without running it.

stages.py              the stages of a dataset: one description for all who look into a pipeline
functions.py           the traced functions of a stage
operations.py          the operations in them
captured_variables.py  the variables that they have captured
classes.py             the classes of tf.data by name
rebuilding.py          one stage, made once more
distributed.py         the dataset behind a distributed one
iterators.py           the end of an iterator
"""
