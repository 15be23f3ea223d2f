"""The guarded `fit`.

wrapping.py        puts itself around Keras' methods as soon as the script loads them
guarded_fits.py    numbers the `fit` calls of the process; holds what they share
guarded_call.py    one of them: resume, snapshots between steps, the end
recording.py       state into a snapshot, and back; resuming.py in another process
ending.py          the end of a call that an earlier attempt has finished
step.py            Keras' train function, and what happens where it runs out of memory
step_start.py      what a step that did not fit is taken back to
first_choice.py    how batches are trained at first; first_rows.py asks what was ordered,
                   remembered_rows.py, and planned_rows.py
on_batch.py        `train_on_batch` in a loop of the user's own
growing.py         whether there is more memory than when a batch was split
shortage.py        why nothing smaller fits either, and what would
evaluation.py      `evaluate` and `predict`, which may need smaller pieces.py as well
"""
