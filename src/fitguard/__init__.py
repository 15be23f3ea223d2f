"""fitguard keeps TensorFlow/Keras training on NVIDIA GPUs alive.

Importing it imports nothing else: each public function is loaded when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fitguard.environment.doctor import doctor as doctor
    from fitguard.environment.resolution import resolve as resolve
    from fitguard.facts.gather import gather as gather_facts

__version__ = "0.1.0"
__all__ = ["__version__", "doctor", "gather_facts", "resolve"]

_PLACES = {
    "doctor": ("fitguard.environment.doctor", "doctor"),
    "gather_facts": ("fitguard.facts.gather", "gather"),
    "resolve": ("fitguard.environment.resolution", "resolve"),
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'fitguard' has no attribute {name!r}")
    module, attribute = _PLACES[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
