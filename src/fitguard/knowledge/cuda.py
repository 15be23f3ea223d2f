"""CUDA toolkits: which GPUs they can serve, under which names their libraries are asked for."""

from functools import cached_property
from typing import Literal

import msgspec

from fitguard.knowledge.table import Table
from fitguard.knowledge.thresholds import threshold
from fitguard.schema import versions
from fitguard.schema.versions import parse

CudaFit = Literal["fits", "other-name", "older"]

# What CUDA 7.5 could compile for; the table lists what each later toolkit added.
_FIRST_TARGETS = ("2.0", "2.1", "3.0", "3.2", "3.5", "3.7", "5.0", "5.2", "5.3")


class ToolkitTargets(msgspec.Struct, frozen=True, kw_only=True):
    """The range of compute capabilities that a toolkit compiles for."""

    cuda: str
    least: str
    newest: str
    added: tuple[str, ...] = ()
    source: str
    note: str = ""
    uncertain: bool = False


class Sonames(msgspec.Struct, frozen=True):
    """Suffixes of the libraries' names, from this CUDA on."""

    cuda: str
    suffixes: dict[str, str]
    source: str


class PtxFailure(msgspec.Struct, frozen=True):
    """Releases whose PTX is known not to run on GPUs from a compute capability on."""

    tensorflow_from: str
    tensorflow_to: str
    capability_from: str
    error: str
    source: str


class AndCudaPins(msgspec.Struct, frozen=True):
    """What `tensorflow[and-cuda]` of these releases installs; nothing if there is no such extra."""

    versions: tuple[str, ...]
    pins: dict[str, str]
    source: str

    def pin(self, component: str) -> tuple[str, str] | None:
        """Name and requirement of `nvidia-<component>-cuNN`."""
        for name, requirement in self.pins.items():
            if name.startswith(f"nvidia-{component}-cu"):
                return name, requirement
        return None


class UnreachableWheels(msgspec.Struct, frozen=True):
    """Components of the and-cuda extra that a release brings along and does not find."""

    tensorflow: str
    components: tuple[str, ...]
    source: str


class UninstallableExtra(msgspec.Struct, frozen=True):
    """Releases whose and-cuda extra pip cannot install on some Pythons, and the pin that fails."""

    tensorflow: tuple[str, ...]
    pythons: tuple[str, ...]
    pin: str
    source: str


class TensorRt(msgspec.Struct, frozen=True):
    """The major of TensorRT that these releases look for."""

    tensorflow_from: str
    tensorflow_to: str
    major: int
    source: str


class CondaPackages(msgspec.Struct, frozen=True):
    """conda packages that bring one CUDA and its cuDNN."""

    cuda: str
    channel: str
    packages: tuple[str, ...]
    source: str


class Cuda:
    """Queries on toolkits. Of a short version such as `12`, the newest of that major counts."""

    @cached_property
    def targets_table(self) -> Table[ToolkitTargets]:
        """Toolkits and the GPUs they compile for."""
        return Table("cuda_arch", ToolkitTargets)

    @cached_property
    def sonames_table(self) -> Table[Sonames]:
        """Library names by CUDA version."""
        return Table("sonames", Sonames)

    @cached_property
    def pins_table(self) -> Table[AndCudaPins]:
        """Pins of the and-cuda extra."""
        return Table("and_cuda_pins", AndCudaPins)

    @cached_property
    def ptx_failures_table(self) -> Table[PtxFailure]:
        """Known failures of PTX."""
        return Table("ptx_failures", PtxFailure)

    @cached_property
    def unreachable_table(self) -> Table[UnreachableWheels]:
        """Releases that do not look into wheels of their own extra."""
        return Table("unreachable_wheels", UnreachableWheels)

    def unreachable(self, tensorflow: str) -> UnreachableWheels | None:
        """The components that `tensorflow[and-cuda]` of this release installs and does not find."""
        for row in self.unreachable_table.rows:
            if row.tensorflow == tensorflow:
                return row
        return None

    @cached_property
    def uninstallable_table(self) -> Table[UninstallableExtra]:
        """Extras that pip cannot install."""
        return Table("uninstallable_extras", UninstallableExtra)

    def uninstallable(self, tensorflow: str, python: str) -> UninstallableExtra | None:
        """What keeps pip from installing `tensorflow[and-cuda]` of this release on this Python."""
        for row in self.uninstallable_table.rows:
            if tensorflow in row.tensorflow and versions.text(parse(python), 2) in row.pythons:
                return row
        return None

    @cached_property
    def conda_table(self) -> Table[CondaPackages]:
        """conda packages by CUDA version."""
        return Table("conda_packages", CondaPackages)

    def conda(self, cuda: str) -> CondaPackages | None:
        """The conda packages that bring this CUDA."""
        for row in self.conda_table.rows:
            if versions.same(parse(row.cuda), parse(cuda), 2):
                return row
        return None

    def toolkit(self, cuda: str) -> ToolkitTargets | None:
        """The row for this toolkit, or for the newest known of the same major."""
        wanted = parse(cuda)
        rows = [row for row in self.targets_table.rows if versions.same(parse(row.cuda), wanted, 2)]
        return rows[-1] if rows else None

    def exists(self, cuda: str) -> bool:
        """Whether the table knows a toolkit of this version."""
        return self.toolkit(cuda) is not None

    def targets(self, cuda: str) -> tuple[str, ...]:
        """The compute capabilities that the toolkit compiles for."""
        row = self.toolkit(cuda)
        if row is None:
            return ()
        known = set(_FIRST_TARGETS)
        for older in self.targets_table.rows:
            if parse(older.cuda) <= parse(row.cuda):
                known.update(older.added)
        kept = (item for item in known if parse(item) >= parse(row.least))
        return tuple(sorted(kept, key=parse))

    def serves(self, cuda: str, capability: str) -> bool | None:
        """Whether the toolkit's own libraries hold machine code for this GPU; None: not known."""
        targets = self.targets(cuda)
        if not targets:
            return None
        gpu = parse(capability)
        return any(parse(item)[0] == gpu[0] and parse(item) <= gpu for item in targets)

    def first_toolkit(self, capability: str) -> str | None:
        """The oldest toolkit whose libraries serve this GPU."""
        for row in self.targets_table.rows:
            if self.serves(row.cuda, capability):
                return row.cuda
        return None

    def last_toolkit(self, capability: str) -> str | None:
        """The newest toolkit whose libraries serve this GPU."""
        for row in reversed(self.targets_table.rows):
            if self.serves(row.cuda, capability):
                return row.cuda
        return None

    def sonames(self, cuda: str) -> dict[str, str]:
        """`{"cudart": "libcudart.so.12", …}`: what a TensorFlow built with this CUDA asks for."""
        wanted = parse(cuda)
        wanted = wanted if len(wanted) > 1 else (*wanted, 0)
        suffixes: dict[str, str] = {}
        for row in self.sonames_table.rows:
            if parse(row.cuda) <= wanted:
                suffixes = row.suffixes
        full = versions.text(wanted, 2)
        return {
            component: f"lib{component}.so.{full if suffix == 'V' else suffix}"
            for component, suffix in suffixes.items()
        }

    def find_requested_sonames(self, cuda: str, tensorflow: str) -> dict[str, str]:
        """The names that this TensorFlow asks for: cuRAND is no longer among them after 2.12."""
        names = self.sonames(cuda)
        if parse(tensorflow)[:2] > parse(threshold("last-tensorflow-with-curand")):
            names.pop("curand", None)
        return names

    def fit(self, loaded: str, built: str) -> CudaFit:
        """Whether a TensorFlow built with one CUDA can use the libraries of another.

        It asks for them by name: up to CUDA 10 the names hold major and minor, 11.1 renamed
        cuSOLVER, and from there on they hold the major. A newer minor keeps all that an older one
        has; an older minor may lack functions.
        """
        have, need = parse(loaded), parse(built)
        if have[0] != need[0]:
            return "other-name"
        known = min(len(have), len(need)) > 1
        if known and self.sonames(loaded) != self.sonames(built):
            return "other-name"
        return "older" if versions.older(have[:2], need[:2]) else "fits"

    def has_and_cuda(self, tensorflow: str) -> bool:
        """Whether `tensorflow[and-cuda]` of this release brings CUDA along."""
        first = next(row for row in self.pins_table.rows if row.pins)
        return parse(tensorflow)[:2] >= parse(first.versions[0])[:2]

    def and_cuda(self, tensorflow: str) -> AndCudaPins | None:
        """What the and-cuda extra of this release installs; None before it was thought of."""
        for row in self.pins_table.rows:
            if tensorflow in row.versions:
                return row
        return None

    @cached_property
    def tensorrt_table(self) -> Table[TensorRt]:
        """TensorRT by TensorFlow release."""
        return Table("tensorrt", TensorRt)

    def tensorrt(self, tensorflow: str) -> TensorRt | None:
        """The TensorRT that this release looks for when it is imported; None where it does not."""
        release = parse(tensorflow)[:2]
        for row in self.tensorrt_table.rows:
            if parse(row.tensorflow_from) <= release <= parse(row.tensorflow_to):
                return row
        return None

    def ptx_failure(self, tensorflow: str, capability: str) -> PtxFailure | None:
        """A known failure of this release's PTX on such a GPU."""
        release = parse(tensorflow)[:2]
        for row in self.ptx_failures_table.rows:
            covered = parse(row.tensorflow_from) <= release <= parse(row.tensorflow_to)
            if covered and parse(capability) >= parse(row.capability_from):
                return row
        return None
