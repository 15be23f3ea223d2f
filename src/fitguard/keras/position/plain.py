"""Values of Python as data that JSON can hold, and back: numbers, arrays, containers, generators.

What is something else is told by `NotPlain`. Nothing is ever executed to read a value back.
"""

import base64
import collections
import math
import random
from collections.abc import Callable
from typing import Any


class NotPlain(ValueError):
    """A value that cannot be kept as data."""


def to_data(value: Any) -> Any:
    """The value as data.

    Raises:
        NotPlain: It, or a part of it, is of another kind.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    for kind, (fits, write, _) in _KINDS.items():
        if fits(value):
            return {kind: write(value)}
    raise NotPlain(type(value).__name__)


def from_data(data: Any) -> Any:
    """The value again."""
    if not isinstance(data, dict):
        return data
    ((kind, content),) = data.items()
    return float(content) if kind == "float" else _KINDS[kind][2](content)


def _array_data(array: Any) -> list[Any]:
    import numpy as np

    if array.dtype.hasobject or array.dtype.fields:
        raise NotPlain(f"array of {array.dtype}")
    content = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return [array.dtype.str, list(array.shape), content]


def _array(data: list[Any]) -> Any:
    import numpy as np

    dtype, shape, content = data
    flat = np.frombuffer(base64.b64decode(content), dtype=np.dtype(dtype))
    return flat.reshape(shape).copy()


def _list_data(values: Any) -> list[Any]:
    return [to_data(value) for value in values]


def _list(data: list[Any]) -> list[Any]:
    return [from_data(value) for value in data]


def _dict_data(values: dict[Any, Any]) -> list[Any]:
    return [[to_data(key), to_data(value)] for key, value in values.items()]


def _dict(data: list[Any]) -> dict[Any, Any]:
    return {from_data(key): from_data(value) for key, value in data}


def _exactly(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is kind


def _numpy(name: str) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        import numpy as np

        return type(value) is getattr(np, name)

    return fits


def _is_scalar(value: Any) -> bool:
    import numpy as np

    return isinstance(value, np.generic)


def _numpy_random(name: str) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        import numpy as np

        return type(value) is getattr(np.random, name)

    return fits


def _generator_data(generator: Any) -> Any:
    return to_data(generator.bit_generator.state)


def _generator(data: Any) -> Any:
    import numpy as np

    state = from_data(data)
    name = state["bit_generator"]
    if name not in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        raise NotPlain(name)
    bits = getattr(np.random, name)()
    bits.state = state
    return np.random.Generator(bits)


def _random_state_data(source: Any) -> Any:
    return to_data(source.get_state(legacy=False))


def _random_state(data: Any) -> Any:
    import numpy as np

    source = np.random.RandomState()
    source.set_state(from_data(data))
    return source


def _python_random_data(source: random.Random) -> Any:
    return to_data(source.getstate())


def _python_random(data: Any) -> random.Random:
    source = random.Random()
    source.setstate(from_data(data))
    return source


_KINDS: dict[str, tuple[Callable[[Any], bool], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "array": (_numpy("ndarray"), _array_data, _array),
    "scalar": (_is_scalar, lambda value: _array_data(value.reshape(1)), lambda d: _array(d)[0]),
    "list": (_exactly(list), _list_data, _list),
    "tuple": (_exactly(tuple), _list_data, lambda data: tuple(_list(data))),
    "deque": (_exactly(collections.deque), _list_data, lambda d: collections.deque(_list(d))),
    "dict": (_exactly(dict), _dict_data, _dict),
    "generator": (_numpy_random("Generator"), _generator_data, _generator),
    "random_state": (_numpy_random("RandomState"), _random_state_data, _random_state),
    "python_random": (_exactly(random.Random), _python_random_data, _python_random),
}
