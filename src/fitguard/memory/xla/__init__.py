"""Plans a step that XLA compiles as a whole, on a machine without a GPU.

compiled_step.py  the step as HLO, for small batches
reading.py        two batch sizes -> one graph whose sizes follow the batch
kernels.py        what XLA fuses, and so which values exist in memory
schedule.py       in which order it runs the kernels
timeline.py       what is in memory meanwhile
autotuning.py     what it tries while it compiles
accounting.py     parts, layers and curve
estimator.py      all of it together
"""

from fitguard.memory.xla.compiled_step import NotCompilable as NotCompilable
from fitguard.memory.xla.estimator import xla_estimator as xla_estimator
