"""Guarded training from a notebook: `fitguard.fit` and `%%guard`.

The kernel packs what the training needs into a folder, a child under the supervisor trains, and
the kernel takes the end state over. No object crosses by pickle.

parcel/        what goes over: values as JSON and .npy files, code as source
fitting.py     `fitguard.fit`
magics.py      `%%guard`; cell.py what a cell uses and assigns
supervised.py  the supervisor in a thread, so that the kernel can be interrupted
child.py       what the supervisor runs; training.py and running.py are its two kinds of work
"""
