"""All that is not public in Keras and TensorFlow, and nothing else knows it.

libraries.py       which Keras is here: one description for all rooms

hooks.py           what a hook is; catalog.py: all of them
verifying.py       whether they are as expected here
patching.py        puts functions of fitguard in their place

epoch_data.py      what Keras reads the batches of a `fit` from
training2.py       what a training step of Keras 2 is made of; training3.py: one of Keras 3
compiling.py       what `compile` was given, and what Keras made of it
layers.py          layers inside of layers, and what symbolic tensors come from
nodes.py           the calls that a functional model is made of
optimizers.py      optimizers make their variables late
held_variables.py  where objects of Keras hold their variables
model_parts.py     which classes are parts of a model
name_counters.py   behind automatic names of layers
multi_worker.py    what Keras cannot do with several workers, and how long they wait
callbacks.py       backups, progress bars, TensorBoard
saving.py          what a config names, and how it writes lambdas

datasets/          what a dataset of tf.data is made of
random_sources.py  generators of random numbers: their state, read and put back
random_state.py    the global ones among them
replicas.py        the shares that the replicas of a strategy have of a batch
runtime.py         devices, seed and determinism of TensorFlow
traces.py          what a `tf.function` has traced
own_functions.py   the code of a `tf.function` of the user's, and what it may use from anywhere
graphs.py          what is in a graph, and what Grappler and XLA make of it
gpu_presence.py    lets Keras trace as it would beside a GPU
deep_child.py      runs in the user's interpreter: what TensorFlow says there
"""
