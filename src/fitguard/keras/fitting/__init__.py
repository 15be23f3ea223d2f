"""The guarded `fit`.

wrapping.py        puts itself around Keras' methods as soon as the script loads them
guarded_fits.py    numbers the `fit` calls of the process; holds what they share
guarded_call.py    one of them: resume, snapshots between steps, the end
recording.py       state into a snapshot, and back
step.py            Keras' train function, and what happens where it runs out of memory
first_rows.py      the micro-batch to begin with
evaluation.py      `evaluate` and `predict`, which may need smaller pieces as well
"""
