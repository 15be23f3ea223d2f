"""What fitguard knows: TOML tables with source and date, and the questions asked of them."""

from functools import cache, cached_property

import msgspec

from fitguard.knowledge.card_rates import Cards
from fitguard.knowledge.cuda import CondaPackages, Cuda
from fitguard.knowledge.cudnn import Cudnn
from fitguard.knowledge.drivers import Drivers
from fitguard.knowledge.environment_overrides import EnvironmentOverrides
from fitguard.knowledge.gpu_memory import GpuMemory
from fitguard.knowledge.gpus import Gpus
from fitguard.knowledge.keras import Keras
from fitguard.knowledge.known_bugs import KnownBugs
from fitguard.knowledge.log_signatures import Signatures
from fitguard.knowledge.numpy import Numpy
from fitguard.knowledge.policy import Policy
from fitguard.knowledge.protobuf import Protobuf
from fitguard.knowledge.tensorflow import Release, Releases
from fitguard.knowledge.xids import Xids
from fitguard.schema.versions import parse, text

__all__ = ["Knowledge", "knowledge"]


class Knowledge:
    """All tables; each is read when it is first asked."""

    @cached_property
    def tensorflow(self) -> Releases:
        """TensorFlow's releases."""
        return Releases()

    @cached_property
    def keras(self) -> Keras:
        """Keras and tf-keras."""
        return Keras()

    @cached_property
    def protobuf(self) -> Protobuf:
        """protobuf."""
        return Protobuf()

    @cached_property
    def cuda(self) -> Cuda:
        """CUDA toolkits, library names, the and-cuda extra."""
        return Cuda()

    @cached_property
    def cudnn(self) -> Cudnn:
        """cuDNN."""
        return Cudnn()

    @cached_property
    def drivers(self) -> Drivers:
        """Drivers."""
        return Drivers()

    @cached_property
    def gpus(self) -> Gpus:
        """GPU models."""
        return Gpus()

    @cached_property
    def gpu_memory(self) -> GpuMemory:
        """What a training can have of a GPU's memory."""
        return GpuMemory()

    @cached_property
    def cards(self) -> Cards:
        """How fast cards can be."""
        return Cards(self.gpus)

    @cached_property
    def xids(self) -> Xids:
        """Xid errors."""
        return Xids()

    @cached_property
    def known_bugs(self) -> KnownBugs:
        """Bugs that have a name."""
        return KnownBugs()

    @cached_property
    def policy(self) -> Policy:
        """What to do when a training has died."""
        return Policy()

    @cached_property
    def signatures(self) -> Signatures:
        """What the lines of a log mean."""
        return Signatures()

    @cached_property
    def overrides(self) -> EnvironmentOverrides:
        """Environment variables."""
        return EnvironmentOverrides()

    @cached_property
    def numpy(self) -> Numpy:
        """NumPy."""
        return Numpy()

    def conda(self, cuda: str, cudnn: str, tensorflow: str) -> CondaPackages | None:
        """conda packages for a build; old releases refuse the usual cuDNN and want their own."""
        packages = self.cuda.conda(cuda)
        if packages is None or not cudnn:
            return packages
        names = tuple(
            f"cudnn={text(parse(cudnn), 2)}"
            if name.startswith("cudnn=")
            and self.cudnn.fit(name.removeprefix("cudnn="), cudnn, tensorflow) != "fits"
            else name
            for name in packages.packages
        )
        return msgspec.structs.replace(packages, packages=names)

    def newest_python(self, release: Release) -> str:
        """The newest Python that a release and its and-cuda extra can be installed on."""
        fitting = [
            python
            for python in release.pythons
            if not self.cuda.uninstallable(release.version, python)
        ]
        return (fitting or release.pythons)[-1]


@cache
def knowledge() -> Knowledge:
    """The one instance."""
    return Knowledge()
