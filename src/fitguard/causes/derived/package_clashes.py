"""Which lines tell of Python packages that do not fit, and how surely."""

import re
from collections.abc import Iterator

from fitguard.schema.crash import Signal, Story

# How surely each kind of line tells it, where its values do not matter.
_WEIGHTS = {
    "protobuf-rejects-code": 0.92,
    "protobuf-remedy-note": 0.6,
    "numpy-binary-mismatch": 0.92,
    "numpy-name-removed": 0.82,
    "symbolic-tensor-to-numpy": 0.55,
    "h5py-text-not-bytes": 0.85,
    "hdf5-mismatch": 0.72,
    "keras-wants-other-tensorflow": 0.85,
    "keras-kinds-mixed": 0.78,
    "keras-object-lacks": 0.72,
    "model-of-other-keras": 0.72,
    "metric-registered-twice": 0.85,
    "unexpected-argument": 0.7,
    "symbol-of-other-tensorflow": 0.82,
    "graph-of-other-tensorflow": 0.65,
    "tensorflow-1-code": 0.65,
    "no-such-wheel": 0.85,
    "resolver-conflict": 0.7,
    "old-runtime-of-the-system": 0.8,
    "dll-procedure-missing": 0.65,
    "dll-of-other-machine": 0.82,
    "dll-not-found": 0.45,
    "dll-initialisation-failed": 0.45,
    "library-file-broken": 0.45,
    "addons-version-warning": 0.2,
    "said-other-copy-imported": 0.65,
    "said-versions-conflict": 0.65,
    "said-installer-fails": 0.62,
    "said-torch-beside": 0.3,
    "said-cpu-build": 0.25,
}
_NAMED = ("name-not-in-package", "attribute-not-in-package", "module-not-installed")
# Packages whose versions belong together with TensorFlow's.
_FAMILY = re.compile(
    r"(?:tensorflow|tf_|keras|tensorboard|google|numpy|h5py|ml_dtypes|typing_extensions|scipy|absl|"
    r"gast|wrapt|six|astor|termcolor|flatbuffers|opt_einsum|namex|optree|jax|pkg_resources|imp|"
    r"distutils|nvidia|tensorrt|transformers|object_detection)\w*(?:\.|$)"
)


def clashes(story: Story) -> tuple[tuple[Signal, float], ...]:
    """Each such line once by its kind, the surest first."""
    found = {signal.name: (signal, weight) for signal, weight in reversed([*_weigh_signals(story)])}
    return tuple(sorted(found.values(), key=lambda entry: -entry[1]))


def _weigh_signals(story: Story) -> Iterator[tuple[Signal, float]]:
    for signal in story.signals:
        if signal.name in _WEIGHTS:
            yield signal, _WEIGHTS[signal.name]
        elif signal.name in _NAMED:
            yield signal, _by_module(signal, story)


def _by_module(signal: Signal, story: Story) -> float:
    module = signal.values.get("module") or signal.values.get("type")
    if module is None:
        return 0.72 if story.has("inside-tensorflow-import") else 0.62
    if _FAMILY.match(module) or module in ("DType", "Layer", "Tensor", "EagerTensor"):
        return 0.82
    return 0.35
