"""Guarded training from a notebook: `fitguard.fit` and `%%guard`.

The kernel packs what the training needs into a folder, a child under the supervisor trains, and
the kernel takes the end state over.

fitting.py         `fitguard.fit`; data.py what may be given to it
magics.py          `%%guard`; cell_names.py and names_used.py what a cell uses and assigns
request.py         what goes over, and the answer; parcel/ how each kind of object does
feed/              datasets that stay in the kernel
settings.py        of Keras and TensorFlow; kernel_gpu.py leaves the GPU to the training
supervised.py      the supervisor in a thread, so that the kernel can be interrupted

In the training process: child.py, fit.py and cell.py, the two that the supervisor runs, and
prepared_fits.py, carried_globals.py.
"""
