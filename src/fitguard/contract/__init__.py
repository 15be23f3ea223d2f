"""All that is not public in Keras and TensorFlow, and nothing else knows it.

libraries.py   which Keras is here: one description for all rooms
"""
