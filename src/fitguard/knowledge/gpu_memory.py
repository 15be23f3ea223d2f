"""How much of a GPU's memory a training can have: what is shown of it, and what is kept back."""

from functools import cached_property

import msgspec

from fitguard.knowledge.gpus import GpuModel
from fitguard.knowledge.table import Table

_MIB = 2**20
_GIB = 2**30
_OLDEST, _NEWEST = 6, 9
"""TensorFlow leaves as much free on older and newer GPUs as on those of these capabilities."""


class ShownMemory(msgspec.Struct, frozen=True):
    """What the driver shows of a GPU that is sold with more."""

    name: str
    mib: int
    source: str


class Reserve(msgspec.Struct, frozen=True):
    """A part of the memory that TensorFlow's allocator does not get."""

    name: str
    value: int
    unit: str
    source: str


class GpuMemory:
    """Sizes of GPUs, and what is lost of them."""

    @cached_property
    def shown_table(self) -> Table[ShownMemory]:
        """Sizes that differ from those in the shop."""
        return Table("gpu_memory_shown", ShownMemory)

    @cached_property
    def reserves_table(self) -> Table[Reserve]:
        """What is kept back."""
        return Table("gpu_memory_reserves", Reserve)

    def sizes_bytes(self, model: GpuModel) -> tuple[int, ...]:
        """The sizes that nvidia-smi may show for this model, the smallest first."""
        shown = tuple(row.mib * _MIB for row in self.shown_table.rows if row.name == model.name)
        return shown or tuple(sorted(int(size * _GIB) for size in model.memory_gib))

    @property
    def context_bytes(self) -> int:
        """What CUDA takes in each process, before any library is loaded."""
        return self._reserve("context") * _MIB

    def driver_bytes(self, memory_bytes: int) -> int:
        """What the driver keeps for itself of a GPU with this memory."""
        share = memory_bytes * self._reserve("driver-share") // 1000
        return self._reserve("driver") * _MIB + share

    def left_free_bytes(self, available_bytes: int, capability_major: int) -> int:
        """What TensorFlow leaves free of what it finds, for libraries such as cuDNN."""
        if available_bytes < 2 * _GIB:
            return self._reserve("left-free-of-less-than-2-gib") * _MIB
        major = min(max(capability_major, _OLDEST), _NEWEST)
        return self._reserve(f"left-free-{major}") * _MIB

    def usable_bytes(self, free_bytes: int, capability_major: int) -> int:
        """What TensorFlow's allocator can have where this much is free."""
        available = free_bytes - self.context_bytes
        return max(0, available - self.left_free_bytes(available, capability_major))

    def free_for_pool_bytes(self, pool_bytes: int, capability_major: int) -> int:
        """How much must be free for TensorFlow's allocator to have this much."""
        small = pool_bytes + self.left_free_bytes(0, capability_major)
        large = pool_bytes + self.left_free_bytes(2 * _GIB, capability_major)
        return self.context_bytes + (small if small < 2 * _GIB else large)

    def _reserve(self, name: str) -> int:
        return next(row.value for row in self.reserves_table.rows if row.name == name)
