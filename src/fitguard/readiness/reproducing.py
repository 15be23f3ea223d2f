"""The failure of one kernel as a script of some ten lines, for a bug report."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from fitguard.probes.target.layer import find_bound
from fitguard.readiness.kernel import Kernel
from fitguard.report.privacy.redaction import redact_here
from fitguard.schema.facts import Facts
from fitguard.schema.probe import ProbeResult, Reproduction

_FILLS = {
    "normal": "np.random.standard_normal({shape})",
    "index": "np.random.randint(0, {below}, {shape})",
    "bits": "np.random.uniform(size={shape}) < 0.75",
    "lengths": "np.arange({length}) < np.random.randint({least}, {length} + 1, ({rows}, 1))",
}
_RECURRENT_ON_CUDNN = ("LSTM", "GRU")


def write_reproduction(kernel: Kernel, result: ProbeResult, facts: Facts) -> Reproduction:
    """The script, and the facts beside it; nothing private is in them."""
    script = "\n".join(_Writing(kernel, result).lines()) + "\n"
    told = tuple(list_facts(facts, kernel.library))
    return redact_here(Reproduction(probe=result.name, script=script, facts=told))


def list_facts(facts: Facts, library: str) -> Iterator[str]:
    """What a bug report has to say of the machine.

    Args:
        library: The package of Keras.
    """
    if facts.tensorflow is not None:
        built = [("CUDA", facts.tensorflow.cuda), ("cuDNN", facts.tensorflow.cudnn)]
        words = " and ".join(f"{name} {version}" for name, version in built if version)
        yield f"TensorFlow {facts.tensorflow.version}" + (f", built with {words}" if words else "")
    for package, name in ((library, f"Keras ({library})"), ("numpy", "NumPy")):
        found = facts.packages.first(package.replace("_", "-")) if facts.packages else None
        if found is not None and found.version:
            yield f"{name} {found.version}"
    yield from _list_gpu_facts(facts)
    if facts.platform is not None:
        known = (facts.platform.distribution, facts.platform.kernel, facts.platform.machine)
        yield f"OS: {', '.join(one for one in known if one) or facts.platform.system}"
    if facts.python is not None:
        yield f"Python {facts.python.version}"


def _list_gpu_facts(facts: Facts) -> Iterator[str]:
    for component, name in (("cudart", "CUDA"), ("cudnn", "cuDNN")):
        for one in facts.libraries.find_searched(component)[:1] if facts.libraries else ():
            yield f"{name} that is loaded: {one.version or one.soname}"
    if facts.driver is not None and facts.driver.version:
        yield f"NVIDIA driver {facts.driver.version}"
    for gpu in facts.gpus or ():
        yield f"GPU {gpu.index}: {gpu.name}, compute capability {gpu.compute_capability}"
    if facts.gpus == ():
        yield "No GPU"


class _Writing:
    def __init__(self, kernel: Kernel, result: ProbeResult) -> None:
        self._kernel = kernel
        self._result = result
        self._plain: dict[str, Any] = msgspec.to_builtins(kernel)
        self._arrays: list[Mapping[str, Any]] = []
        keywords = {**self._plain["kwargs"]}
        if kernel.training is not None:
            keywords["training"] = {"value": kernel.training}
        self._call = ", ".join(
            [
                *(self._refer(one) for one in self._plain["args"]),
                *(f"{key}={self._refer(one)}" for key, one in keywords.items()),
            ]
        )

    def lines(self) -> Iterator[str]:
        """A wrong result is compared with the processor's; anything else shows by itself."""
        result, library = self._result, self._kernel.library
        yield f"# fitguard probe {result.name} on {result.device}: {result.status}"
        yield f"import {library}, numpy as np, tensorflow as tf"
        if self._on_gpu and not self._kernel.tf32:
            yield "tf.config.experimental.enable_tensor_float_32_execution(False)"
        yield f"{library}.utils.set_random_seed(7)"
        given = [f"tf.cast({_draw(one)}, {one['dtype']!r})" for one in self._arrays]
        if len(given) == 1:
            yield f"x = [{given[0]}]"
        else:
            yield "x = ["
            yield from (f"    {one}," for one in given)
            yield "]"
        if result.status == "fail" and "is wrong" in result.detail:
            yield from self._compare()
        else:
            yield f"dtype = {self._kernel.policy!r}"
            yield from self._step("")
            yield "print('It came to its end.')"

    @property
    def _on_gpu(self) -> bool:
        return self._result.device != "CPU"

    def _step(self, indent: str) -> Iterator[str]:
        """Forward and backward."""
        floats = [f"x[{n}]" for n, one in enumerate(self._arrays) if one["fill"] == "normal"]
        watched = f"[{', '.join(floats)}]"
        xla = ", jit_compile=True" if "compiled by XLA" in self._result.detail else ""
        yield f"{indent}{self._kernel.library}.mixed_precision.set_global_policy(dtype)"
        yield f"{indent}layer = {self._make(self._plain['made'])}"
        yield f"{indent}layer({self._call})  # builds it"
        if indent:
            yield f"{indent}layer.set_weights(weights or layer.get_weights())"
        yield f"{indent}with tf.GradientTape() as tape:"
        yield f"{indent}    tape.watch({watched})"
        yield f"{indent}    y = tf.nest.flatten(tf.function(layer{xla})({self._call}))"
        # Divided, so that the gradient of a weight is not too large for float16.
        total = "tf.reduce_sum(one * tf.sin(one) / len(tf.reshape(one, [-1])) ** 0.5)"
        yield f"{indent}    loss = sum({total} for one in y)"
        yield f"{indent}dx, dw = tape.gradient(loss, [{watched}, layer.trainable_weights])"

    def _compare(self) -> Iterator[str]:
        yield "def run(device, dtype, weights=None):"
        yield "    with tf.device(device):"
        yield from self._step(" " * 8)
        yield "    return layer.get_weights(), (y, dx, dw)"
        yield "def flat(parts):"
        yield "    parts = [tf.reshape(tf.cast(one, 'float64'), [-1]) for one in parts]"
        yield "    return tf.concat([*parts, [0.0]], 0)"
        yield "device = 'GPU:0' if tf.config.list_physical_devices('GPU') else 'CPU:0'"
        yield f"weights, got = run(device, {self._kernel.policy!r})"
        yield "_, expected = run('CPU:0', 'float64', weights)"
        yield "for what, a, b in zip(('output', 'dx', 'dw'), map(flat, got), map(flat, expected)):"
        yield "    error = float(tf.reduce_max(tf.abs(a - b)) / (tf.reduce_max(tf.abs(b)) + 1e-30))"
        bound = find_bound(self._plain, self._on_gpu)  # type: ignore[no-untyped-call]
        yield f"    print(what, error, 'fine' if error < {bound:.1e} else 'WRONG')"

    def _refer(self, given: Any) -> str:
        """A part of the call as an expression; arrays are numbered as they come."""
        if isinstance(given, list):
            return f"[{', '.join(self._refer(one) for one in given)}]"
        if "value" in given:
            return repr(given["value"])
        if "shape" not in given:
            inner = ", ".join(f"{key!r}: {self._refer(one)}" for key, one in given.items())
            return f"{{{inner}}}"
        self._arrays.append(given)
        return f"x[{len(self._arrays) - 1}]"

    def _make(self, made: Mapping[str, Any]) -> str:
        words = [f"{key}={self._write(value)}" for key, value in made["arguments"].items()]
        if made["class_name"] in _RECURRENT_ON_CUDNN and self._kernel.keras_3:
            words.append("use_cudnn=dtype != 'float64' and 'auto'")
        return f"{self._kernel.library}.layers.{made['class_name']}({', '.join(words)})"

    def _write(self, value: Any) -> str:
        if isinstance(value, dict) and "class_name" in value:
            return self._make(value)
        if isinstance(value, list):
            return f"[{', '.join(map(self._write, value))}]"
        return repr(value)


def _draw(array: Mapping[str, Any]) -> str:
    shape = array["shape"]
    length = shape[1] if len(shape) > 1 else 1
    return _FILLS[array["fill"]].format(
        shape=tuple(shape),
        below=array.get("below"),
        rows=shape[0] if shape else 1,
        length=length,
        least=(length + 1) // 2,
    )
