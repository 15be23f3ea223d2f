"""Objects of other libraries: not kept, but seen to change where they can be pickled."""

import hashlib
import pickle
import sys
from typing import Any

from fitguard.contract.libraries import package_of

_MOST_BYTES = 16 << 20
_LEFT_ALONE = frozenset(
    ("tensorflow", "keras", "tf_keras", "fitguard", "logging", "threading", "_thread", "_io", "re")
)


def opaque_digest(value: Any) -> str:
    """Changes with the object; empty where that cannot be told. Nothing is unpickled, ever."""
    cls: type = type(value)
    if callable(value) or package_of(cls) in _LEFT_ALONE or sys.getsizeof(value, 0) > _MOST_BYTES:
        return ""
    try:
        return hashlib.blake2b(pickle.dumps(value, 5), digest_size=16).hexdigest()
    except Exception:
        # It may raise what it likes.
        return ""
