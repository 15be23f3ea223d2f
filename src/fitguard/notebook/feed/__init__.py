"""A `tf.data` pipeline that stays in the kernel: its batches go to the training process.

fed.py         one dataset of the kernel's, which can give each of its iterators again
serving.py     the kernel's side: a thread for each iterator of the training process
sending.py     what the training process gets in place of the dataset
receiving.py   the dataset over there, which asks for an iterator when it is read
slots.py       the shared memory that batches lie in

For each iterator there is a connection. The training process tells which iterator of which dataset
it wants; the kernel writes batches into slots and sends where they lie; the training process says
when it has read one, and its slot is free again. Whoever dies closes the connection with it: the
other sees the end of it, and never waits.
"""
