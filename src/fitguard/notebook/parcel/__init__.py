"""What goes from one process to another: values, arrays, models and code, without pickle.

nodes.py       how each kind is written down
packing.py     an object becomes a node; unpacking.py the way back
makers.py      plain values; containers.py; instances.py; arrays.py; frames.py; tensors.py
definitions.py where the source of a function or class is; carried_code.py what else it needs
models.py      Keras models; keras_objects.py layers, losses, optimizers and other parts
"""
