"""Which classes of Keras and TensorFlow are parts of a model, and what hides one."""

from typing import Any

from fitguard.contract.libraries import PACKAGES, package_of

_NO_PARTS_OF_KERAS = frozenset(("KerasTensor", "Node", "KerasHistory", "CacheInfo"))
_PARTS_OF_TENSORFLOW = frozenset(("Trackable", "ObjectIdentityDictionary", "ObjectIdentitySet"))
_NO_PARTS_OF_TENSORFLOW = frozenset(
    ("BaseResourceVariable", "StrategyBase", "Function", "DatasetV2")
)
_PROXIES = frozenset(("_DictWrapper", "_TupleWrapper"))


def is_part_class(cls: type) -> bool | None:
    """Whether its objects are parts of models; None where neither library says."""
    bases = [(package_of(base), base.__name__) for base in cls.__mro__]
    of_keras = {name for package, name in bases if package in PACKAGES}
    of_tensorflow = {name for package, name in bases if package == "tensorflow"}
    if of_keras & _NO_PARTS_OF_KERAS or of_tensorflow & _NO_PARTS_OF_TENSORFLOW:
        return False
    return True if of_keras or of_tensorflow & _PARTS_OF_TENSORFLOW else None


def unwrap_proxy(thing: Any) -> Any:
    """The dict or tuple behind the proxy that TensorFlow puts around one."""
    return thing.__wrapped__ if type(thing).__name__ in _PROXIES else thing
