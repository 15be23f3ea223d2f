"""`--measure`: steps run on the GPU under memory limits, in child processes; kept for later plans.

measurements.py   the whole of it: what a draft asks for
measuring.py      one child with room, then a few under limits
bisection.py      which limit to try next
trial.py          one child process, from the side of the parent
request.py        what parent and child tell each other
sending.py        the model on its way to the child: a `.keras` file
data_specs.py     specs of the data as JSON
child.py          the child process: three steps of training
confinement.py    the memory limit, inside of the child
random_batch.py   random data for these specs
this_gpu.py       the GPU that a child will use
fingerprint.py    which step it is, whatever its layers are called
store.py          measurements in the user's cache folder
sharpened.py      an estimator that knows measurements
"""
