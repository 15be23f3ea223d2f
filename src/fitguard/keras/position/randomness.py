"""The state of Python's and NumPy's global generators, as plain data."""

import base64
import random
import struct
from typing import Any

from fitguard.keras.position.plain import from_data, to_data

_WORDS = struct.Struct("<624I")


def read_random() -> dict[str, Any]:
    """The state of `random` and `numpy.random`, which JSON can hold."""
    import numpy as np

    version, numbers, gauss = random.getstate()
    words = base64.b64encode(_WORDS.pack(*numbers[:-1])).decode()
    return {
        "python": [version, words, numbers[-1], gauss],
        "numpy": to_data(np.random.get_state(legacy=False)),
    }


def restore_random(state: dict[str, Any]) -> None:
    """Set the state that `read_random` gave."""
    import numpy as np

    version, words, place, gauss = state["python"]
    numbers = _WORDS.unpack(base64.b64decode(words))
    random.setstate((version, (*numbers, place), gauss))
    np.random.set_state(from_data(state["numpy"]))


def seen_random() -> tuple[Any, ...]:
    """Something that changes with the state, at little cost."""
    import numpy as np

    state: Any = np.random.get_state(legacy=False)
    inner = state["state"]
    key = inner["key"].tobytes() if "key" in inner else repr(inner)
    return random.getstate(), key, inner.get("pos"), state.get("has_gauss")
