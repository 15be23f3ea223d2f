"""All that is not public in Keras and TensorFlow, and nothing else knows it.

libraries.py      which Keras is here: one description for all rooms
data_adapters.py  what a data adapter of Keras was given
datasets/         what a dataset of tf.data is made of
determinism.py    whether TensorFlow computes the same each time
"""
