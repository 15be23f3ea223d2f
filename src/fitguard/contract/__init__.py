"""All that is not public in Keras and TensorFlow, and nothing else knows it.

libraries.py       which Keras is here: one description for all rooms
random_sources.py  generators of random numbers: their state, read and put back
random_state.py    the global ones among them
name_counters.py   behind automatic names of layers
model_parts.py     which classes are parts of a model
runtime.py         devices and determinism of TensorFlow
traces.py          what a `tf.function` has traced
graphs.py          what is in a graph, and what Grappler and XLA make of it
gpu_presence.py    lets Keras trace as it would beside a GPU
deep_child.py      runs in the user's interpreter: what TensorFlow says there
"""
