"""A layer of the user's script computes what it should.

## What is done
The layer is made again with the same arguments, and runs forward and backward on the device, with
the real shapes and types and with random numbers. The same rows fill the batch several times over.

## How it is judged
The processor computes those rows in float64. Output, gradient of the inputs and gradients of the
weights may differ by the rounding of the type that the layer computes in, many times over: 512
times for float32, 32 times for TF32 and float16, 16 times for bfloat16; the square root of n times
more for a recurrent layer over n steps. All repetitions of the rows must agree.

## What a failure means
The kernel that this layer runs on is wrong, missing or broken here. The printed script shows it
without the rest of the training.
"""

from . import arithmetic, layer_call
from .bench import Skip, WrongResult

LIMIT_SECONDS = 900
SEED = 11

_MARGIN = {"float32": 512.0, "tf32": 32.0, "float16": 32.0, "bfloat16": 16.0, "float64": 2.0**30}


def find_kind(kernel, on_gpu):
    """What it computes in: a key of `arithmetic.ROUNDING`, or `float64`."""
    kind = kernel["policy"].replace("mixed_", "")
    return "tf32" if kind == "float32" and on_gpu and kernel["tf32"] else kind


def find_bound(kernel, on_gpu):
    """Of the difference, as a share of the largest value."""
    kind = find_kind(kernel, on_gpu)
    bound = _MARGIN[kind] * arithmetic.ROUNDING.get(kind, 2.0**-52)
    if kernel["made"]["class_name"] in layer_call.RECURRENT:
        bound *= _find_length(kernel["args"][0]) ** 0.5
    # The gradient of an input has the type of the input.
    given = layer_call.list_arrays(kernel["args"] + list(kernel["kwargs"].values()))
    return max([bound] + [2 * arithmetic.ROUNDING.get(one["dtype"], 0.0) for one in given])


def run(bench):
    """The reference first: where its output is next to nothing, no gradient is asked for."""
    kernel = bench.options["layer"]
    arithmetic.allow_tf32(bench.tf, kernel["tf32"])
    return _Comparison(bench, kernel).run()


class _Comparison(object):
    def __init__(self, bench, kernel):
        self._bench, self._tf, self._np = bench, bench.tf, bench.np
        self._kernel = kernel
        self._class = kernel["made"]["class_name"]
        self._call = layer_call.LayerCall(bench, kernel)
        self._kind = find_kind(kernel, bench.on_gpu)
        if self._kind not in _MARGIN:
            raise Skip("The dtype policy %s is not one that is probed" % kernel["policy"])
        self._bound = find_bound(kernel, bench.on_gpu)
        self._weaker = ""

    def run(self):
        kernel, call, tf = self._kernel, self._call, self._tf
        with tf.device(self._bench.device):
            layer = call.make(kernel["policy"])
            given = call.tensors(None, call.tiles)
            dtypes = [one.dtype for one in _list_floats(tf, layer(*given.args, **given.kwargs))]
            weights = self._draw_weights(layer)
        reference = self._compute_reference(weights)
        self._bench.progress(0.3)
        ways = ["graph"]
        if kernel["xla"] and self._bench.on_gpu and self._bench.level != "quick":
            ways.append("XLA")
        errors = []
        for way in ways:
            with tf.device(self._bench.device):
                starts = [
                    tf.cast(self._np.tile(seed, (call.tiles,) + (1,) * (seed.ndim - 1)), dtype)
                    for seed, dtype in zip(reference["seeds"], dtypes)
                ]
                got = self._step(layer, given, starts, way)
            errors.append(self._compare(got, reference, way))
        return self._describe(max(errors), ways)

    def _draw_weights(self, layer):
        """The same in each process; biases and scales are near to what they are at first."""
        draw = self._np.random.RandomState(SEED)
        weights = []
        for one in map(self._np.asarray, layer.get_weights()):
            if one.dtype.kind == "f" and one.ndim < 2:
                one = one + draw.uniform(0, 0.1, one.shape)
            elif one.dtype.kind == "f":
                most = (6.0 * one.shape[-1] / (one.size + one.shape[-1] ** 2)) ** 0.5
                one = draw.uniform(-most, most, one.shape)
            weights.append(one)
        layer.set_weights(weights)
        return layer.get_weights()

    def _compute_reference(self, weights):
        try:
            return self._compute_on_cpu(weights, "float64")
        except Skip:
            raise
        except Exception as error:
            # Some layers have no kernel for float64: that is said, for it proves less.
            self._weaker = type(error).__name__
            return self._compute_on_cpu(weights, "float32")

    def _compute_on_cpu(self, weights, dtype):
        tf, call = self._tf, self._call
        more = {}
        if self._kernel["keras_3"]:
            # It would take cuDNN wherever there is a GPU, whatever the device.
            more["use_cudnn"] = False
        with tf.device("/CPU:0"):
            layer = call.make(dtype, **more)
            given = call.tensors(dtype, 1)
            layer(*given.args, **given.kwargs)
            layer.set_weights(weights)
            outputs = _list_floats(tf, layer(*given.args, **given.kwargs))
            seeds = [self._draw_seed(one.numpy()) for one in outputs]
            starts = [tf.cast(seed, dtype) for seed in seeds]
            return dict(self._step(layer, given, starts, "eager"), seeds=seeds)

    def _draw_seed(self, output):
        """What the gradient starts from: nothing where an activation may be on either side of 0."""
        draw = self._np.random.RandomState(SEED)
        seed = draw.standard_normal(output.shape) / self._call.tiles
        largest = self._np.max(self._np.abs(output)) if output.size else 0.0
        seed = seed * (self._np.abs(output) > 2 * self._bound * largest)
        # Rounded to what the device computes in, so that both start from the same.
        kind = "float32" if self._kind == "tf32" else self._kind
        return self._tf.cast(self._tf.cast(seed, kind), "float64").numpy()

    def _step(self, layer, given, starts, way):
        """Output, and the gradients of inputs and weights."""
        tf = self._tf
        floats = given.floats

        def compute():
            with tf.GradientTape() as tape:
                for one in floats:
                    tape.watch(one)
                outputs = _list_floats(tf, layer(*given.args, **given.kwargs))
            variables = [_unwrap(one) for one in layer.trainable_variables]
            found = tape.gradient(outputs, floats + variables, output_gradients=starts)
            dense = [None if one is None else tf.convert_to_tensor(one) for one in found]
            return outputs, dense[: len(floats)], dense[len(floats) :]

        if way == "graph":
            compute = tf.function(compute, autograph=False)
        elif way == "XLA":
            compute = arithmetic.compile_with_xla(tf, compute)
        outputs, inputs, weights = compute()
        return {"outputs": outputs, "inputs": inputs, "weights": weights}

    def _compare(self, got, reference, way):
        aside = " (compiled by XLA)" if way == "XLA" else ""
        errors = [0.0]
        for name in ("outputs", "inputs"):
            what = "the output" if name == "outputs" else "the gradient of the input"
            for one, expected in zip(got[name], reference[name]):
                if one is None or expected is None:
                    continue
                if name == "inputs" and "MaxPool" in self._class:
                    one, expected = self._sum_up(one), self._sum_up(expected)
                errors.append(self._compare_rows(one, expected, what + aside))
        pairs = [
            (one, expected.numpy() * self._call.tiles)
            for one, expected in zip(got["weights"], reference["weights"])
            if one is not None and expected is not None
        ]
        # The gradient of a single weight may be 0 but for rounding: that of a key's bias is.
        largest = max([0.0] + [float(self._np.max(self._np.abs(one))) for _, one in pairs])
        for one, expected in pairs:
            own = max(float(self._np.max(self._np.abs(expected))), 1e-300)
            bound = self._bound * max(largest / own, 1.0)
            array = self._fetch(one)
            what = "the gradient of a weight of shape %s%s" % (list(array.shape), aside)
            error = self._bench.require_close(array, expected, bound, what)
            errors.append(error * own / max(largest, 1e-300))
        return max(errors)

    def _sum_up(self, gradient):
        """Which of two equal values is the largest is nowhere laid down: each row counts."""
        tf = self._tf
        kind = "float64" if gradient.dtype == tf.float64 else "float32"
        return tf.reduce_sum(tf.cast(gradient, kind), axis=list(range(1, len(gradient.shape) - 1)))

    def _compare_rows(self, got, expected, what):
        """The first rows with the reference, all others with the first."""
        tf, rows = self._tf, int(expected.shape[0])
        error = self._bench.require_close(
            self._fetch(got[:rows]), expected.numpy(), self._bound, what
        )
        scale = float(tf.reduce_max(tf.abs(expected)))
        with tf.device(self._bench.device):
            first = tf.cast(got[:rows], "float32")
            for start in range(rows, int(got.shape[0]), rows):
                other = tf.cast(got[start : start + rows], "float32")
                fine = tf.abs(other - first) <= 2 * self._bound * scale
                wrong = int(tf.reduce_sum(tf.cast(tf.logical_not(fine), "int32")))
                if wrong:
                    raise WrongResult(
                        "%s is wrong in %d elements of the rows %d to %d: they were given the same "
                        "as the rows 0 to %d" % (what, wrong, start, start + rows - 1, rows - 1)
                    )
        return error

    def _fetch(self, tensor):
        if tensor.dtype != self._tf.float64:
            tensor = self._tf.cast(tensor, "float32")
        return self._bench.fetch(tensor)

    def _describe(self, error, ways):
        call = self._call
        given = layer_call.list_arrays(self._kernel["args"])
        shapes = ", ".join("(%s)" % ", ".join(map(str, one["shape"])) for one in given)
        text = "%s of %s in %s, forward and backward" % (self._class, shapes, self._kind)
        if "XLA" in ways:
            text += ", with and without XLA"
        text += ": error %.1e of %.1e allowed" % (error, self._bound)
        if self._weaker:
            text += "; the reference is in float32, as float64 raised %s" % self._weaker
            if not self._bench.on_gpu and self._kind == "float32":
                text += ", so this only shows that it runs"
        if call.tiles > 1:
            text += "; the reference has %d of %d rows" % (call.rows, self._kernel["batch_size"])
        if self._kernel["count"] > 1:
            text += "; %d layers are alike" % self._kernel["count"]
        return text


def _list_floats(tf, outputs):
    return [one for one in tf.nest.flatten(outputs) if one is not None and one.dtype.is_floating]


def _unwrap(variable):
    """Variables of Keras 3 hold one of TensorFlow; those of Keras 2 are such."""
    inner = getattr(variable, "value", None)
    return variable if inner is None or callable(inner) else inner


def _find_length(given):
    shapes = [one["shape"] for one in layer_call.list_arrays(given)]
    return float(shapes[0][1]) if shapes and len(shapes[0]) > 1 else 1.0
