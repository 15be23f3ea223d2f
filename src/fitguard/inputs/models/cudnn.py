"""Which recurrent layers run on cuDNN's own kernels where there is a GPU."""

from typing import Any

from fitguard.inputs.models.activations import find_activation_name
from fitguard.inputs.models.asking import ask
from fitguard.inputs.models.kinds import kind


def runs_on_cudnn(layer: Any) -> bool:
    """Whether the settings of an LSTM or GRU, or of a Bidirectional one, allow it.

    The conditions are those in the source of Keras 3 (`cudnn_ok`) and tf_keras
    (`_could_use_gpu_kernel`), apart from the GPU itself.
    """
    name = kind(layer)
    if name == "Bidirectional":
        return ask(lambda: any(map(runs_on_cudnn, _directions(layer))), False)
    return name in ("LSTM", "GRU") and ask(lambda: _can_use_cudnn(layer), False)


def _directions(layer: Any) -> tuple[Any, Any]:
    return layer.forward_layer, layer.backward_layer


def _can_use_cudnn(layer: Any) -> bool:
    return bool(
        find_activation_name(layer.activation) == "tanh"
        and find_activation_name(layer.recurrent_activation) == "sigmoid"
        and layer.recurrent_dropout == 0
        and not layer.unroll
        and layer.use_bias
        and getattr(layer, "reset_after", True)
        and getattr(layer, "use_cudnn", "auto") in ("auto", True)
    )
