"""What fitguard knows: TOML tables with source and date, and the questions asked of them."""

from functools import cache, cached_property

from fitguard.knowledge.cuda import Cuda
from fitguard.knowledge.cudnn import Cudnn
from fitguard.knowledge.drivers import Drivers
from fitguard.knowledge.gpus import Gpus
from fitguard.knowledge.keras import Keras
from fitguard.knowledge.protobuf import Protobuf
from fitguard.knowledge.tensorflow import Release, Releases
from fitguard.knowledge.variables import Variables
from fitguard.knowledge.xids import Xids

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
    def xids(self) -> Xids:
        """Xid errors."""
        return Xids()

    @cached_property
    def variables(self) -> Variables:
        """Environment variables."""
        return Variables()

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
