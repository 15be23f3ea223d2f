"""`fitguard.check`: machine, data and memory of a training looked at together, before it starts.

checking.py   a model with its data: `check(model, x, y)`
script.py     a script: its fits are looked at in a child process, whose death is a result
child.py      that process
request.py    what the two tell each other
writing.py    callbacks that could not write their files
naming.py     checkpoints whose files could not be named
verdict.py    pure: what was found in, one verdict and what to do next out

`fitguard probe --like`: the kernels that a script uses, probed alone.

probing_like.py     the door
layers.py           in the child: the layers of a `fit`, seen while its step is traced
layer_arguments.py  how a layer can be made again
kernel.py           one layer, as it is made and called
reproducing.py      the failure of one as a script for a bug report
"""
