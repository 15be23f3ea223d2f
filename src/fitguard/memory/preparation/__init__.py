"""From what the user gives to `plan` to a training step that can be traced.

preparing.py       the whole way: `with prepare(model, 64) as prepared`
given.py           x, y and sample_weight, of every kind that `fit` takes, as specs
given_shapes.py    shapes in place of data
specs.py           one array as a spec
own_inputs.py      what the model tells where there are no data
open_axes.py       axes of unknown length
outputs.py         the outputs of the model, and its building
compiling.py       optimizer and loss
choosing_loss.py   a loss for a model that has none
labels.py          labels where none were given
mode.py            XLA or not, and why
step_function.py   a training step that is no model's
step_facts.py      the step in words and numbers
"""

from fitguard.memory.preparation.preparation import Preparation as Preparation
from fitguard.memory.preparation.preparing import prepare as prepare
