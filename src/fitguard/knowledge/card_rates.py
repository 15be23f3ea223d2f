"""How fast cards can be, as their makers say."""

from functools import cached_property

import msgspec

from fitguard.knowledge.gpus import GpuModel, Gpus
from fitguard.knowledge.table import Table

_GIB = 2**30
_LANE_GB_PER_SECOND = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
"""One way, by generation of PCIe."""
_MATMUL = "matmul-"


class CardRates(msgspec.Struct, frozen=True, kw_only=True):
    """The most that one card can do.

    Args:
        name: As in the table of GPUs.
        shown: Names of NVML that mean this card and no other, where the name alone leaves it open.
        float32: In TFLOP/s, without tensor cores; `tf32`, `float16` and `bfloat16` with them.
        memory: In GB/s.
        pcie_generation: None where host and device are one package.
        nvlink: In GB/s, both ways together; None where it is not built in.
        uncertain: Whether some of it could not be verified.
    """

    name: str
    shown: tuple[str, ...] = ()
    float32: float
    tf32: float | None = None
    float16: float | None = None
    bfloat16: float | None = None
    memory: float
    memory_type: str
    pcie_generation: int | None = None
    pcie_lanes: int | None = None
    nvlink: float | None = None
    source: str
    uncertain: bool = False

    @property
    def pcie(self) -> float | None:
        """In GB/s, one way."""
        if self.pcie_generation is None or self.pcie_lanes is None:
            return None
        return _LANE_GB_PER_SECOND[self.pcie_generation] * self.pcie_lanes

    @property
    def loses_to_ecc(self) -> bool:
        """Whether the check bits of ECC take a part of its bandwidth: HBM has a place for them."""
        return self.memory_type.startswith("GDDR")

    def expect(self, rate: str) -> float | None:
        """What a rate of a probe could be at most; None where the card has no such thing."""
        if rate.startswith(_MATMUL):
            kinds = {
                "float32": self.float32,
                "tf32": self.tf32,
                "float16": self.float16,
                "bfloat16": self.bfloat16,
            }
            return kinds.get(rate.removeprefix(_MATMUL))
        if rate == "device-memory":
            return self.memory
        if rate in ("host-to-device", "device-to-host"):
            return self.pcie
        if rate == "peer-copy":
            return self.nvlink / 2 if self.nvlink else self.pcie
        return None


class Cards:
    """Looks rates up by the name of a GPU."""

    def __init__(self, gpus: Gpus) -> None:
        self._gpus = gpus

    @cached_property
    def table(self) -> Table[CardRates]:
        """All cards."""
        return Table("card_rates", CardRates)

    def find(self, name: str, memory_bytes: int | None = None) -> tuple[CardRates, ...]:
        """The cards that a name can mean; empty where none of them is known.

        Args:
            memory_bytes: Tells variants apart that the name does not.
        """
        told = tuple(row for row in self.table.rows if name in row.shown)
        if told:
            return told
        models = self._gpus.find(name)
        if memory_bytes is not None and models:
            least = min(_differ(model, memory_bytes) for model in models)
            models = tuple(model for model in models if _differ(model, memory_bytes) == least)
        names = {model.name for model in models}
        return tuple(row for row in self.table.rows if row.name in names)


def _differ(model: GpuModel, memory_bytes: int) -> float:
    sizes = model.memory_gib or (0.0,)
    return min(abs(size * _GIB - memory_bytes) for size in sizes)
