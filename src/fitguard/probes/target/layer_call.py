"""Makes a layer again, and what it is called with, as `readiness/kernel.py` describes them."""

import collections
import importlib

from . import bench as bench_module

RECURRENT = ("LSTM", "GRU", "SimpleRNN", "RNN", "Bidirectional", "ConvLSTM1D", "ConvLSTM2D")
_MOST_ELEMENTS = 2**18
_SEED = 7


Given = collections.namedtuple("Given", "args kwargs floats")
"""Tensors to call a layer with, and the floats among them."""


class LayerCall(object):
    """A layer with its arguments.

    Attributes:
        rows: So many of the batch are drawn and computed by the reference.
        tiles: So often they are repeated to the real batch.
    """

    def __init__(self, bench, kernel):
        self._np, self._tf = bench.np, bench.tf
        self._kernel = kernel
        self._keras = importlib.import_module(kernel["library"])
        self._draw = bench.np.random.RandomState(_SEED)
        self.rows = choose_rows(kernel)
        self.tiles = kernel["batch_size"] // self.rows
        self.args = [self._fill(one) for one in kernel["args"]]
        self.kwargs = dict((key, self._fill(one)) for key, one in sorted(kernel["kwargs"].items()))

    def make(self, policy, **more):
        """The layer, with another policy if need be; `more` goes to recurrent layers."""
        try:
            # Attention of Keras 2 makes layers inside of it, when it is called, by this one.
            self._keras.mixed_precision.set_global_policy(policy)
            return self._make(self._kernel["made"], policy, more)
        except Exception as error:
            raise bench_module.Skip(
                "The layer could not be made again: %s: %s" % (type(error).__name__, error)
            )

    def _make(self, made, policy, more):
        arguments = dict(
            (str(key), self._make_argument(value, policy, more))
            for key, value in made["arguments"].items()
        )
        if made["class_name"] in ("LSTM", "GRU"):
            arguments.update(more)
        cls = getattr(self._keras.layers, made["class_name"])
        return cls(dtype=policy, **arguments)

    def _make_argument(self, value, policy, more):
        if isinstance(value, dict) and "class_name" in value:
            return self._make(value, policy, more)
        if isinstance(value, list):
            return [self._make_argument(one, policy, more) for one in value]
        return value

    def tensors(self, dtype, tiles):
        """Arguments as tensors; floats in this dtype, or in their own; rows repeated so often."""
        floats = []

        def convert(given):
            if isinstance(given, list):
                return [convert(one) for one in given]
            if isinstance(given, dict):
                return dict((key, convert(one)) for key, one in given.items())
            if not isinstance(given, _Drawn):
                return given
            array = given.repeat(tiles)
            tensor = self._tf.constant(array)
            if given.is_float:
                tensor = self._tf.cast(tensor, dtype or given.dtype)
                floats.append(tensor)
            return tensor

        args = [convert(one) for one in self.args]
        kwargs = dict((key, convert(one)) for key, one in sorted(self.kwargs.items()))
        if self._kernel["training"] is not None:
            kwargs["training"] = self._kernel["training"]
        return Given(args, kwargs, floats)

    def _fill(self, given):
        if isinstance(given, list):
            return [self._fill(one) for one in given]
        if "value" in given:
            return given["value"]
        if "shape" not in given:
            return dict((key, self._fill(one)) for key, one in sorted(given.items()))
        shape = list(given["shape"])
        grows = bool(shape) and shape[0] == self._kernel["batch_size"]
        if grows:
            shape[0] = self.rows
        array = getattr(self, "_fill_" + given["fill"])(shape, given)
        if given["dtype"] != "bfloat16":
            array = array.astype(given["dtype"])
        else:  # NumPy has none; what is lost here was never there
            array = self._tf.cast(self._tf.cast(array, "bfloat16"), "float32").numpy()
        return _Drawn(self._np, array, given["dtype"], grows)

    def _fill_normal(self, shape, _):
        return self._draw.standard_normal(shape)

    def _fill_index(self, shape, given):
        return self._draw.randint(0, given["below"], shape)

    def _fill_bits(self, shape, _):
        bits = self._draw.uniform(size=shape) < 0.75
        bits[..., :1] = True  # attention needs something to look at
        return bits

    def _fill_lengths(self, shape, _):
        """Padding at the end of each sequence: the only mask that cuDNN takes."""
        lengths = self._draw.randint((shape[1] + 1) // 2, shape[1] + 1, shape[:1])
        return self._np.arange(shape[1])[None, :] < lengths[:, None]


class _Drawn(object):
    """An array of the reference's rows."""

    def __init__(self, np, array, dtype, grows):
        self._np = np
        self._array = array
        self._grows = grows
        self.dtype = dtype
        self.is_float = "float" in dtype

    def repeat(self, tiles):
        if not self._grows or tiles == 1:
            return self._array
        return self._np.tile(self._array, (tiles,) + (1,) * (self._array.ndim - 1))


def choose_rows(kernel):
    """As many as the host computes in float64 in a second or so; a part of the batch."""
    batch = kernel["batch_size"]
    largest = max([batch] + [_count(one) for one in list_arrays(kernel["args"])])
    most = max(1, batch * _MOST_ELEMENTS // largest)
    return max(rows for rows in range(1, batch + 1) if batch % rows == 0 and rows <= most)


def list_arrays(given):
    """The arrays in a part of a call, as they are described."""
    if isinstance(given, list):
        return [array for one in given for array in list_arrays(one)]
    if "value" in given:
        return []
    if "shape" in given:
        return [given]
    return [array for key in sorted(given) for array in list_arrays(given[key])]


def _count(array):
    product = 1
    for axis in array["shape"]:
        product *= axis
    return product
