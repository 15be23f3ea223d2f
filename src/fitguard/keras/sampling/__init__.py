"""What is measured inside of the training process, ten times a second.

step_meter.py   what a step took: time, wait for data, memory between steps
allocator.py    what TensorFlow's allocator tells
sampler.py      the thread that writes both into the flight record
"""

from fitguard.keras.sampling.allocator import read_allocator
from fitguard.keras.sampling.sampler import TrainingSampler

__all__ = ["TrainingSampler", "read_allocator"]
